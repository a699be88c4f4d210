"""The directory of a SavedModel that is written as a whole: it is there complete, or as it was before.

It is filled under another name beside its place, and takes that by a rename. What a SavedModel does not know in a
directory that is replaced, such as `assets.extra`, is kept.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator

from icefloe import errors
from icefloe.checkpoint import files
from icefloe.saved_models import constants

_OWN = frozenset(
    (
        constants.SAVED_MODEL_FILENAME_PB,
        constants.SAVED_MODEL_FILENAME_PBTXT,
        constants.SAVED_MODEL_FILENAME_CPB,
        constants.FINGERPRINT_FILENAME,
        constants.VARIABLES_DIRECTORY,
        constants.ASSETS_DIRECTORY,
        constants.DEBUG_DIRECTORY,
    )
)


@contextlib.contextmanager
def new_directory(path: str) -> Iterator[str]:
    """Give a directory to fill in a `with` block; when the block is left it takes the place of `path`.

    After an exception it is gone, and `path` as it was.

    Raises: UnimplementedError for a URL; AlreadyExistsError if `path` is a file; what the file system says.
    """
    if files.is_url(path):
        raise errors.UnimplementedError(f"saving objects to a URL: {path}")
    path = os.path.abspath(path)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise errors.AlreadyExistsError(f"{path} is a file, not a directory", path=path)
    parent, name = os.path.split(path)
    files.make_directory(parent)
    filling = os.path.join(parent, f".{name}.{secrets.token_hex(4)}.tmp")
    try:
        os.mkdir(filling)
        yield filling
        _place(filling, path)
    except OSError as error:
        if isinstance(error, errors.OpError):
            raise
        raise files.os_error(error, error.filename or path) from None
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def _place(filling: str, path: str) -> None:
    if not os.path.isdir(path):
        os.rename(filling, path)
        return
    target = os.path.realpath(path)  # a link stays a link
    shutil.copymode(target, filling)
    old = f"{filling}.old"
    os.rename(target, old)
    try:
        os.rename(filling, target)
    except BaseException:
        os.rename(old, target)
        raise
    for name in os.listdir(old):
        if name not in _OWN and not os.path.lexists(os.path.join(target, name)):
            os.rename(os.path.join(old, name), os.path.join(target, name))
    shutil.rmtree(old, ignore_errors=True)
