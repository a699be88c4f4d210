# Written by fixtures/make/public_names.py; do not edit.
from icefloe.scripts.places import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from icefloe.scripts.places import CXX_VERSION as CXX_VERSION
from icefloe.scripts.places import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from icefloe.scripts.places import get_build_info as get_build_info
from icefloe.scripts.places import get_compile_flags as get_compile_flags
from icefloe.scripts.places import get_include as get_include
from icefloe.scripts.places import get_lib as get_lib
from icefloe.scripts.places import get_link_flags as get_link_flags


__all__ = [
    "CXX11_ABI_FLAG",
    "CXX_VERSION",
    "MONOLITHIC_BUILD",
    "get_build_info",
    "get_compile_flags",
    "get_include",
    "get_lib",
    "get_link_flags",
]
