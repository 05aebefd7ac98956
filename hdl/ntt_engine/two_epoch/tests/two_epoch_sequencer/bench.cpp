// two_epoch_sequencer beside the timetable: every read, the write of its results, what the network does, idle cycles.

#include <map>
#include <vector>

#include "../timetable.h"
#include "bench.h"

namespace {

using namespace ringmill;

/// What is read in a cycle.
struct Slot {
  unsigned bit = 0, address = 0;
  bool second_epoch = false, exchange = false, last_pass = false, again = false;
  /// Enables of U and V.
  unsigned writes = 0;
};

std::map<unsigned, Slot> slots(const Timetable& timetable, unsigned tiles, bool transposer, bool inverse) {
  std::map<unsigned, Slot> result;
  bool second_epoch = false;
  for (const auto& step : timetable.steps()) {
    if (step.exchange) {
      second_epoch = true;
      for (unsigned pair = 0; pair < tiles / 2 && transposer; ++pair) {
        result[step.start + 2 * pair] = {0, 2 * pair, false, true, false, false, 0};
        result[step.start + 2 * pair + timetable.return_delay()] = {0, 2 * pair, true, false, false, false, 3};
      }
      continue;
    }
    const bool last = &step == &timetable.steps().back() && inverse;
    for (unsigned slot = 0; slot < tiles / 2; ++slot) {
      const unsigned address = slot >> step.bit << (step.bit + 1) | (slot & ((1U << step.bit) - 1));
      if (last) {
        result[step.start + 2 * slot] = {step.bit, address, true, false, true, false, 1};
        result[step.start + 2 * slot + 1] = {step.bit, address, true, false, true, true, 2};
      } else {
        result[step.start + slot] = {step.bit, address, second_epoch, false, false, false, 3};
      }
    }
  }
  return result;
}

/// What the network does in a cycle; of a step of the ring only what counts.
struct Transfer {
  bool load = false, hop = false, deposit = false, intra = false;
  unsigned distance = 0, packet = 0, step = 0;
};

std::map<unsigned, Transfer> transfers(const Timetable& timetable, unsigned tiles, bool transposer) {
  std::map<unsigned, Transfer> result;
  for (const auto& step : timetable.steps()) {
    if (!step.exchange) continue;
    unsigned now = step.start;
    for (unsigned c = 0; c < tiles && transposer; ++c) result[now + c] = {true, false, false, false, 0, 0, c};
    if (transposer) continue;
    const Clusters ring(tiles);
    for (unsigned i = 0; i < ring.packets; ++i) {
      result[now++] = {true, false, false, true, 0, i, 0};
      result[now++] = {false, false, true, true, 0, i, 0};
    }
    for (unsigned distance = 1; distance < ring.count; ++distance) {
      for (unsigned packet = 0; packet < ring.packets; ++packet) {
        result[now++] = {true, false, false, false, distance, packet, 0};
        for (unsigned hop = 0; hop < distance; ++hop) result[now++] = {false, true, false, false, distance, packet, 0};
        for (unsigned from = 0; from < ring.packets; ++from) {
          result[now++] = {false, false, true, false, distance, packet, from};
        }
      }
    }
  }
  return result;
}

template <class Model>
void check_transfer(Bench<Model>& bench, std::uint64_t actual, const Transfer& expected, bool transposer, bool buffer) {
  bench.expect_equal(actual >> 34 & 1, expected.load, "load");
  bench.expect_equal(actual >> 32 & 1, expected.deposit, "deposit");
  if (!transposer) bench.expect_equal(actual >> 33 & 1, expected.hop, "hop");
  if (!expected.load && !expected.deposit) return;
  bench.expect_equal(actual >> 30 & 1, buffer, "buffer of the words");
  if (transposer || (expected.deposit && !expected.intra)) bench.expect_equal(actual & 1023, expected.step, "step");
  if (transposer) return;
  bench.expect_equal(actual >> 31 & 1, expected.intra, "whether inside clusters");
  bench.expect_equal(actual >> 20 & 1023, expected.distance, "distance");
  bench.expect_equal(actual >> 10 & 1023, expected.packet, "packet");
}

template <class Model>
void check_read(Bench<Model>& bench, const Slot& slot, unsigned tiles, bool inverse, bool buffer) {
  const unsigned parity = __builtin_popcount(slot.address) % 2, other = slot.address | 1U << slot.bit;
  const unsigned even = parity ? other : slot.address, odd = parity ? slot.address : other;
  bench.expect_equal(bench->read_even_o, even / 2, "address of the even bank");
  bench.expect_equal(bench->read_odd_o, odd / 2, "address of the odd bank");
  bench.expect_equal(bench->read_parity_o, parity, "bank of the lower address");
  bench.expect_equal(bench->read_mask_o, 1U << slot.bit, "bit of the pass");
  bench.expect_equal(bench->read_buffer_o, buffer, "buffer that is read");
  bench.expect_equal(bench->exchange_o, slot.exchange, "whether results are for the network");
  // 0 Decimate, 1 Combine, 2 ScaleSum.
  bench.expect_equal(bench->operation_o, !inverse ? 1 : slot.last_pass && !slot.again ? 2 : 0, "operation");
  const bool high = slot.second_epoch == inverse;
  const unsigned kept = high ? ~0U << (slot.bit + 1) & 1023 : (1U << slot.bit) - 1;
  const bool scale = slot.last_pass && !slot.again;
  const unsigned entry = scale ? 0 : (slot.address & kept) + (1U << slot.bit);
  bench.expect_equal(bench->factor_o, (high ? 0 : 2 * tiles) + (inverse ? tiles : 0) + entry, "factor");
  bench.expect_equal(bench->read_keep_o, scale ? 0 : kept, "bits that choose the factor");
}

template <class Model>
void check_write(Bench<Model>& bench, const Slot& slot, bool buffer) {
  bench.expect_equal(bench->enable_o, slot.writes, "writes");
  if (slot.writes == 0) return;
  const unsigned parity = __builtin_popcount(slot.address) % 2, other = slot.address | 1U << slot.bit;
  bench.expect_equal(bench->write_even_o, (parity ? other : slot.address) / 2, "address written in the even bank");
  bench.expect_equal(bench->write_odd_o, (parity ? slot.address : other) / 2, "address written in the odd bank");
  bench.expect_equal(bench->write_parity_o, parity, "bank of the lower address, written");
  bench.expect_equal(bench->write_mask_o, 1U << slot.bit, "bit of the pass, written");
  bench.expect_equal(bench->scaled_o, slot.last_pass, "whether both are products");
  bench.expect_equal(bench->write_buffer_o, buffer, "buffer that is written");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const auto unit = static_cast<unsigned>(bench.parameter("UnitLatency"));
  const bool transposer = bench.parameter("Network") != 0;
  const Timetable timetable(tiles, transposer, unit);
  const auto moves = transfers(timetable, tiles, transposer);
  bench->start_i = 0;
  bench.reset();
  for (unsigned run = 0; run < 4; ++run) {
    const bool inverse = run % 2, source = run / 2, destination = transposer ? bench.random.chance(50) : !source;
    const auto reads = slots(timetable, tiles, transposer, inverse);
    bench->start_i = 1;
    bench->inverse_i = inverse;
    bench->source_i = source;
    bench->destination_i = destination;
    bench.step();
    bench->start_i = 0;
    bench->inverse_i = bench.random.chance(50);
    const unsigned cycles = timetable.cycles(inverse), delay = unit + 3;
    for (unsigned now = 0; now < cycles + 5; ++now) {
      bench.expect_equal(bench->active_o, now < cycles, "active");
      bench.step();
      const auto read = reads.find(now);
      if (read != reads.end()) {
        check_read(bench, read->second, tiles, inverse, read->second.second_epoch ? destination : source);
      }
      const auto issue = moves.find(now);
      check_transfer(bench, bench->issue_o, issue == moves.end() ? Transfer{} : issue->second, transposer, destination);
      if (now < delay) continue;
      const auto write = reads.find(now - delay);
      if (write == reads.end()) bench.expect_equal(bench->enable_o, 0, "writes in an idle cycle");
      else check_write(bench, write->second, write->second.second_epoch ? destination : source);
      const auto move = moves.find(now - delay);
      const Transfer transfer = move == moves.end() ? Transfer{} : move->second;
      check_transfer(bench, bench->transfer_o, transfer, transposer, destination);
    }
  }
}
