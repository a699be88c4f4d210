# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.layer_pooling import AveragePooling1D as AveragePooling1D
from icefloe.lib.layer_pooling import AveragePooling2D as AveragePooling2D
from icefloe.lib.layer_pooling import AveragePooling3D as AveragePooling3D
from icefloe.lib.layer_normalization import BatchNormalization as BatchNormalization
from icefloe.lib.layer_convolution import Conv1D as Conv1D
from icefloe.lib.layer_convolution import Conv2D as Conv2D
from icefloe.lib.layer_transposed import Conv2DTranspose as Conv2DTranspose
from icefloe.lib.layer_convolution import Conv3D as Conv3D
from icefloe.lib.layer_transposed import Conv3DTranspose as Conv3DTranspose
from icefloe.lib.layer_core import Dense as Dense
from icefloe.lib.layer_core import Dropout as Dropout
from icefloe.lib.layer_core import Flatten as Flatten
from icefloe.lib.layer_base import InputSpec as InputSpec
from icefloe.lib.layer_base import Layer as Layer
from icefloe.lib.layer_pooling import MaxPooling1D as MaxPooling1D
from icefloe.lib.layer_pooling import MaxPooling2D as MaxPooling2D
from icefloe.lib.layer_pooling import MaxPooling3D as MaxPooling3D
from icefloe.lib.layer_separable import SeparableConv1D as SeparableConv1D
from icefloe.lib.layer_separable import SeparableConv2D as SeparableConv2D
from icefloe.lib.layer_pooling import average_pooling1d as average_pooling1d
from icefloe.lib.layer_pooling import average_pooling2d as average_pooling2d
from icefloe.lib.layer_pooling import average_pooling3d as average_pooling3d
from icefloe.lib.layer_normalization import batch_normalization as batch_normalization
from icefloe.lib.layer_convolution import conv1d as conv1d
from icefloe.lib.layer_convolution import conv2d as conv2d
from icefloe.lib.layer_transposed import conv2d_transpose as conv2d_transpose
from icefloe.lib.layer_convolution import conv3d as conv3d
from icefloe.lib.layer_transposed import conv3d_transpose as conv3d_transpose
from icefloe.lib.layer_core import dense as dense
from icefloe.lib.layer_core import dropout as dropout
from icefloe.lib.layer_core import flatten as flatten
from icefloe.lib.layer_pooling import max_pooling1d as max_pooling1d
from icefloe.lib.layer_pooling import max_pooling2d as max_pooling2d
from icefloe.lib.layer_pooling import max_pooling3d as max_pooling3d
from icefloe.lib.layer_separable import separable_conv1d as separable_conv1d
from icefloe.lib.layer_separable import separable_conv2d as separable_conv2d


__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "InputSpec",
    "Layer",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "SeparableConv1D",
    "SeparableConv2D",
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
    "separable_conv1d",
    "separable_conv2d",
]
