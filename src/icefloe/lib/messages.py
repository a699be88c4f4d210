"""Messages to the logger named `tensorflow`, whose verbosity programs set under that name."""

from __future__ import annotations

import logging
import sys
import threading
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

__all__ = ["DEBUG", "ERROR", "FATAL", "INFO", "WARN"]

_lock = threading.Lock()
_known: list[logging.Logger] = []
_counts: dict[tuple[str, int], int] = {}


def get_logger() -> logging.Logger:
    """Return the logger; it prints to stderr unless the program has given the root logger handlers."""
    with _lock:
        if not _known:
            logger = logging.getLogger("tensorflow")
            if not logging.getLogger().handlers and not logger.handlers:
                handler = logging.StreamHandler(sys.stderr)
                handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
                logger.addHandler(handler)
            _known.append(logger)
        return _known[0]


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log `msg % args` at a level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at DEBUG."""
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at ERROR."""
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at FATAL."""
    get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at INFO."""
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at WARN."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at WARN."""
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log at a level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Log at ERROR."""
    get_logger().error(msg, stacklevel=2)


def flush() -> None:
    """Raise NotImplementedError, as TensorFlow does."""
    raise NotImplementedError


def _count() -> int:
    """Return how often the caller's caller has been here before."""
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    with _lock:
        _counts[place] = _counts.get(place, -1) + 1
        return _counts[place]


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log at the first of every `n` times this line of the program comes here."""
    if _count() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log the first `n` times this line of the program comes here."""
    if _count() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Log if `condition` holds."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def get_verbosity() -> int:
    """Return the level below which nothing is printed."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Set the level below which nothing is printed."""
    get_logger().setLevel(v)
