# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.messages import DEBUG as DEBUG
from icefloe.lib.messages import ERROR as ERROR
from icefloe.lib.messages import FATAL as FATAL
from icefloe.lib.messages import INFO as INFO
from icefloe.lib.messages import TaskLevelStatusMessage as TaskLevelStatusMessage
from icefloe.lib.messages import WARN as WARN
from icefloe.lib.messages import debug as debug
from icefloe.lib.messages import error as error
from icefloe.lib.messages import fatal as fatal
from icefloe.lib.messages import flush as flush
from icefloe.lib.messages import get_verbosity as get_verbosity
from icefloe.lib.messages import info as info
from icefloe.lib.messages import log as log
from icefloe.lib.messages import log_every_n as log_every_n
from icefloe.lib.messages import log_first_n as log_first_n
from icefloe.lib.messages import log_if as log_if
from icefloe.lib.messages import set_verbosity as set_verbosity
from icefloe.lib.messages import vlog as vlog
from icefloe.lib.messages import warn as warn
from icefloe.lib.messages import warning as warning


__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "TaskLevelStatusMessage",
    "WARN",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]
