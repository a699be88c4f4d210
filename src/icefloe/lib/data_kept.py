"""What datasets have to do with files and numbers of their own: saving, snapshots, fingerprints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor

if TYPE_CHECKING:
    from icefloe.lib.data_dataset import Dataset


class KeptInFiles:
    """The part of `tf.data.Dataset` that keeps elements in files, and tells pipelines from each other."""

    _variant_tensor: Any

    def _dataset(self) -> Dataset:
        from icefloe.lib.data_dataset import Dataset

        assert isinstance(self, Dataset)
        return self

    def save(
        self,
        path: str,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> Any:
        """Return the operation that writes the elements to a folder, and write now what they are like, for `load`.

        compression: None or "GZIP". shard_func: gives the shard of an element. checkpoint_args: not looked at.
        """
        from icefloe.lib.data_keeping import save

        del checkpoint_args
        return save(self._dataset(), path, compression, shard_func)

    @staticmethod
    def load(
        path: str,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """Return the elements in a folder that `save` wrote. reader_func: puts the shards, a dataset of such, together.

        Raises: NotFoundError if the folder does not say what they are like, and `element_spec` does not either.
        """
        from icefloe.lib.data_keeping import load

        del wait  # a graph is built once; there is no coming back later
        return load(path, element_spec, compression, reader_func)

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Return the elements; they are made once, written to a folder, and then read from there."""
        from icefloe.lib.data_keeping import snapshot

        return snapshot(self._dataset(), path, compression, reader_func, shard_func, name)

    def fingerprint(self) -> Tensor:
        """Return a number, uint64, that is the same for the same pipeline; others than TensorFlow's."""
        found: Tensor = apply_op("DatasetFingerprint", self._variant_tensor)
        return found

    def as_numpy_iterator(self) -> Any:
        """Raise RuntimeError, as in TensorFlow's graphs: an iterator's elements are fetched by a session."""
        raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
