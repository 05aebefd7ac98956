"""The command line of ringmill: ``python -m ringmill``."""

import signal
import sys

from ._ringmill import main


def run() -> None:
    """Runs it with the arguments of this process."""
    # The command line stops by itself on Ctrl-C, with an exit code of its own; Python's handler would raise after it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(["ringmill", *sys.argv[1:]]))


if __name__ == "__main__":
    run()
