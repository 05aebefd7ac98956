"""axi_read_master keeps the rules of AR and R, and delivers what its requests ask for."""

from collections import deque

import cocotb

from axi import Address, Bus, chance, random_requests

SLAVE_ERROR = 2


async def prepare(dut):
    """The bus behind reset; beats have as many bytes as the data port."""
    beat_bytes = len(dut.data_o) // 8
    addresses = Address(dut, "ar", beat_bytes, dut.BurstBeats.value.to_unsigned())
    bus = Bus(dut, addresses)
    dut.request_valid_i.value = dut.data_ready_i.value = 0
    dut.axi_arready_i.value = dut.axi_rvalid_i.value = 0
    await bus.reset()
    return bus, addresses, beat_bytes


@cocotb.test()
async def arvalid_does_not_wait_for_arready(dut):
    bus, _, beat_bytes = await prepare(dut)
    dut.request_valid_i.value = 1
    dut.request_address_i.value, dut.request_beats_i.value = 7 * beat_bytes, 3
    await bus.step()
    dut.request_valid_i.value = 0
    for _ in range(4):
        await bus.step()
    assert dut.axi_arvalid_o.value, "ARVALID waits for ARREADY"
    for _ in range(20):
        await bus.step()


class Slave:
    """Answers bursts in order, with pauses; every beat's data is its address, and some beats fail."""

    def __init__(self, dut, addresses, beat_bytes, percent):
        self.dut, self.addresses, self.beat_bytes, self.percent = dut, addresses, beat_bytes, percent
        self.beats = deque()
        self.accepted = 0
        self.offered = False

    def drive(self):
        for burst in self.addresses.taken[self.accepted:]:
            count = burst["len"] + 1
            self.beats.extend((burst["addr"] + i * self.beat_bytes, i + 1 == count) for i in range(count))
        self.accepted = len(self.addresses.taken)
        self.offered = self.offered or bool(self.beats) and chance(self.percent)
        self.dut.axi_arready_i.value = chance(self.percent)
        self.dut.axi_rvalid_i.value = self.offered
        if self.offered:
            address, last = self.beats[0]
            self.dut.axi_rdata_i.value, self.dut.axi_rlast_i.value = address, last
            self.dut.axi_rresp_i.value = SLAVE_ERROR if fails(address, self.beat_bytes) else 0

    def observe(self):
        if self.offered and self.dut.axi_rready_o.value:
            self.beats.popleft()
            self.offered = False


def fails(address, beat_bytes):
    return address // beat_bytes % 7 == 3


@cocotb.test()
@cocotb.parametrize(percent=[100, 60, 20])
async def requests_get_their_beats_in_order(dut, percent):
    bus, addresses, beat_bytes = await prepare(dut)
    slave = Slave(dut, addresses, beat_bytes, percent)
    requests = random_requests(12, beat_bytes)
    expected = [(address + i * beat_bytes, index % 2, i + 1 == beats, fails(address + i * beat_bytes, beat_bytes))
                for index, (address, beats) in enumerate(requests) for i in range(beats)]
    received = []

    def observe():
        if dut.data_valid_o.value and dut.data_ready_i.value:
            received.append((int(dut.data_o.value), int(dut.data_tag_o.value), bool(dut.data_last_o.value),
                             bool(dut.data_error_o.value)))

    bus.observers = [slave.observe, observe]
    asked = 0
    for _ in range(20000):
        if len(received) == len(expected):
            break
        dut.request_valid_i.value = asked < len(requests)
        if asked < len(requests):
            dut.request_address_i.value, dut.request_beats_i.value = requests[asked]
            dut.request_tag_i.value = asked % 2
            asked += bool(dut.request_ready_o.value)
        dut.data_ready_i.value = chance(percent)
        slave.drive()
        await bus.step()
    assert received == expected
