"""Take icefloe's place for TensorFlow in a Python that a script of `icefloe exec` started."""

import importlib
import sys

from icefloe.scripts.facades import install

install()
sys.modules.pop("tensorflow", None)
# The import system hands out what stands here once this module has run.
sys.modules["tensorflow"] = importlib.import_module("tensorflow")
