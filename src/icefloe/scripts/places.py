"""Where a program's data files and this library are, as in tf.resource_loader and tf.sysconfig."""

from __future__ import annotations

import inspect
import os
import sys
from typing import Any

import icefloe

# No library of TensorFlow's is there to be built or linked against.
CXX11_ABI_FLAG = 0
CXX_VERSION = 0
MONOLITHIC_BUILD = 0


def get_include() -> str:
    """Return the folder where headers would be; there are none."""
    return os.path.join(get_lib(), "include")


def get_lib() -> str:
    """Return the folder of the library."""
    assert icefloe.__file__ is not None
    return os.path.dirname(icefloe.__file__)


def get_compile_flags() -> list[str]:
    """Return no flags: nothing is compiled against this library."""
    return []


def get_link_flags() -> list[str]:
    """Return no flags: nothing is linked against this library."""
    return []


def get_build_info() -> dict[str, Any]:
    """Return what the library was built for: no GPUs."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def _caller_folder() -> str:
    """Return the folder of the script that called the function that calls this."""
    path = inspect.getsourcefile(sys._getframe(2).f_code) or ""
    return os.path.dirname(os.path.abspath(path))


def load_resource(path: str) -> bytes:
    """Return what is in a file, given by its path from the folder of the calling script.

    Raises: OSError.
    """
    with open(os.path.join(_caller_folder(), path), "rb") as file:
        return file.read()


def get_data_files_path() -> str:
    """Return the folder of the calling script."""
    return _caller_folder()


def get_path_to_datafile(path: str) -> str:
    """Return a path from the folder of the calling script as an absolute one."""
    return os.path.join(_caller_folder(), path)


def get_root_dir_with_all_resources() -> str:
    """Return the folder of the calling script."""
    return _caller_folder()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Return `path`: nothing is read ahead."""
    return path
