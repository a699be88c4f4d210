"""Which object of icefloe a name of TensorFlow stands for, in its public namespaces and in the modules below them.

Public names are those of `icefloe._names`. A module below `tensorflow.python` has the names that `internal_names.txt`
lists for it (made by `fixtures/make/tensorflow_names.py`), those of UNLISTED, and, since many were in other places in
TensorFlow 1, every public name of the namespaces that go with the module.
"""

from __future__ import annotations

import functools
import importlib
import re
from importlib import resources
from typing import Any

from icefloe import _names, opdefs

# Names that are not public, or were moved: module below tensorflow.python -> `name=module of icefloe:attribute`.
UNLISTED: dict[str, str] = {
    "client.session": "BaseSession=session:BaseSession",
    "client.timeline": "Timeline=runtime.chrome_trace:Timeline",
    "data.util.nest": """
        assert_same_structure=lib.data_nest:assert_same_structure flatten=lib.data_nest:flatten
        map_structure=lib.data_nest:map_structure pack_sequence_as=lib.data_nest:pack_sequence_as
    """,
    "framework.common_shapes": "broadcast_shape=lib.array_shape:broadcast_static_shape",
    "framework.dtypes": "as_dtype=datatypes:as_dtype DType=datatypes:DType",
    "framework.function": "Defun=lib.defun:Defun",
    "framework.meta_graph": """
        add_collection_def=meta_graph.collections:add_collection_def
        create_meta_graph_def=meta_graph.export:create_meta_graph_def
        ops_used_by_graph_def=meta_graph.op_list:ops_used_by_graph_def
        read_meta_graph_file=saver.meta_files:read_meta_graph_file
        stripped_op_list_for_graph=meta_graph.op_list:stripped_op_list_for_graph
    """,
    "framework.ops": """
        Tensor=graph.tensor:Tensor name_scope=graph.default_graph:name_scope
        strip_name_scope=graph.naming:strip_name_scope
        prepend_name_scope=graph.naming:prepend_name_scope get_name_scope=graph.default_graph:get_name_scope
        internal_convert_to_tensor=graph.conversion:convert_to_tensor
    """,
    "framework.tensor_util": """
        constant_value=graph.constant_value:constant_value
        constant_value_as_shape=graph.partial_shape:constant_value_as_shape is_tensor=lib.constants:is_tensor
    """,
    "eager.context": "executing_eagerly=lib.behavior:executing_eagerly graph_mode=scripts.modes:graph_mode",
    "framework.test_util": """
        TensorFlowTestCase=scripts.testing:TestCase
        build_as_function_and_v1_graph=scripts.modes:build_as_function_and_v1_graph
        deprecated_graph_mode_only=scripts.modes:run_deprecated_v1
        disable_tfrt=scripts.modes:in_graphs_only disable_xla=scripts.modes:in_graphs_only
        run_all_in_deprecated_graph_mode_only=scripts.modes:run_deprecated_v1
        run_all_in_graph_and_eager_modes=scripts.modes:run_all_in_graph_and_eager_modes
        run_deprecated_v1=scripts.modes:run_deprecated_v1
        run_in_graph_and_eager_modes=scripts.modes:run_in_graph_and_eager_modes
        run_v1_only=scripts.modes:run_v1_only
    """,
    "lib.io.file_io": "FileIO=lib.files:GFile",
    "ops.control_flow_ops": "with_dependencies=lib.control:with_dependencies",
    "ops.data_flow_ops": "MapStagingArea=lib.staging:MapStagingArea StagingArea=lib.staging:StagingArea",
    **dict.fromkeys(("layers.base", "layers.convolutional", "layers.core", "layers.layers"), ""),
    **dict.fromkeys(("layers.normalization", "layers.pooling", "ops.metrics", "ops.metrics_impl"), ""),
    **dict.fromkeys(("ops.rnn", "ops.rnn_cell", "ops.rnn_cell_impl", "ops.standard_ops"), ""),
    "ops.logging_ops": """
        merge_summary=lib.summaries:merge scalar_summary=lib.summaries:scalar histogram_summary=lib.summaries:histogram
    """,
    "ops.variables": """
        PartitionedVariable=lib.variable_partitioned:PartitionedVariable VariableV1=lib.variable:Variable
    """,
    "pywrap_tensorflow": "NewCheckpointReader=saver.inspection:new_checkpoint_reader",
    "platform.googletest": "main=scripts.testing:main TestCase=scripts.testing:TestCase",
    "platform.test": "main=scripts.testing:main",
    "tools.inspect_checkpoint": """
        print_tensors_in_checkpoint_file=scripts.inspecting:print_tensors_in_checkpoint_file
    """,
    "training.saver": "BaseSaverBuilder=saver.builder:BaseSaverBuilder",
    "util.py_checkpoint_reader": "NewCheckpointReader=saver.inspection:new_checkpoint_reader",
}
# The namespaces a module's names may be public in, beside the top: end of the module's name -> namespaces.
NAMESPACES: tuple[tuple[str, str], ...] = (
    (r"ops\.nn.*|ops\.candidate_sampling_ops|ops\.embedding_ops|ops\.ctc_ops", "nn"),
    (r"ops\.rnn.*", "nn"),
    (r"ops\.rnn_cell.*", "nn.rnn_cell"),
    (r"ops\.metrics.*", "metrics"),
    (r"layers\..*", "layers"),
    (r"ops\.math_ops|ops\.special_math_ops", "math"),
    (r"ops\.image_ops.*", "image"),
    (r"ops\.(linalg|math|clip)_ops.*|ops\.linalg\..*", "linalg"),
    (r"ops\.string_ops", "strings"),
    (r"ops\.sparse_ops", "sparse"),
    (r"ops\.(io|parsing|image)_ops|lib\.io\..*|ops\.io_ops", "io"),
    (r"lib\.io\.tf_record", "python_io"),
    (r"lib\.io\.file_io|platform\.gfile", "gfile"),
    (r"ops\.lookup_ops", "lookup"),
    (r"ops\.losses\..*", "losses"),
    (r"ops\.(random|stateless_random)_ops.*", "random"),
    (r"ops\.init_ops.*", "initializers"),
    (r"ops\.signal\..*|ops\.spectral_ops", "signal"),
    (r"ops\.sets.*", "sets"),
    (r"ops\.data_flow_ops", "queue"),
    (r"ops\.data_flow_ops|ops\.lookup_ops", "lookup.experimental"),
    (r"data\..*", "data"),
    (r"data\..*", "data.experimental"),
    (r"training\..*|checkpoint\..*|summary\.summary_iterator", "train"),
    (r"saved_model\..*", "saved_model"),
    (r"saved_model\.signature_constants", "saved_model.signature_constants"),
    (r"saved_model\.tag_constants", "saved_model.tag_constants"),
    (r"summary\..*|training\.summary_io", "summary"),
    (r"platform\.tf_logging", "logging"),
    (r"platform\.app", "app"),
    (r"platform\.flags", "flags"),
    (r"platform\.(test|googletest)|framework\.test_util", "test"),
    (r"platform\.resource_loader", "resource_loader"),
    (r"platform\.sysconfig", "sysconfig"),
    (r"framework\.graph_util.*|framework\.convert_to_constants", "graph_util"),
    (r"framework\.errors.*", "errors"),
    (r"util\.compat", "compat"),
    (r"util\.nest", "nest"),
    (r"framework\.versions", "version"),
)


