"""The command line of ringmill: ``python -m ringmill``."""

import sys

from ._ringmill import main


def run() -> None:
    """Runs it with the arguments of this process."""
    sys.exit(main(["ringmill", *sys.argv[1:]]))


if __name__ == "__main__":
    run()
