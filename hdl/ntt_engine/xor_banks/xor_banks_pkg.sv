// The schedule of the XOR-bank engine: which word is where, which pair is when, and which factor it takes.
//
// n = 2^k words, `units` = 2^(beta-1) butterflies, 2^beta banks of T = 2^tau words, tau = k - beta.
//
// Place. Index i is word i >> beta of bank x, bit j of x = parity of the bits m = j (mod beta) of i.
//
// Passes. All are in place, on the pairs of indices i and i + 2^p.
//   RingPower, Z[x]/(x^n + 1) or (x^n - 1). Forward, p = k-1 down to 0: (u + v w, u - v w), the remainders modulo
//     x^(2^p) - w and x^(2^p) + w of one modulo x^(2^(p+1)) - w^2; w depends on i >> (p+1). Inverse, p = 0 up to k-1:
//     (u + v, (u - v) w); the last pass scales by 1/n and takes two cycles a slot, (u + v) w, then (u - v) w'.
//   RingFermat, Z[x]/Phi_d, d the product of the Fermat primes 2^L + 1 for the powers of two L that add up to k. The
//     index has a field of L bits for each, the greatest lowest. The transform of a dimension is a correlation
//     (Rader), and the Gauss sums of the ring are products of those of its dimensions, so each dimension is done by
//     itself: forward passes down its bits, (u + v, (u - v) w); its lowest bit, where forward and inverse pass have
//     factor 1, together with the table, two cycles a slot: X = (u + v) S, Y = (u - v) S', X + Y and X - Y; inverse
//     passes up its bits, (u + v w, u - v w). Both directions make the same passes with other constants.
//
// Time. In a pass on bit p the banks tell apart one index bit of each class mod beta: p, and in the other classes the
// lowest bit that the factor does not depend on. For RingFermat these lie outside the dimension, so all units
// take the same factor in a cycle: one memory and one word for all. Where a class has no such bit (too many units for
// that), it is the lowest of the class; then each unit has a memory with the same words, and an address of its own: for
// RingPower each unit has its own words.
// The other bits are those of the slot's number, in order. A word's address in bank x is its bits from beta on, where a
// bit told apart by the banks is the parity of the others of its class XOR bit j of x.
//
// Pairs. In class j = p mod beta, bank x meets bank x XOR 2^j: one of them has even parity, and unit u belongs to the
// u-th bank of even parity for ever. Its bank holds v where bit j of x XOR the parity of the slot's bits is 1.
//
// Latency. A word read at cycle t is at the array at t + BankLatency, its result is written at t + slot_latency and can
// be read one cycle later. Where a pass would read too early, `gap` idle cycles precede it.
//
// Constants of the host, times R of the butterfly, for each of Slots moduli. RingFermat: address 2 f + (1 for the inverse
// transform), f as table_base and root_base say. RingPower: address f * units + unit, f counting the cycles of the forward, then those of
// the inverse transform.

