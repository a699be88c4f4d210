"""`python -m icefloe.exec SCRIPT.py [ARGS...]`: what `icefloe exec` does."""

import sys

from icefloe import exec_script

if __name__ == "__main__":
    sys.exit(exec_script(sys.argv[1:]))
