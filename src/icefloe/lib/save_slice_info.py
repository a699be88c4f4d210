"""`SaveSliceInfo`: where a part of a partitioned variable lies in the whole, as checkpoints record it."""

from __future__ import annotations

from typing import Any, Self

from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.proto import SaveSliceInfoDef


class SaveSliceInfo:
    """Name and shape of the whole variable, offset and shape of one part."""

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            full_name = prepend_name_scope(save_slice_info_def.full_name, import_scope)
            full_shape = list(save_slice_info_def.full_shape)
            var_offset = list(save_slice_info_def.var_offset)
            var_shape = list(save_slice_info_def.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The text by which SaveV2 and RestoreV2 name it: sizes of the whole, then `offset,size` per axis, `10 20
        0,10:5,5`.
        """
        sizes = "".join(f"{size} " for size in self.full_shape)
        return sizes + ":".join(f"{offset},{size}" for offset, size in zip(self.var_offset, self.var_shape))

    @classmethod
    def from_spec(cls, spec: str) -> Self:
        """Return the slice that `spec` describes, without a name. Raises: ValueError if it is no such text."""
        if not spec:
            return cls()
        sizes, space, slices = spec.rpartition(" ")
        if not space:
            raise ValueError("Spec string must contain space-separated full_shape info.")
        full = [_integer(size, "full_shape must be a sequence of integers") for size in sizes.split()]
        offsets, shape = [], []
        for part in slices.split(":"):
            offset, comma, size = part.partition(",")
            if not comma:
                raise ValueError("Spec string must contain comma-separated pairs of offsets and shapes.")
            offsets.append(_integer(offset, "var_offset must be an integer"))
            shape.append(_integer(size, "var_shape must be an integer"))
        return cls(full_shape=full, var_offset=offsets, var_shape=shape)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return its SaveSliceInfoDef, the name without `export_scope`, or None if it lies outside that scope."""
        name = self.full_name or ""
        if export_scope is not None and not name.startswith(export_scope):
            return None
        return SaveSliceInfoDef(
            full_name=strip_name_scope(name, export_scope),
            full_shape=[int(size) for size in self.full_shape],
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


def _integer(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"Spec string {what}. Found '{text}', which is not an integer.") from None
