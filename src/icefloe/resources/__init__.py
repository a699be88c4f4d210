"""State that outlives a run: variables, and what else a session owns. numpy and threading only, no graph."""

from icefloe.resources.manager import DEFAULT_CONTAINER as DEFAULT_CONTAINER
from icefloe.resources.manager import ResourceManager as ResourceManager
from icefloe.resources.variable import ResourceVariable as ResourceVariable
from icefloe.resources.variable import Variable as Variable
