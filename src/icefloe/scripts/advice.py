"""What to use instead of a name of TensorFlow that icefloe does not have."""

from __future__ import annotations

import importlib
import re
from types import ModuleType
from typing import Any

from icefloe.near_names import near_names
from icefloe.scripts import names

_CELL = "tf.nn.rnn_cell has cells | write the cell as a function of input and state"
_LOOP = "tf.nn.dynamic_rnn runs one | run the cell with tf.while_loop or tf.scan"
# Path of a name, or the beginning of one -> what there is instead. The longest that fits counts; of texts between bars
# the first whose names are all here.
INSTEAD: dict[str, str] = {
    # Names from before TensorFlow 1.0.
    "batch_matmul": "tf.matmul does it",
    "complex_abs": "tf.abs does it",
    "concat_v2": "tf.concat does it",
    "histogram_summary": "tf.summary.histogram does it",
    "image_summary": "tf.summary.image does it",
    "inv": "tf.reciprocal does it",
    "listdiff": "tf.setdiff1d does it",
    "merge_all_summaries": "tf.summary.merge_all does it",
    "merge_summary": "tf.summary.merge does it",
    "mul": "tf.multiply does it",
    "neg": "tf.negative does it",
    "pack": "tf.stack does it",
    "scalar_summary": "tf.summary.scalar does it",
    "select": "tf.where does it",
    "sub": "tf.subtract does it",
    "train.SummaryWriter": "tf.summary.FileWriter does it",
    "unpack": "tf.unstack does it",
    # Names of TensorFlow 1 that are not here.
    "config.experimental.ClusterDeviceFilters": "sessions run in one process, and there is one device",
    "config.experimental_connect_to_cluster": "sessions run in one process; tf.train.Server has workers of one process",
    "config.experimental_connect_to_host": "sessions run in one process; tf.train.Server has workers of one process",
    "contrib": "tf.contrib is not part of it, as of TensorFlow itself since 2.0",
    "contrib.crf": "write the score with tf.scan or tf.while_loop",
    "contrib.cudnn_rnn": _LOOP,
    "contrib.data": "the same functions are in tf.data and tf.data.experimental",
    "contrib.distributions": "tf.distributions has distributions",
    "contrib.eager": "graphs and sessions only; tf.train.Checkpoint saves objects",
    "contrib.estimator": "tf.train.MonitoredTrainingSession with hooks runs a training",
    "contrib.framework": "its functions on variables are in tf.train and tf itself",
    "contrib.framework.arg_scope": "pass the arguments at each call, or use functools.partial",
    "contrib.framework.get_or_create_global_step": "tf.train.get_or_create_global_step is the same",
    "contrib.framework.get_variables": "tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope) gives them",
    "contrib.framework.init_from_checkpoint": "tf.train.init_from_checkpoint is the same",
    "contrib.framework.list_variables": "tf.train.list_variables is the same",
    "contrib.framework.load_variable": "tf.train.load_variable is the same",
    "contrib.framework.nest": "tf.nest has flatten, map_structure and pack_sequence_as",
    "contrib.graph_editor": "icefloe.graphs has rename, stitch and extract",
    "contrib.image": "see tf.image",
    "contrib.layers": "tf.layers has layers | write the layer with tf.get_variable and tf.nn",
    "contrib.layers.batch_norm": "tf.layers.batch_normalization does it | tf.nn.fused_batch_norm normalizes",
    "contrib.layers.conv2d": "tf.layers.conv2d does it | use tf.get_variable and tf.nn.conv2d",
    "contrib.layers.convolution2d": "tf.layers.conv2d does it | use tf.get_variable and tf.nn.conv2d",
    "contrib.layers.flatten": "tf.layers.flatten does it | tf.reshape(x, [tf.shape(x)[0], -1]) is the same",
    "contrib.layers.fully_connected": "tf.layers.dense(x, n, tf.nn.relu) does it | use tf.get_variable and tf.matmul",
    "contrib.layers.l1_regularizer": "a function w -> scale * tf.reduce_sum(tf.abs(w)) is the same",
    "contrib.layers.l2_regularizer": "a function w -> scale * tf.nn.l2_loss(w) is the same",
    "contrib.layers.max_pool2d": "tf.layers.max_pooling2d does it | use tf.nn.max_pool",
    "contrib.layers.optimize_loss": "use an optimizer of tf.train",
    "contrib.layers.variance_scaling_initializer": "tf.variance_scaling_initializer(2.0) is the same",
    "contrib.layers.xavier_initializer": "tf.glorot_uniform_initializer is the same",
    "contrib.layers.xavier_initializer_conv2d": "tf.glorot_uniform_initializer is the same",
    "contrib.learn": "tf.train.MonitoredTrainingSession with hooks runs a training",
    "contrib.legacy_seq2seq": "write the loop with tf.while_loop or tf.scan",
    "contrib.lookup": "the tables are in tf.lookup",
    "contrib.lookup.HashTable": "tf.lookup.StaticHashTable is the same",
    "contrib.metrics": "tf.metrics has metrics | compute it with tf.reduce_mean, tf.equal and tf.confusion_matrix",
    "contrib.opt": "the optimizers are in tf.train",
    "contrib.predictor": "icefloe.load_saved_model gives the signatures as functions",
    "contrib.rnn": _CELL,
    "contrib.saved_model": "icefloe.load_saved_model loads one",
    "contrib.seq2seq": "write the loop with tf.while_loop or tf.scan",
    "contrib.slim": "write it with tf.layers | write the layers with tf.get_variable and tf.nn",
    "contrib.summary": "see tf.summary",
    "contrib.tensorboard": "TensorBoard itself reads what tf.summary.FileWriter writes",
    "contrib.training": "see tf.train",
    "contrib.training.HParams": "argparse.Namespace and types.SimpleNamespace hold such values",
    "contrib.tpu": "there are no TPUs",
    "contrib.util.make_tensor_proto": "tf.make_tensor_proto is the same",
    "contrib.util.make_ndarray": "tf.make_ndarray is the same",
    "data.experimental.distributed_save": (
        "there is no data service; tf.data.experimental.snapshot keeps elements in files"
    ),
    "data.experimental.enable_debug_mode": "there is no eager execution, whose mode this is",
    "data.experimental.get_model_proto": "pipelines have no autotuning whose model could be looked at",
    "data.NumpyIterator": "there is no eager execution; tf.data.make_one_shot_iterator gives elements in a session",
    "distribute": "there are no distribution strategies; tf.train.Server has workers of one process",
    "distributions": "draw with tf.random_normal and tf.random_uniform; write densities with tf.exp and tf.log",
    "estimator": "tf.train.MonitoredTrainingSession with hooks runs a training; icefloe.load_saved_model loads exports",
    "examples": "the examples are not part of it",
    "examples.tutorials.mnist": (
        "read the MNIST files with gzip.open(path).read() and numpy.frombuffer(data, numpy.uint8, offset=16), "
        "labels with offset=8"
    ),
    "feature_column": "feed the columns, or make them with tf.one_hot, tf.lookup and tf.nn.embedding_lookup",
    "function": "graphs and sessions only; leave the decorator out",
    "GradientTape": "tf.gradients adds the nodes of gradients to the graph",
    "keras": "a saved Keras model is loaded by icefloe.load_graph",
    "layers": "write such a layer with tf.get_variable and tf.nn",
    "layers.batch_normalization": "tf.nn.fused_batch_norm normalizes; its variables are made with tf.get_variable",
    "layers.conv2d": "use tf.get_variable and tf.nn.conv2d",
    "layers.dense": "use tf.get_variable and tf.matmul",
    "layers.dropout": "tf.nn.dropout does it",
    "layers.flatten": "tf.reshape(x, [tf.shape(x)[0], -1]) is the same",
    "layers.max_pooling2d": "use tf.nn.max_pool",
    "lite": "TensorFlow Lite is not part of it",
    "metrics": "compute it with tf.reduce_mean, tf.equal and tf.confusion_matrix, sums in tf.get_local_variable",
    "models": "the models are not part of it",
    "nn.bidirectional_dynamic_rnn": "run each direction with tf.while_loop or tf.scan, one over tf.reverse_sequence",
    "nn.dynamic_rnn": _LOOP,
    "nn.rnn_cell": _CELL,
    "nn.static_rnn": "call the cell in a Python loop over tf.unstack(x, axis=1)",
    "placeholder_v2": "tf.placeholder makes one",
    "profiler": "icefloe run --trace says where time goes, as tf.RunOptions and tf.timeline do",
    "python.client.device_lib": "there is one device, /device:CPU:0",
    "python.debug": "icefloe run --trace prints every node's value as it is computed",
    "python.eager": "graphs and sessions only; fetch values with tf.Session.run",
    "python.estimator": "tf.train.MonitoredTrainingSession with hooks runs a training",
    "python.keras": "a saved Keras model is loaded by icefloe.load_graph",
    "python.layers": "tf.layers has layers | write the layer with tf.get_variable and tf.nn",
    "python.ops.rnn": _LOOP,
    "python.ops.rnn_cell": _CELL,
    "python.ops.rnn_cell_impl": _CELL,
    "python.profiler": "icefloe run --trace and tf.timeline say where time goes",
    "python.tools.freeze_graph": "icefloe.graphs.freeze, or icefloe graph freeze, does it",
    "python.tools.optimize_for_inference_lib": "icefloe.graphs.optimize, or icefloe graph optimize, does it",
    "python.tools.saved_model_cli": "icefloe saved-model has its commands",
    "python.tools.strip_unused_lib": "icefloe.graphs.extract, or icefloe graph extract, does it",
    "ragged": "keep values and row lengths as two tensors",
    "tools.graph_transforms": "icefloe.graphs has extract, strip, optimize and freeze",
    "tpu": "there are no TPUs",
    "train.do_quantize_training_on_graphdef": (
        "add tf.quantization.fake_quant_with_min_max_vars where values shall be rounded"
    ),
    "xla": "there is no compiler; leave it out",
}
# Names that a text speaks of.
NAME = re.compile(r"\btf\.([A-Za-z_]\w*(?:\.\w+)*)")
_GENERAL = "docs/compatibility.md lists what there is"