package xor_banks_pkg;
  import ringmill_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  typedef enum int unsigned {
    RingPower = 0,
    RingFermat = 1
  } ring_e;

  // What a pass does with a pair.
  typedef enum logic [1:0] {
    WorkDecimate = 2'd0,
    WorkCombine = 2'd1,
    WorkTable = 2'd2,
    WorkScale = 2'd3
  } work_e;

  // Widths that hold any engine's addresses of a bank and of the factors, and numbers of a class.
  localparam int unsigned AddressWidth = 12;
  localparam int unsigned FactorAddressWidth = 20;
  localparam int unsigned ClassWidth = 4;

  // Bits of a factor's address that may differ by unit: those of RingFermat's tables. The class of the others.
  localparam int unsigned TableAddressWidth = 11;
  localparam logic [ClassWidth-1:0] NoClass = '1;

  // Cycles of a bank and of the factors, from address to data: memory, output register.
  localparam int unsigned BankLatency = 2;

  // Cycles of xor_banks_sequencer from the start to the first slot; of xor_banks_memory from the host's read to its word.
  localparam int unsigned SequencerLatency = 3;
  localparam int unsigned HostLatency = BankLatency + 2;

  // The dimension of a pass, its first index bit and its number of bits; the bit of its pairs.
  typedef struct packed {
    int unsigned low;
    int unsigned length;
    int unsigned pair_bit;
    work_e work;
  } pass_t;

  // One slot, at the cycle in which the banks are read.
  typedef struct packed {
    logic valid;
    logic first;  // pass: it reads the source
    logic last;  // slot
    logic [1:0][AddressWidth-1:0] address;  // of the bits of banks whose bit is 0, and 1
    logic [FactorAddressWidth-1:0] factor;  // of a unit whose bank has bits 0
    logic [TableAddressWidth-1:0][ClassWidth-1:0] factor_class;  // the bit of a unit's bank that inverts a bit of it
    logic [ClassWidth-1:0] pair_class;
    logic parity;  // of the slot's bits of this class
    butterfly_e operation;
    logic write_upper;
    logic write_lower;
    logic product_upper;  // the product is u's
  } issue_t;

  // beta: index bits that the banks tell apart.
  function automatic int unsigned bank_bits(int unsigned units);
    return $clog2(units) + 1;
  endfunction

  // tau: bits of a bank's address, and of the number of a slot.
  function automatic int unsigned slot_bits(int unsigned n, int unsigned units);
    return $clog2(n) - bank_bits(units);
  endfunction

  // Bank of unit u: the u-th of even parity.
  function automatic int unsigned own_bank(int unsigned unit);
    return 2 * unit + $countones(unit) % 2;
  endfunction

  // Cycles of the array: selection of operands, butterfly, selection of results.
  function automatic int unsigned array_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return butterfly_latency(width, word, pipeline) + 2;
  endfunction

  // Cycles from the read of a word to the write of its result.
  function automatic int unsigned slot_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return BankLatency + array_latency(width, word, pipeline);
  endfunction

  // Passes of a transform.
  function automatic int unsigned pass_count(int unsigned n, ring_e ring);
    return ring == RingFermat ? 2 * $clog2(n) - $countones($clog2(n)) : $clog2(n);
  endfunction

  function automatic pass_t pass_of(int unsigned n, ring_e ring, bit inverse, int unsigned step);
    pass_t pass;
    int unsigned rest;
    int unsigned bits;
    bits = $clog2(n);
    pass.low = 0;
    pass.length = bits;
    pass.pair_bit = inverse ? step : bits - 1 - step;
    pass.work = !inverse ? WorkCombine : step == bits - 1 ? WorkScale : WorkDecimate;
    if (ring == RingPower) return pass;
    rest = step;
    pass.length = 16;
    while ((bits & pass.length) == 0 || rest >= 2 * pass.length - 1) begin
      if ((bits & pass.length) != 0) begin
        rest = rest - (2 * pass.length - 1);
        pass.low = pass.low + pass.length;
      end
      pass.length = pass.length / 2;
    end
    pass.pair_bit = pass.low + (rest < pass.length ? pass.length - 1 - rest : rest - (pass.length - 1));
    if (rest + 1 == pass.length) pass.work = WorkTable;
    else pass.work = rest < pass.length ? WorkDecimate : WorkCombine;
    return pass;
  endfunction

  // Cycles of a slot.
  function automatic int unsigned slot_cycles(work_e work);
    return work == WorkTable || work == WorkScale ? 2 : 1;
  endfunction

  // The lowest index bit of a class that factors do not depend on, or the pair's; n's bits if there is none.
  function automatic int unsigned shared_bit(int unsigned n, int unsigned units, ring_e ring, pass_t pass,
                                             int unsigned of_class);
    int unsigned m;
    logic unused;
    unused = ^pass;
    if (pass.pair_bit % bank_bits(units) == of_class) return pass.pair_bit;
    m = of_class;
    while (ring == RingFermat && m >= pass.low && m < pass.low + pass.length) m = m + bank_bits(units);
    return m < $clog2(n) ? m : $clog2(n);
  endfunction

  // The index bit of a class that the banks tell apart.
  function automatic int unsigned space_bit(int unsigned n, int unsigned units, ring_e ring, pass_t pass,
                                            int unsigned of_class);
    int unsigned m;
    m = shared_bit(n, units, ring, pass, of_class);
    return m < $clog2(n) ? m : of_class;
  endfunction

  function automatic bit is_space(int unsigned n, int unsigned units, ring_e ring, pass_t pass, int unsigned m);
    return space_bit(n, units, ring, pass, m % bank_bits(units)) == m;
  endfunction

  // Whether the banks can tell apart enough bits that factors do not depend on, so that all units take the same one.
  function automatic bit is_shareable(int unsigned n, int unsigned units, ring_e ring);
    for (int unsigned step = 0; step < pass_count(n, ring); step++) begin
      for (int unsigned j = 0; j < bank_bits(units); j++) begin
        if (shared_bit(n, units, ring, pass_of(n, ring, 1'b0, step), j) == $clog2(n)) return 1'b0;
      end
    end
    return 1'b1;
  endfunction

  // The bit of the slot's number that is bit m of the index.
  function automatic int unsigned time_bit(int unsigned n, int unsigned units, ring_e ring, pass_t pass,
                                           int unsigned m);
    int unsigned count;
    count = 0;
    for (int unsigned i = 0; i < m; i++) begin
      if (!is_space(n, units, ring, pass, i)) count = count + 1;
    end
    return count;
  endfunction

  // Idle cycles between two passes. A word is written r (c + 1) - 1 + latency cycles after the first pass begins, r its
  // cycles a slot and c the slot, and read s d cycles after the second one. s d - r c is least where each of the first
  // pass's time bits is 1 if it counts more there than in the second.
  function automatic int unsigned pass_gap(int unsigned n, int unsigned units, ring_e ring, pass_t from, pass_t to,
                                           int unsigned latency);
    int unsigned late;
    int unsigned written;
    int unsigned read;
    late = 0;
    for (int unsigned m = 0; m < $clog2(n); m++) begin
      if (!is_space(n, units, ring, from, m)) begin
        written = slot_cycles(from.work) << time_bit(n, units, ring, from, m);
        read = is_space(n, units, ring, to, m) ? 0 : slot_cycles(to.work) << time_bit(n, units, ring, to, m);
        late = late + (written > read ? written - read : 0);
      end
    end
    late = late + latency + slot_cycles(from.work);
    written = slot_cycles(from.work) << slot_bits(n, units);
    return late > written ? late - written : 0;
  endfunction

  // Idle cycles after a step.
  function automatic int unsigned step_gap(int unsigned n, int unsigned units, ring_e ring, bit inverse,
                                           int unsigned step, int unsigned latency);
    if (step + 1 >= pass_count(n, ring)) return 0;
    return pass_gap(n, units, ring, pass_of(n, ring, inverse, step), pass_of(n, ring, inverse, step + 1), latency);
  endfunction

  // Cycles in which slots are read, of both directions.
  function automatic int unsigned read_cycles(int unsigned n, int unsigned units, ring_e ring, bit inverse);
    return (ring == RingFermat ? 2 * $clog2(n) : $clog2(n) + 32'(inverse)) << slot_bits(n, units);
  endfunction

  // Cycles of a transform, from its first read to its last write, both included.
  function automatic int unsigned transform_cycles(int unsigned n, int unsigned units, ring_e ring, bit inverse,
                                                   int unsigned latency);
    int unsigned cycles;
    cycles = read_cycles(n, units, ring, inverse) + latency;
    for (int unsigned step = 0; step < pass_count(n, ring); step++) begin
      cycles = cycles + step_gap(n, units, ring, inverse, step, latency);
    end
    return cycles;
  endfunction

  // Fermat rings: the table of a dimension, 2^L words in bit-reversed order of frequencies, and the first half of the
  // powers of its root, 2^(L-1) words in order; dimensions in the order of their passes.
  function automatic int unsigned table_base(int unsigned low, int unsigned length);
    int unsigned base;
    base = 0;
    for (int unsigned other = 16; other > length; other = other / 2) begin
      if ((low & other) != 0) base = base + (3 << (other - 1));
    end
    return base;
  endfunction

  function automatic int unsigned root_base(int unsigned low, int unsigned length);
    return table_base(low, length) + (1 << length);
  endfunction

  // Factors of a memory, both directions.
  function automatic int unsigned factor_count(int unsigned n, int unsigned units, ring_e ring);
    int unsigned count;
    if (ring == RingPower) return read_cycles(n, units, ring, 1'b0) + read_cycles(n, units, ring, 1'b1);
    count = 0;
    for (int unsigned length = 16; length > 0; length = length / 2) begin
      if (($clog2(n) & length) != 0) count = count + (3 << (length - 1));
    end
    return 2 * count;
  endfunction

  // Memories of factors.
  function automatic int unsigned factor_memories(int unsigned n, int unsigned units, ring_e ring);
    return ring == RingFermat && is_shareable(n, units, ring) ? 1 : units;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
