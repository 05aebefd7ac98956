"""Progress and notes of jobs, as Python shows them."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._optional import need
from .errors import MissingPackageError

logger = logging.getLogger("ringmill")

#: Seconds before a stage has a bar.
PATIENCE = 0.5


@dataclass(frozen=True)
class Progress:
    """How far a stage of a job is."""

    #: Its name: "planning", "making keys", "encrypting", "evaluating", "decrypting" and others.
    stage: str
    #: Batches that are done, and all of them if that is known; it may be an estimate until the last one is read.
    done: int = 0
    batches: int | None = None
    #: How much of the next batch is done, of 1.
    fraction: float = 0.0
    #: Whether the stage has ended.
    ended: bool = False

    @property
    def total(self) -> float | None:
        """How much of the stage is done, of 1, if that is known."""
        if self.ended:
            return 1.0
        return None if self.batches is None else min((self.done + self.fraction) / max(self.batches, 1), 1.0)


#: What shows progress: a function of :class:`Progress`, ``True`` for a bar, ``False`` for nothing, ``None`` for a bar in
#: terminals and notebooks if tqdm is installed.
Shown = Callable[[Progress], Any] | bool | None


class Reporter:
    """What shows the progress of a job and of its parties."""

    def __init__(self, shown: Shown = None):
        self.shown = shown

    def handler(self) -> Handler:
        """What a call is watched by."""
        return Handler(self.shown)


class Handler:
    """What the library calls while a call of it goes on, in the thread that waits for it."""

    def __init__(self, shown: Shown):
        self._shown = shown
        self._bar: Any = None

    def begin(self, stage: str) -> None:
        self._tell(Progress(stage))
        self._close()
        tqdm = self._tqdm()
        if tqdm is not None:
            form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
            self._bar = tqdm(total=1.0, desc=stage, leave=False, delay=PATIENCE, bar_format=form)

    def progress(self, stage: str, done: int, batches: int | None, fraction: float) -> None:
        progress = Progress(stage, done, batches, fraction)
        self._tell(progress)
        if self._bar is not None and progress.total is not None:
            self._bar.update(progress.total - self._bar.n)

    def end(self, stage: str) -> None:
        self._close()
        self._tell(Progress(stage, ended=True))

    def note(self, text: str) -> None:
        # The library says only what the user should know.
        logger.warning(text.removeprefix("warning: ").removeprefix("note: "))

    def _tell(self, progress: Progress) -> None:
        if callable(self._shown):
            self._shown(progress)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _tqdm(self) -> Any:
        # A process without a console has no place for a bar.
        if sys.stderr is None:
            return None
        if self._shown is True:
            return _tqdm()
        if self._shown is None and _is_watched():
            try:
                return _tqdm()
            except MissingPackageError:
                return None
        return None


def _tqdm() -> Any:
    with warnings.catch_warnings():
        # In notebooks without widgets its bars are text, of which it warns.
        warnings.simplefilter("ignore")
        return need("tqdm.auto", "a bar").tqdm


def _is_watched() -> bool:
    """Whether a person sees what is shown: in a terminal or a notebook."""
    interpreter = sys.modules.get("IPython")
    shell = interpreter.get_ipython() if interpreter else None
    return sys.stderr.isatty() or type(shell).__name__ == "ZMQInteractiveShell"
