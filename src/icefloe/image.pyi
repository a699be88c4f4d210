# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.image_resize import ResizeMethod as ResizeMethod
from icefloe.lib.image_color import adjust_brightness as adjust_brightness
from icefloe.lib.image_color import adjust_contrast as adjust_contrast
from icefloe.lib.image_color import adjust_gamma as adjust_gamma
from icefloe.lib.image_color import adjust_hue as adjust_hue
from icefloe.lib.image_color import adjust_jpeg_quality as adjust_jpeg_quality
from icefloe.lib.image_color import adjust_saturation as adjust_saturation
from icefloe.lib.image_geometry import central_crop as central_crop
from icefloe.lib.image_boxes import combined_non_max_suppression as combined_non_max_suppression
from icefloe.lib.image_color import convert_image_dtype as convert_image_dtype
from icefloe.lib.image_boxes import crop_and_resize as crop_and_resize
from icefloe.lib.image_geometry import crop_to_bounding_box as crop_to_bounding_box
from icefloe.lib.image_files import decode_image as decode_image
from icefloe.lib.image_boxes import draw_bounding_boxes as draw_bounding_boxes
from icefloe.lib.image_files import encode_png as encode_png
from icefloe.lib.image_boxes import extract_glimpse as extract_glimpse
from icefloe.lib.image_boxes import extract_image_patches as extract_image_patches
from icefloe.lib.image_boxes import extract_patches as extract_patches
from icefloe.lib.image_geometry import flip_left_right as flip_left_right
from icefloe.lib.image_geometry import flip_up_down as flip_up_down
from icefloe.lib.image_boxes import generate_bounding_box_proposals as generate_bounding_box_proposals
from icefloe.lib.image_color import grayscale_to_rgb as grayscale_to_rgb
from icefloe.lib.image_quality import image_gradients as image_gradients
from icefloe.lib.image_files import is_jpeg as is_jpeg
from icefloe.lib.image_boxes import non_max_suppression as non_max_suppression
from icefloe.lib.image_boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from icefloe.lib.image_boxes import non_max_suppression_padded as non_max_suppression_padded
from icefloe.lib.image_boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from icefloe.lib.image_geometry import pad_to_bounding_box as pad_to_bounding_box
from icefloe.lib.image_color import per_image_standardization as per_image_standardization
from icefloe.lib.image_quality import psnr as psnr
from icefloe.lib.image_color import random_brightness as random_brightness
from icefloe.lib.image_color import random_contrast as random_contrast
from icefloe.lib.random_draws import random_crop as random_crop
from icefloe.lib.image_geometry import random_flip_left_right as random_flip_left_right
from icefloe.lib.image_geometry import random_flip_up_down as random_flip_up_down
from icefloe.lib.image_color import random_hue as random_hue
from icefloe.lib.image_color import random_jpeg_quality as random_jpeg_quality
from icefloe.lib.image_color import random_saturation as random_saturation
from icefloe.lib.image_resize import resize_images as resize
from icefloe.lib.image_resize import resize_bicubic as resize_bicubic
from icefloe.lib.image_resize import resize_bilinear as resize_bilinear
from icefloe.lib.image_geometry import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from icefloe.lib.image_resize import resize_image_with_pad as resize_image_with_pad
from icefloe.lib.image_resize import resize_images as resize_images
from icefloe.lib.image_resize import resize_nearest_neighbor as resize_nearest_neighbor
from icefloe.lib.image_geometry import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from icefloe.lib.image_color import rgb_to_grayscale as rgb_to_grayscale
from icefloe.lib.image_color import rgb_to_yiq as rgb_to_yiq
from icefloe.lib.image_color import rgb_to_yuv as rgb_to_yuv
from icefloe.lib.image_geometry import rot90 as rot90
from icefloe.lib.image_boxes import sample_distorted_bounding_box as sample_distorted_bounding_box
from icefloe.lib.image_quality import sobel_edges as sobel_edges
from icefloe.lib.image_quality import ssim as ssim
from icefloe.lib.image_quality import ssim_multiscale as ssim_multiscale
from icefloe.lib.image_quality import total_variation as total_variation
from icefloe.lib.image_geometry import transpose as transpose
from icefloe.lib.image_geometry import transpose as transpose_image
from icefloe.lib.image_color import yiq_to_rgb as yiq_to_rgb
from icefloe.lib.image_color import yuv_to_rgb as yuv_to_rgb

def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1.0, dct_method: Any = '', name: str | None = ...) -> Any: ...
def decode_bmp(contents: Any, channels: Any = 0, name: str | None = ...) -> Any: ...
def decode_gif(contents: Any, name: str | None = ...) -> Any: ...
def decode_jpeg(contents: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1.0, dct_method: Any = '', name: str | None = ...) -> Any: ...
def decode_jxl(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def decode_png(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def decode_webp(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def encode_jpeg(image: Any, format: Any = '', quality: Any = 95, progressive: Any = False, optimize_size: Any = False, chroma_downsampling: Any = True, density_unit: Any = 'in', x_density: Any = 300, y_density: Any = 300, xmp_metadata: Any = '', name: str | None = ...) -> Any: ...
def extract_jpeg_shape(contents: Any, output_type: Any = ..., name: str | None = ...) -> Any: ...
def hsv_to_rgb(images: Any, name: str | None = ...) -> Any: ...
def resize_area(images: Any, size: Any, align_corners: Any = False, name: str | None = ...) -> Any: ...
def rgb_to_hsv(images: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_jpeg_quality",
    "adjust_saturation",
    "central_crop",
    "combined_non_max_suppression",
    "convert_image_dtype",
    "crop_and_resize",
    "crop_to_bounding_box",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_jxl",
    "decode_png",
    "decode_webp",
    "draw_bounding_boxes",
    "encode_jpeg",
    "encode_png",
    "extract_glimpse",
    "extract_image_patches",
    "extract_jpeg_shape",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "generate_bounding_box_proposals",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "is_jpeg",
    "non_max_suppression",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
    "resize",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_image_with_crop_or_pad",
    "resize_image_with_pad",
    "resize_images",
    "resize_nearest_neighbor",
    "resize_with_crop_or_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "rot90",
    "sample_distorted_bounding_box",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "total_variation",
    "transpose",
    "transpose_image",
    "yiq_to_rgb",
    "yuv_to_rgb",
]
