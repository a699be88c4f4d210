# Written by fixtures/make/public_names.py; do not edit.
from icefloe.scripts.places import get_data_files_path as get_data_files_path
from icefloe.scripts.places import get_path_to_datafile as get_path_to_datafile
from icefloe.scripts.places import get_root_dir_with_all_resources as get_root_dir_with_all_resources
from icefloe.scripts.places import load_resource as load_resource
from icefloe.scripts.places import readahead_file_path as readahead_file_path


__all__ = [
    "get_data_files_path",
    "get_path_to_datafile",
    "get_root_dir_with_all_resources",
    "load_resource",
    "readahead_file_path",
]
