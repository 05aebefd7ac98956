"""Pictures of plans, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._optional import need

if TYPE_CHECKING:
    from ._job import Job

#: Operations that take no time of an evaluation, or show what is sent and not what is computed.
_IDLE = {"input"}


def plot(job: Job) -> Any:
    """Three pictures of a job's plan: the noise of values by depth, the time of operations, and the memory over the run."""
    pyplot = need("matplotlib.pyplot", "a picture")
    steps = job._native.steps()
    figure, (noise, time, memory) = pyplot.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    figure.suptitle(f"{job.name}: {job.report.depth} products deep, {job.report.n} coefficients")
    _noise(noise, steps)
    _time(time, steps, job.report.threads)
    _memory(memory, job._native.memory(), job.report.memory)
    return figure


def _noise(axes: Any, steps: list[tuple[str, int, int, float, float]]) -> None:
    depths = np.array([depth for _, depth, *_ in steps])
    noises = np.array([noise for *_, noise, _ in steps])
    axes.scatter(depths, noises, s=4, alpha=0.4, label="values")
    levels = np.unique(depths)
    axes.plot(levels, [noises[depths == depth].max() for depth in levels], label="the most")
    axes.axhline(-1, color="tab:red", linestyle="--", label="decryption fails")
    axes.set(title="noise", xlabel="products on the path", ylabel="log2 of the noise, of q")
    axes.legend(fontsize="small")


def _time(axes: Any, steps: list[tuple[str, int, int, float, float]], threads: int) -> None:
    seconds: dict[str, float] = {}
    for name, *_, cost in steps:
        if name not in _IDLE:
            seconds[name] = seconds.get(name, 0.0) + cost / threads
    names = sorted(seconds, key=lambda name: seconds[name])
    axes.barh(names, [seconds[name] for name in names])
    axes.set(title=f"time, {threads} threads", xlabel="seconds a batch, predicted")


def _memory(axes: Any, waves: list[int], peak: int) -> None:
    mebibytes = np.array(waves) / 2**20
    axes.step(np.arange(len(waves)), mebibytes, where="post")
    axes.axhline(peak / 2**20, color="tab:red", linestyle="--", label="the most")
    axes.set(title="memory", xlabel="waves of steps", ylabel="MiB, predicted", ylim=(0, None))
    axes.legend(fontsize="small")
