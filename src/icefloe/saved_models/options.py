"""TensorFlow 2's way of saving and loading, as far as graphs go: names, and what to use instead.

Source: tensorflow/python/saved_model/save_options.py, save.py, load.py (names and defaults).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from icefloe.saved_models.loading import LoadedModel, load_saved_model
from icefloe.saved_models.reading import Path


@dataclass
class SaveOptions:
    """Options of saving objects; kept as they are given."""

    namespace_whitelist: Iterable[str] | None = None
    save_debug_info: bool = False
    function_aliases: Mapping[str, Any] | None = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Iterable[str] | None = None


def load_v2(export_dir: Path, tags: Any = None, options: Any = None) -> LoadedModel:
    """Return `load_saved_model(export_dir, tags)`: signatures take and give arrays. options: not looked at."""
    return load_saved_model(export_dir, tags)