@functools.cache
def listed() -> dict[str, dict[str, str]]:
    """Return what `internal_names.txt` says: module below tensorflow.python -> its names -> their public names."""
    found: dict[str, dict[str, str]] = {}
    text = resources.files("icefloe.scripts").joinpath("internal_names.txt").read_text()
    for line in text.splitlines():
        if not line.startswith(" "):
            names = found[line.removesuffix(":")] = {}
            continue
        for word in line.split():
            name, _, path = word.partition("=")
            names[name] = path or name
    return found


def is_module(name: str) -> bool:
    """Whether there is a module of this name below tensorflow.python, or one that is below it."""
    package, _, last = name.rpartition(".")
    if name.startswith("ops.") and (last.startswith("gen_") or last.endswith("_grad")):
        return True  # importing a module of gradients registers them, which they are here
    if any(known == name or known.startswith(f"{name}.") for known in (*listed(), *UNLISTED)):
        return True
    return package in _PACKAGES and _moved(last) is not None


# Packages out of which modules were moved in the course of time.
_PACKAGES = ("framework", "ops", "platform", "training", "training.saving", "util")


def _moved(last: str) -> str | None:
    """Return the module with this last part of its name, in whichever package it is now."""
    return next((known for known in listed() if known.rpartition(".")[2] == last), None)


