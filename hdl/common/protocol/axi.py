"""Rules of AXI4 for a master's channels (AMBA AXI and ACE Protocol Specification, IHI 0022, A3.1 to A3.4)."""

import random

from cocotb.triggers import Timer

BOUNDARY = 4096
INCREMENTING = 1


class Channel:
    """A channel that the master drives: what is offered stays as it is until it is taken (A3.2.1)."""

    def __init__(self, dut, prefix, fields):
        self.name = prefix
        self.valid = getattr(dut, f"axi_{prefix}valid_o")
        self.ready = getattr(dut, f"axi_{prefix}ready_i")
        self.fields = {field: getattr(dut, f"axi_{prefix}{field}_o") for field in fields}
        self.held = None
        self.taken = []

    def sample(self):
        """Checks this cycle, and keeps what is taken in it."""
        offered = {name: int(signal.value) for name, signal in self.fields.items()} if self.valid.value else None
        if self.held is not None:
            assert offered == self.held, f"{self.name} changes before it is taken: {self.held}, then {offered}"
        taken = offered is not None and self.ready.value
        self.held = None if taken else offered
        if taken:
            self.taken.append(offered)


class Address(Channel):
    """An address channel: bursts go up, do not cross 4 KiB, and are as long as they may be (A3.4.1)."""

    def __init__(self, dut, prefix, beat_bytes, most_beats):
        super().__init__(dut, prefix, ("addr", "len", "size", "burst"))
        self.beat_bytes, self.most_beats = beat_bytes, most_beats

    def sample(self):
        before = len(self.taken)
        super().sample()
        for burst in self.taken[before:]:
            beats = burst["len"] + 1
            assert burst["burst"] == INCREMENTING and 1 << burst["size"] == self.beat_bytes, f"kind of {burst}"
            assert beats <= self.most_beats, f"{beats} beats"
            end = burst["addr"] + beats * self.beat_bytes - 1
            assert burst["addr"] // BOUNDARY == end // BOUNDARY, f"{burst} crosses 4 KiB"


class Bus:
    """The clock, and what looks at the signals in each of its cycles, when they stand."""

    def __init__(self, dut, *channels):
        self.dut, self.channels = dut, channels
        self.observers = []

    async def step(self):
        await Timer(5, "ns")
        for channel in self.channels:
            channel.sample()
        for observer in self.observers:
            observer()
        self.dut.clk_i.value = 1
        await Timer(5, "ns")
        self.dut.clk_i.value = 0

    async def reset(self):
        """No VALID while reset is active and in the cycle behind it (A3.1.2)."""
        self.dut.clk_i.value = 0
        self.dut.rst_ni.value = 0
        for _ in range(3):
            await self.step_in_reset()
        self.dut.rst_ni.value = 1
        await Timer(1, "ns")
        for channel in self.channels:
            assert not channel.valid.value, f"{channel.name} is valid behind reset"

    async def step_in_reset(self):
        self.dut.clk_i.value = 1
        await Timer(5, "ns")
        for channel in self.channels:
            assert not channel.valid.value, f"{channel.name} is valid in reset"
        self.dut.clk_i.value = 0
        await Timer(5, "ns")


def chance(percent):
    return random.randrange(100) < percent


def random_requests(count, beat_bytes):
    """(address, beats) that begin anywhere and cross boundaries."""
    return [(random.randrange(1 << 16) * beat_bytes, random.choice((1, 2, random.randrange(1, 200))))
            for _ in range(count)]