def for_name(path: str) -> str:
    """Return what to use instead of `tf.<path>`."""
    path = path.removeprefix("compat.v1.").removeprefix("compat.v2.")
    parts = path.split(".")
    if path.startswith("contrib.") and path not in INSTEAD:
        elsewhere = names.all_public().get(parts[-1], [])
        if elsewhere:  # best where the rest of the path is like, too: contrib.layers.dropout, layers.dropout
            best = min(elsewhere, key=lambda p: (p.split(".")[-2:-1] != parts[-2:-1], p.count("."), p))
            return f"tf.{best} may be meant"
    found = stands_for(path)
    if found is not None:
        return found
    near = _near(path)
    return f"{near}; {_GENERAL}" if near else _GENERAL


def stands_for(path: str) -> str | None:
    """Return what is known to do what `tf.<path>`, or the namespace that it is in, did; None if nothing is."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        text = INSTEAD.get(".".join(parts[:n]))
        if text is not None:
            texts = text.split(" | ")
            return next((t for t in texts if all(map(_is_here, NAME.findall(t)))), texts[-1])
    return None


def _is_here(path: str) -> bool:
    """Whether icefloe has a name, or the class that it is an attribute of has it."""
    found: Any = importlib.import_module("icefloe")
    for part in path.split("."):
        if isinstance(found, ModuleType) and part not in dir(found):  # asking a module would ask here again
            return False
        try:
            found = getattr(found, part)
        except AttributeError:
            return False
    return True


def _near(path: str) -> str | None:
    """Return the same name elsewhere, or one that is written much like it."""
    namespace, _, name = path.rpartition(".")
    namespace = "" if namespace.startswith("python") else namespace
    elsewhere = names.all_public().get(name)
    if elsewhere:
        return f"tf.{min(elsewhere, key=lambda p: (p.count('.'), p))} may be meant"
    candidates = [f"{namespace}.{word}".lstrip(".") for word in near_names(name, _names_of(namespace), 1, likeness=0.8)]
    return f"the nearest name is tf.{candidates[0]}" if candidates else None


def _names_of(namespace: str) -> list[str]:
    module = names.namespace_module(namespace)
    if module is None:
        return []
    return [name for name in dir(importlib.import_module(module)) if not name.startswith("_")]
