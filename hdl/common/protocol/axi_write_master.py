"""axi_write_master keeps the rules of AW, W and B, and writes what its requests ask for."""

from collections import deque

import cocotb

from axi import Address, Bus, Channel, chance, random_requests

SLAVE_ERROR = 2
# Bytes that fail together or not at all.
PAGE = 4096


async def prepare(dut):
    """The bus behind reset; beats have as many bytes as the data port."""
    beat_bytes = len(dut.data_i) // 8
    addresses = Address(dut, "aw", beat_bytes, dut.BurstBeats.value.to_unsigned())
    data = Channel(dut, "w", ("data", "strb", "last"))
    bus = Bus(dut, addresses, data)
    dut.request_valid_i.value = dut.data_valid_i.value = 0
    dut.axi_awready_i.value = dut.axi_wready_i.value = dut.axi_bvalid_i.value = 0
    await bus.reset()
    return bus, addresses, data, beat_bytes


@cocotb.test()
@cocotb.parametrize(ready=["neither", "awready", "wready"])
async def valids_wait_for_no_ready(dut, ready):
    """A slave may wait for AWVALID and WVALID before it is ready for either (A3.3.1)."""
    bus, addresses, data, beat_bytes = await prepare(dut)
    dut.axi_awready_i.value = ready == "awready"
    dut.axi_wready_i.value = ready == "wready"
    dut.request_valid_i.value = dut.data_valid_i.value = 1
    dut.request_address_i.value, dut.request_beats_i.value, dut.data_i.value = 7 * beat_bytes, 1, 5
    await bus.step()
    dut.request_valid_i.value = 0
    for _ in range(10):
        await bus.step()
    assert dut.axi_awvalid_o.value or addresses.taken, "AWVALID waits for a ready"
    assert dut.axi_wvalid_o.value or data.taken, "WVALID waits for a ready"
    assert (len(addresses.taken), len(data.taken)) == (ready == "awready", ready == "wready")


class Slave:
    """Takes addresses and data at any distance; answers a burst when both are there, and some with an error."""

    def __init__(self, dut, addresses, data, percent):
        self.dut, self.addresses, self.data, self.percent = dut, addresses, data, percent
        self.answered = 0
        self.offered = False

    def fails(self, burst):
        return self.addresses.taken[burst]["addr"] // PAGE % 5 == 2

    def drive(self):
        complete = min(len(self.addresses.taken), sum(beat["last"] for beat in self.data.taken))
        self.offered = self.offered or self.answered < complete and chance(self.percent)
        self.dut.axi_awready_i.value, self.dut.axi_wready_i.value = chance(self.percent), chance(self.percent)
        self.dut.axi_bvalid_i.value = self.offered
        if self.offered:
            self.dut.axi_bresp_i.value = SLAVE_ERROR if self.fails(self.answered) else 0

    def observe(self):
        if self.offered and self.dut.axi_bready_o.value:
            self.answered += 1
            self.offered = False


def request_fails(address, beats, beat_bytes):
    pages = range(address // PAGE, (address + beats * beat_bytes - 1) // PAGE + 1)
    return any(page % 5 == 2 for page in pages)


@cocotb.test()
@cocotb.parametrize(percent=[100, 60, 20])
async def requests_write_their_beats(dut, percent):
    bus, addresses, data, beat_bytes = await prepare(dut)
    slave = Slave(dut, addresses, data, percent)
    requests = random_requests(12, beat_bytes)
    words = deque(range(1, 1 + sum(beats for _, beats in requests)))
    done = []

    def observe():
        if dut.done_o.value:
            done.append(bool(dut.error_o.value))
        if dut.data_valid_i.value and dut.data_ready_o.value:
            words.popleft()

    bus.observers = [slave.observe, observe]
    asked = 0
    offered = taken = False
    for _ in range(20000):
        if len(done) == len(requests):
            break
        dut.request_valid_i.value = asked < len(requests)
        if asked < len(requests):
            dut.request_address_i.value, dut.request_beats_i.value = requests[asked]
            asked += bool(dut.request_ready_o.value)
        offered = bool(words) and (offered and not taken or chance(percent))
        dut.data_valid_i.value = offered
        if offered:
            dut.data_i.value = words[0]
        left = len(words)
        slave.drive()
        await bus.step()
        taken = len(words) < left
    assert done == [request_fails(address, beats, beat_bytes) for address, beats in requests]
    check_bursts(addresses.taken, data.taken, requests, beat_bytes)


def check_bursts(bursts, beats, requests, beat_bytes):
    """The bursts cover the requests in order, and the data is theirs, WLAST with the last beat of each."""
    expected = [address + i * beat_bytes for address, count in requests for i in range(count)]
    assert [burst["addr"] + i * beat_bytes for burst in bursts for i in range(burst["len"] + 1)] == expected
    lasts = [i == burst["len"] for burst in bursts for i in range(burst["len"] + 1)]
    assert [bool(beat["last"]) for beat in beats] == lasts
    assert [beat["data"] for beat in beats] == list(range(1, len(expected) + 1))
    assert all(beat["strb"] == (1 << beat_bytes) - 1 for beat in beats)
