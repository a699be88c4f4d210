# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.initializers import Constant as constant
from icefloe.lib.variable_lists import global_variables_initializer as global_variables
from icefloe.lib.initializers import GlorotNormal as glorot_normal
from icefloe.lib.initializers import GlorotUniform as glorot_uniform
from icefloe.lib.initializers import he_normal as he_normal
from icefloe.lib.initializers import he_uniform as he_uniform
from icefloe.lib.initializers import Identity as identity
from icefloe.lib.initializers import lecun_normal as lecun_normal
from icefloe.lib.initializers import lecun_uniform as lecun_uniform
from icefloe.lib.variable_lists import local_variables_initializer as local_variables
from icefloe.lib.initializers import Ones as ones
from icefloe.lib.initializers import Orthogonal as orthogonal
from icefloe.lib.initializers import RandomNormal as random_normal
from icefloe.lib.initializers import RandomUniform as random_uniform
from icefloe.lib.variable_lists import tables_initializer as tables_initializer
from icefloe.lib.initializers import TruncatedNormal as truncated_normal
from icefloe.lib.initializers import UniformUnitScaling as uniform_unit_scaling
from icefloe.lib.variable_lists import variables_initializer as variables
from icefloe.lib.initializers import VarianceScaling as variance_scaling
from icefloe.lib.initializers import Zeros as zeros


__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
