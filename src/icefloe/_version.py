"""Versions: of this distribution, read at build time, and of the API it follows."""

__version__ = "0.1.0"

# What `tensorflow_version` of a MetaGraphDef says, and scripts look at.
VERSION = "2.21.0"
GIT_VERSION = f"icefloe-{__version__}"
# No compiler is involved.
COMPILER_VERSION = ""
