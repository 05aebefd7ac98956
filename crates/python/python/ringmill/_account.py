"""What an evaluation cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._html import duration, html_table, size


@dataclass(frozen=True)
class Account:
    """The cost of an evaluation."""

    batches: int
    seconds: float
    #: For each kind of operation how many there were, and their seconds, added over threads.
    work: dict[str, tuple[int, float]] = field(default_factory=dict)
    #: The most resident memory, in bytes, if the system tells.
    peak_memory: int | None = None

    def __str__(self) -> str:
        memory = "" if self.peak_memory is None else f", {size(self.peak_memory)} of memory"
        return f"{self.batches} batches in {duration(self.seconds)}{memory}"

    def _repr_html_(self) -> str:
        done = [(name, count, duration(seconds)) for name, (count, seconds) in self.work.items() if count]
        return html_table(("operation", "number", "time over all threads"), done, str(self))
