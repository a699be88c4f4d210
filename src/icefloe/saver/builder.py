"""The nodes that a Saver adds to the graph: names, order, inputs and devices are those of TensorFlow.

    save/filename/input    Const "model"
    save/filename, Const   PlaceholderWithDefault; the second is fed with the prefix
    save/SaveV2            with Consts tensor_names, shape_and_slices, then the tensors, sorted by name
    save/control_dependency  Identity of the prefix after SaveV2: fetched to save
    save/RestoreV2         one for all variables, on CPU 0
    save/Assign, ...       per variable, on its device
    save/restore_all       NoOp after all assigns: run to restore

Sharded: per device, in the order of their names, a ShardedFilename, a SaveV2 and a RestoreV2; MergeV2Checkpoints
joins what the SaveV2 wrote.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from icefloe.graph import build
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import name_scope
from icefloe.graph.device_spec import DeviceSpec, canonical_name
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.control import group, with_dependencies
from icefloe.lib.variable_partitioned import PartitionedVariable
from icefloe.proto import SaverDef
from icefloe.saver import saveables as saving
from icefloe.saver.saveables import SaveableObject as Saveable

PerDevice = list[tuple[str, list[Saveable]]]


def _cpu0(device: str) -> str:
    """Return `device` with its type and number replaced by CPU 0."""
    return DeviceSpec.from_string(device).replace(device_type="CPU", device_index=0).to_string()


class BaseSaverBuilder:
    """Adds save and restore nodes; with one RestoreV2 node per tensor. Subclasses may override single steps.

    write_version: SaverDef.V2, or V1 for the format of one file per shard.
    """

    SaveSpec = saving.SaveSpec
    SaveableObject = saving.SaveableObject
    VariableSaveable = saving.ReferenceVariableSaveable
    ResourceVariableSaveable = saving.ResourceVariableSaveable

    def __init__(self, write_version: int = SaverDef.V2) -> None:
        self._write_version = write_version

    def save_op(self, filename_tensor: Tensor, saveables: list[Saveable]) -> Operation:
        """Add the node that writes `saveables` to the file or prefix `filename_tensor`.

        Raises: RuntimeError for a write version that is neither V1 nor V2.
        """
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names = [spec.name for spec in specs]
        slices = [spec.slice_spec for spec in specs]
        tensors = [spec.tensor for spec in specs]
        if self._write_version == SaverDef.V1:
            return build.apply_op("SaveSlices", filename_tensor, names, slices, tensors, name="save")
        if self._write_version == SaverDef.V2:
            return build.apply_op("SaveV2", filename_tensor, names, slices, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def restore_op(self, filename_tensor: Tensor, saveable: Saveable, preferred_shard: int) -> list[Tensor]:
        """Add nodes that read the tensors of one object, and return these."""
        return [self._restore_v2(filename_tensor, [spec])[0] for spec in saveable.specs]

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: list[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """Add nodes that read the tensors of all `saveables`, and return these."""
        graph = get_default_graph()
        tensors: list[Tensor] = []
        for saveable in saveables:
            with graph.device(_cpu0(saveable.device) if saveable.device else None):
                tensors += self.restore_op(filename_tensor, saveable, preferred_shard)
        return tensors

    def sharded_filename(self, filename_tensor: Tensor, shard: int, num_shards: Tensor) -> Tensor:
        """Add the node that gives the name of one shard."""
        return build.apply_op("ShardedFilename", filename_tensor, shard, num_shards)

    @staticmethod
    def _restore_v2(filename_tensor: Tensor, specs: list[saving.SaveSpec]) -> list[Tensor]:
        names = [spec.name for spec in specs]
        slices = [spec.slice_spec for spec in specs]
        dtypes = [spec.dtype.base_dtype for spec in specs]
        return list(build.apply_op("RestoreV2", filename_tensor, names, slices, dtypes=dtypes))

    def _add_save(self, filename_tensor: Tensor, saveables: list[Saveable]) -> Tensor:
        return with_dependencies([self.save_op(filename_tensor, saveables)], filename_tensor)

    def _add_sharded_save_v2(self, prefix: Tensor, per_device: PerDevice) -> Tensor:
        graph = get_default_graph()
        with graph.device("CPU"):
            is_s3 = build.apply_op("StaticRegexFullMatch", prefix, pattern="^s3://.*")
            suffixes = [
                constant(".part"),
                constant(os.path.normpath("_temp/part")),
            ]
            suffix = build.apply_op("Select", is_s3, *suffixes)
            temporary = build.apply_op("StringJoin", [prefix, suffix])
        num_shards = constant(len(per_device), name="num_shards")
        names, saves, last = [], [], ""
        for shard, (device, saveables) in enumerate(per_device):
            last = _cpu0(device)
            with graph.device(last):
                names.append(self.sharded_filename(temporary, shard, num_shards))
                saves.append(self._add_save(names[-1], saveables))
        with graph.control_dependencies([save.op for save in saves]), graph.device(last):
            merge = build.apply_op("MergeV2Checkpoints", names, prefix, delete_old_dirs=True)
            with graph.control_dependencies([merge]):
                return build.apply_op("Identity", prefix)

    def _add_sharded_save(self, filename_tensor: Tensor, per_device: PerDevice) -> Tensor:
        if self._write_version == SaverDef.V2:
            return self._add_sharded_save_v2(filename_tensor, per_device)
        graph = get_default_graph()
        num_shards = constant(len(per_device), name="num_shards")
        saves = []
        for shard, (device, saveables) in enumerate(per_device):
            with graph.device(device):
                saves.append(self._add_save(self.sharded_filename(filename_tensor, shard, num_shards), saveables))
        with graph.control_dependencies([save.op for save in saves]):
            return build.apply_op("ShardedFilespec", filename_tensor, num_shards)

    def _add_restore(
        self,
        filename_tensor: Tensor,
        saveables: list[Saveable],
        restore_sequentially: bool,
        reshape: bool,
        preferred_shard: int = -1,
        name: str = "restore_all",
    ) -> Operation:
        tensors = iter(self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially))
        assigns = []
        for saveable in saveables:
            shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
            assigns.append(saveable.restore([next(tensors) for _ in saveable.specs], shapes))
        return group(*assigns, name=name)

    def _add_sharded_restore(
        self, filename_tensor: Tensor, per_device: PerDevice, restore_sequentially: bool, reshape: bool
    ) -> Operation:
        graph = get_default_graph()
        shards = []
        for shard, (device, saveables) in enumerate(per_device):
            with graph.device(device):
                shards.append(
                    self._add_restore(filename_tensor, saveables, restore_sequentially, reshape, shard, "restore_shard")
                )
        return group(*shards, name="restore_all")

    @staticmethod
    def _by_device(saveables: Iterable[Saveable]) -> PerDevice:
        """Return the saveables grouped by device, sorted by its name.

        Raises: ValueError if the tensors of one object are on several devices.
        """
        groups: dict[str, list[Saveable]] = defaultdict(list)
        for saveable in saveables:
            devices = {canonical_name(spec.device) for spec in saveable.specs}
            if len(devices) != 1:
                raise ValueError(f"All tensors of a saveable object must be on the same device: {saveable.name}")
            groups[devices.pop()].append(saveable)
        return sorted(groups.items())

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: str | None = "model",
    ) -> SaverDef:
        """Add all nodes to the default graph and return the SaverDef that names them.

        names_to_saveables: a dict from names in the checkpoint to variables or SaveableObjects, or a list of these.
        The other arguments are those of `Saver`.

        Raises: TypeError, ValueError if something in it cannot be saved or stands there twice.
        """
        named = names_to_saveables
        if not isinstance(named, Mapping):
            named = saving.op_list_to_dict(named)
        saveables = saving.validate_and_slice_inputs(named)
        with name_scope(name, "save", [saveable.op for saveable in saveables]):
            prefix: Any = filename or "model"
            for placeholder in ("filename", "Const"):
                prefix = build.apply_op("PlaceholderWithDefault", prefix, shape=(), name=placeholder)
            if sharded:
                per_device = self._by_device(saveables)
                save = self._add_sharded_save(prefix, per_device)
                restore = self._add_sharded_restore(prefix, per_device, restore_sequentially, reshape)
            else:
                save = self._add_save(prefix, saveables)
                restore = self._add_restore(prefix, saveables, restore_sequentially, reshape)
        _name_partitioned_variables()
        return SaverDef(
            filename_tensor_name=prefix.name,
            save_tensor_name=save.name,
            restore_op_name=restore.name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )


def _shape_of(tensor: Any) -> Any:
    """Return the static shape as a list where it is fully known, else the node that computes it."""
    shape = tensor.shape
    return shape.as_list() if shape.is_fully_defined() else build.apply_op("Shape", tensor)


def _name_partitioned_variables() -> None:
    """Make the node of each partitioned variable in a collection, so that a MetaGraphDef can name it."""
    graph = get_default_graph()
    for key in graph.get_all_collection_keys():
        for item in graph.get_collection(key):
            if isinstance(item, PartitionedVariable):
                try:
                    graph.get_operation_by_name(item.name)
                except KeyError:
                    item.as_tensor()


class BulkSaverBuilder(BaseSaverBuilder):
    """Reads all tensors with one RestoreV2 node."""

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: list[Saveable],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        with get_default_graph().device("cpu:0"):
            return self._restore_v2(filename_tensor, [spec for saveable in saveables for spec in saveable.specs])
