"""`TensorHandle`: what a run gives for the handle of a tensor that its session keeps.

Source: tensorflow/python/ops/session_ops.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.resources import DEFAULT_CONTAINER
from icefloe.resources.session_tensor import SessionTensor


class TensorHandle:
    """What a run gives for a handle: a tensor that `session` keeps until nobody has the handle, or it is deleted.

    It can be fed in place of the tensor's value.
    """

    def __init__(self, handle: Any, dtype: datatypes.DType, session: Any) -> None:
        self._handle = handle.decode(errors="surrogateescape") if isinstance(handle, bytes) else str(handle)
        self._dtype = dtype
        self._session = session
        self._is_owner = True

    def __str__(self) -> str:
        return self._handle

    def __del__(self) -> None:
        if self._is_owner:
            with contextlib.suppress(errors.NotFoundError):
                self._session._manager.delete(DEFAULT_CONTAINER, self._handle, SessionTensor)

    @property
    def handle(self) -> str:
        """The handle as text: `<node>;<number>;<device>`."""
        return self._handle

    @property
    def dtype(self) -> datatypes.DType:
        """The dtype of the tensor."""
        return self._dtype

    def to_numpy_array(self) -> Any:
        """Return the value, not to be written to. Raises: InvalidArgumentError if it was deleted."""
        try:
            return self._session._manager.lookup(DEFAULT_CONTAINER, self._handle, SessionTensor).value
        except errors.NotFoundError:
            raise errors.InvalidArgumentError(
                f"The tensor with handle '{self._handle}' is not in the session store."
            ) from None

    def _check(self) -> None:
        if not self._is_owner:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def eval(self) -> Any:
        """Return the value as a run gives it. Raises: TypeError if it may have been deleted."""
        self._check()
        value = self.to_numpy_array()
        if isinstance(value, np.ndarray):
            return value.copy() if value.ndim else value[()]
        return value

    def delete(self) -> None:
        """Delete the tensor. Raises: TypeError if it may have been deleted."""
        self._check()
        self._is_owner = False
        self._session._manager.delete(DEFAULT_CONTAINER, self._handle, SessionTensor)

    def get_raw_handle(self) -> str:
        """Return the handle as text; the tensor is kept until it is deleted by that."""
        self._is_owner = False
        return self._handle
