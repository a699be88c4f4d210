# Written by fixtures/make/public_names.py; do not edit.
from icefloe.scripts.benchmarks import Benchmark as Benchmark
from icefloe.scripts.stubs import StubOutForTesting as StubOutForTesting
from icefloe.scripts.testing import TestCase as TestCase
from icefloe.scripts.testing import assert_equal_graph_def as assert_equal_graph_def
from icefloe.scripts.benchmarks import benchmark_config as benchmark_config
from icefloe.scripts.gradient_checks import compute_gradient as compute_gradient
from icefloe.scripts.gradient_checks import compute_gradient_error as compute_gradient_error
from icefloe.training.local_cluster import create_local_cluster as create_local_cluster
from icefloe.scripts.modes import disable_with_predicate as disable_with_predicate
from icefloe.scripts.testing import get_temp_dir as get_temp_dir
from icefloe.scripts.testing import gpu_device_name as gpu_device_name
from icefloe.scripts.testing import is_built_with_cuda as is_built_with_cuda
from icefloe.scripts.testing import is_built_with_gpu_support as is_built_with_gpu_support
from icefloe.scripts.testing import is_built_with_rocm as is_built_with_rocm
from icefloe.scripts.testing import is_built_with_xla as is_built_with_xla
from icefloe.scripts.testing import is_cpu_target_available as is_cpu_target_available
from icefloe.scripts.testing import is_gpu_available as is_gpu_available
from icefloe.scripts.testing import main as main
from icefloe.scripts.testing import mock as mock
from icefloe.scripts.testing import test_src_dir_path as test_src_dir_path
from icefloe.scripts.modes import with_eager_op_as_function as with_eager_op_as_function


__all__ = [
    "Benchmark",
    "StubOutForTesting",
    "TestCase",
    "assert_equal_graph_def",
    "benchmark_config",
    "compute_gradient",
    "compute_gradient_error",
    "create_local_cluster",
    "disable_with_predicate",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "mock",
    "test_src_dir_path",
    "with_eager_op_as_function",
]
