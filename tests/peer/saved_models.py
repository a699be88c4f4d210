"""TensorFlow's inner functions for SavedModels, as its tests call them, on icefloe's."""

from __future__ import annotations

from typing import Any

from icefloe.graph.graph import get_default_graph
from icefloe.saved_models.builder import SavedModelBuilder, SignatureSavedModelBuilder
from icefloe.saved_models.initialization import train_op_of

# Cases that are run for both builders are named by the text of the class: they get the names they have in TensorFlow,
# so that results can be compared case by case.
SavedModelBuilder.__module__ = SignatureSavedModelBuilder.__module__ = "tensorflow.python.saved_model.builder_impl"
SignatureSavedModelBuilder.__qualname__ = "_SavedModelBuilder"


def get_train_op(meta_graph_def: Any, import_scope: str | None = None) -> Any:
    """Return the train op of the default graph."""
    return train_op_of(meta_graph_def, get_default_graph(), import_scope)
