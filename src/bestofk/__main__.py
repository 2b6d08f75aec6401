"""Let `python -m bestofk` be the command line."""

import sys

from bestofk.cli import main

if __name__ == "__main__":
    sys.exit(main())