@functools.cache
def namespace_module(namespace: str) -> str | None:
    """Return the module of icefloe that is a public namespace, "" for the top, or None if there is none."""
    if not namespace or namespace == "compat.v1":
        return "icefloe"
    namespace = namespace.removeprefix("compat.v1.")
    parent, _, name = namespace.rpartition(".")
    if namespace in _names.TABLE:
        return f"icefloe.{namespace}"
    if parent in _names.TABLE and _names.entries(parent).get(name, ("",))[0] == "module":
        return f"icefloe.{namespace}"
    return None


def public(path: str) -> Any:
    """Return the object of a public name such as `nn.relu`. Raises: AttributeError if icefloe has none."""
    namespace, _, name = path.rpartition(".")
    module = namespace_module(namespace)
    if module is None:
        raise AttributeError(path)
    return getattr(importlib.import_module(module), name)


@functools.cache
def _unlisted(module: str) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in UNLISTED.get(module, "").split())


def internal(module: str, name: str) -> Any:
    """Return the object of a name of a module below tensorflow.python. Raises: AttributeError if icefloe has none."""
    if module.rpartition(".")[2].startswith("gen_"):
        return _op_function(name)
    if name == "__all__" and module in listed():
        return [word for word in listed()[module] if _is_there(module, word)]
    if name.startswith("__"):
        raise AttributeError(name)
    if module not in listed() and module not in UNLISTED:
        module = _moved(module.rpartition(".")[2]) or module
    place = _unlisted(module).get(name)
    if place is not None:
        source, _, attribute = place.partition(":")
        return getattr(importlib.import_module(f"icefloe.{source}"), attribute)
    paths = [listed().get(module, {}).get(name), *_likely(module, name)]
    for path in paths:
        if path is None:
            continue
        try:
            return public(path)
        except AttributeError:
            continue
    raise AttributeError(name)


def _is_there(module: str, name: str) -> bool:
    try:
        internal(module, name)
    except AttributeError:
        return False
    return True


def _likely(module: str, name: str) -> list[str]:
    """Return the public names that `name` of a module may have been."""
    spaces = [space for pattern, space in NAMESPACES if re.fullmatch(pattern, module)]
    return [*(f"{space}.{name}" for space in spaces), name]


def _op_function(name: str) -> Any:
    """Return the function that adds a node of the op with this name in snake case."""
    from icefloe.lib.op_functions import op_function

    op = op_names().get(name.replace("_", ""))
    if op is None:
        raise AttributeError(name)
    return op_function(op, name)


@functools.cache
def op_names() -> dict[str, str]:
    """Return every op's name by the name in lower case."""
    return {op.lower(): op for op in sorted(opdefs.names(), reverse=True)}


@functools.cache
def all_public() -> dict[str, list[str]]:
    """Return the paths of all public names by their last part: `relu` -> [`nn.relu`]."""
    found: dict[str, list[str]] = {}
    for namespace in _names.TABLE:
        for name in _names.entries(namespace):
            found.setdefault(name, []).append(f"{namespace}.{name}".lstrip("."))
    return found
