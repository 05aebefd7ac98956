// The two-epoch engine: what its parts tell each other, and its schedule.
//
// Paper: the cached NTT on tiles ("parallel cached NTT", algorithms 1 to 4). N = T^2 words, T = 2^t tiles of T words.
//
// Place. Entry i, coefficient or value, is word i / T of tile brv_t(i mod T): natural order in, natural order out.
//
// Transforms. Both directions pair words that differ in bit t-1, ..., 1, 0 of their number, exchange word k of tile j
// for word j of tile k, and pair words in bit 0, 1, ..., t-1. Forward with (u + v w, u - v w), back with (u + v,
// (u - v) w); the last pass back takes two cycles a pair and multiplies both results by 1/N.
//
// Factors, by the bit b of the pass and the number k of the pair's word with bit b clear:
//   high (first epoch forward, second one back), the same in all tiles: entry (k without its bits below b) + 2^b,
//     omega^(brv(k >> (b+1)) N / 2^(t-b)), brv of t-1-b bits; entry 0 back: 1/N, and entry 2^(t-1) back times it;
//   low (the other epoch): entry (k mod 2^b) + 2^b, omega^(((k mod 2^b) T + brv_t(tile)) T / 2^(b+1)).
// Tables: high forward, high back, low forward, low back, T entries each, T-1 in use.
//
// Skew. Word k of tile j lies at k XOR j where the network is the transposer, at k where it is the ring. So tiles of
// the transposer all use the same addresses in the same cycle. Below, addresses are places, not numbers of words.
//
// Banks. A tile has two; address a is entry a / 2 of bank parity(a). A pair has one word in each.
//
// Exchange. Both passes on bit 0 are part of it where the network is the transposer: pairs go from the butterfly into
// the network every second cycle, and the same pairs come back `return_delay` cycles later for the first pass of
// the second epoch in the other cycles. The ring takes pairs from the butterfly and gives them to the memory.
//
// Latency. A word that is read by the command of cycle c can be read again by that of cycle c + access_latency.

package two_epoch_pkg;
  import ringmill_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // How words travel between epochs.
  typedef enum int unsigned {
    NetworkRing = 0,       // clusters of tiles on a ring (algorithms 3 and 4)
    NetworkTransposer = 1  // in cycle c tile j sends to tile j XOR c
  } network_e;

  // Widths that hold any machine's addresses of words and of factors.
  localparam int unsigned AddressWidth = 10;
  localparam int unsigned FactorAddressWidth = AddressWidth + 2;

  typedef logic [AddressWidth-1:0] address_t;

  // Cycles from a read command to the operands of the butterfly: command, memory, exchange of the two words.
  localparam int unsigned OperandLatency = 3;

  // Cycles from a butterfly's results to the end of their write: exchange and memory.
  localparam int unsigned ResultLatency = 2;

  // A pair of words to read. "U" is the word whose number has the pass's bit clear.
  typedef struct packed {
    butterfly_e operation;
    logic buffer;
    address_t [1:0] address;  // of each bank
    logic parity;  // the bank of the word at the lower address
    address_t mask;  // the pass's bit; 0 for the word at the lower address as U, whatever the skew
    address_t keep;  // bits of the number of U's word that choose the factor
    logic [FactorAddressWidth-1:0] factor;  // without the skew
    logic exchange;  // for the network: the ring has addresses of its own
  } read_t;

  typedef enum logic [1:0] {
    SourceResult = 2'd0,
    SourceNetwork = 2'd1,
    SourceHost = 2'd2
  } source_e;

  // A pair of words to write, when the butterfly's results or the network's words are there.
  typedef struct packed {
    logic [1:0] enable;  // U's word, V's word
    source_e source;
    logic scaled;  // both words are the butterfly's product
    logic buffer;
    address_t [1:0] address;
    logic parity;
    address_t mask;
  } write_t;

  // What the network does in a cycle.
  typedef struct packed {
    logic load;  // takes the tiles' pairs
    logic hop;  // ring: moves on by a cluster
    logic deposit;  // ring: gives pairs to the tiles
    logic intra;  // ring: within clusters (algorithm 3)
    logic buffer;  // of the tiles, where words go
    address_t distance;  // ring: clusters to go
    address_t packet;  // ring: which two tiles of a cluster the words are for; the iteration in algorithm 3
    address_t step;  // transposer: c; ring: which two tiles of a cluster the words are from
  } transfer_t;

  // Reads the pair of the address (its bit of the pass clear) in a pass of `high` or low factors.
  function automatic read_t read_pair(address_t address, address_t mask, logic high);
    read_t result;
    result = '0;
    result.parity = ^address;
    result.address[result.parity] = address >> 1;
    result.address[!result.parity] = (address | mask) >> 1;
    result.mask = mask;
    result.keep = high ? ~(mask | (mask - 1'b1)) : mask - 1'b1;
    result.factor = {2'b0, (address & result.keep) | mask};
    return result;
  endfunction

  // Writes a pair from the network: words at 2 * pair and 2 * pair + 1.
  function automatic write_t deposit_pair(logic valid, logic buffer, address_t pair);
    write_t result;
    result = '0;
    result.enable = {2{valid}};
    result.source = SourceNetwork;
    result.buffer = buffer;
    result.address = {2{pair}};
    result.parity = ^pair;
    return result;
  endfunction

  // Ring: tiles of a cluster, and pairs of them, which are packets too (the paper's T/2 and T/4 of the fourth root).
  function automatic int unsigned cluster_tiles(int unsigned tiles);
    return 1 << ($clog2(tiles) / 2 - 1);
  endfunction

  function automatic int unsigned cluster_pairs(int unsigned tiles);
    return cluster_tiles(tiles) / 2;
  endfunction

  function automatic int unsigned clusters(int unsigned tiles);
    return tiles / cluster_tiles(tiles);
  endfunction

  // Ring: a tile's cluster, and which two of its cluster's tiles it is of.
  function automatic address_t tile_cluster(int unsigned tiles, int unsigned tile);
    return address_t'(tile / cluster_tiles(tiles));
  endfunction

  function automatic address_t tile_pair(int unsigned tiles, int unsigned tile);
    return address_t'(tile % cluster_tiles(tiles) / 2);
  endfunction

  // Ring: the pair of words for or from the tiles 2 * group and 2 * group + 1 of a cluster.
  function automatic address_t cluster_words(int unsigned tiles, address_t cluster, address_t group);
    return (cluster & address_t'(clusters(tiles) - 1)) * address_t'(cluster_pairs(tiles)) + group;
  endfunction

  // Ring: what a tile reads; in the exchange it is what goes to another tile.
  function automatic read_t ring_read(int unsigned tiles, int unsigned tile, read_t read, transfer_t issue);
    read_t result;
    address_t pair;
    logic unused;
    unused = ^issue;
    pair = cluster_words(tiles, tile_cluster(tiles, tile) + issue.distance,
                         issue.packet ^ (issue.intra ? tile_pair(tiles, tile) : '0));
    result = read;
    if (read.exchange) begin
      result.address = {2{pair}};
      result.parity = ^pair;
      result.factor = read.factor | {2'b0, (pair << 1) & read.keep};
    end
    return result;
  endfunction

  // Ring: what a tile writes: what has come from another tile, if any has.
  function automatic write_t ring_write(int unsigned tiles, int unsigned tile, write_t write, transfer_t transfer);
    address_t group;
    address_t own;
    logic unused;
    unused = ^transfer;
    own = tile_pair(tiles, tile);
    group = transfer.intra ? transfer.packet ^ own : transfer.step;
    if (!transfer.deposit) return write;
    return deposit_pair(transfer.intra || transfer.packet == own, transfer.buffer,
                        cluster_words(tiles, tile_cluster(tiles, tile) - transfer.distance, group));
  endfunction

  // Cycles from a read command to the next that can read its results.
  function automatic int unsigned access_latency(int unsigned unit_latency);
    return OperandLatency + unit_latency + ResultLatency - 1;
  endfunction

  // Cycles from a read command to its results at the butterfly's outputs.
  function automatic int unsigned retire_latency(int unsigned unit_latency);
    return OperandLatency + unit_latency;
  endfunction

  // Transposer: stages of two bits, and cycles from a pair to a pair; even, so that writes from the network and
  // from the butterflies alternate.
  function automatic int unsigned transposer_stages(int unsigned tiles);
    return ceil_div($clog2(tiles), 2);
  endfunction

  function automatic int unsigned transposer_latency(int unsigned tiles);
    return 2 * ((transposer_stages(tiles) + 2) / 2);
  endfunction

  // Transposer: cycles from the last read of the first epoch to the first one of the second, of one pair; odd.
  function automatic int unsigned return_delay(int unsigned tiles, int unsigned unit_latency);
    return (access_latency(unit_latency) + transposer_latency(tiles)) | 1;
  endfunction

  // Cycles in which the exchange reads or moves: the transposer's butterflies; the ring's steps.
  function automatic int unsigned exchange_cycles(network_e network, int unsigned tiles, int unsigned unit_latency);
    int unsigned cycles;
    if (network == NetworkTransposer) return tiles - 1 + return_delay(tiles, unit_latency);
    cycles = 2 * cluster_pairs(tiles);
    for (int unsigned i = 1; i < clusters(tiles); i++) begin
      cycles = cycles + cluster_pairs(tiles) * (1 + i + cluster_pairs(tiles));
    end
    return cycles;
  endfunction

  // Steps of a transform: passes, with the exchange in their midst.
  function automatic int unsigned exchange_step(int unsigned tiles);
    return $clog2(tiles) - 1;
  endfunction

  function automatic int unsigned step_count(network_e network, int unsigned tiles);
    return 2 * $clog2(tiles) - (network == NetworkTransposer ? 1 : 0);
  endfunction

  // The bit of a step's pairs.
  function automatic int unsigned step_bit(network_e network, int unsigned tiles, int unsigned step);
    if (step < exchange_step(tiles)) return exchange_step(tiles) - step;
    if (step == exchange_step(tiles)) return 0;
    return step - exchange_step(tiles) - (network == NetworkTransposer ? 0 : 1);
  endfunction

  // Idle cycles after a step. Two passes read a word at least T/2 - 2^(b-1) cycles apart, b the greater of their bits.
  // The transposer's exchange is in order, at half the pace. The ring's is in another order in each cluster: its first
  // words may be the last that were written, its last ones come a pair of tiles at a time.
  function automatic int unsigned step_gap(network_e network, int unsigned tiles, int unsigned unit_latency,
                                           int unsigned step);
    int unsigned latency;
    int unsigned apart;
    latency = access_latency(unit_latency);
    if (step + 1 == step_count(network, tiles)) return 0;
    if (step != exchange_step(tiles) && step + 1 != exchange_step(tiles)) begin
      apart = tiles / 2 - (1 << (maximum(step_bit(network, tiles, step), step_bit(network, tiles, step + 1)) - 1));
    end else begin
      apart = network == NetworkTransposer ? tiles / 2 - 1 : step == exchange_step(tiles) ? cluster_pairs(tiles) : 1;
    end
    return latency > apart ? latency - apart : 0;
  endfunction

  // Cycles of a transform, from its first read to its last write, both included.
  function automatic int unsigned transform_cycles(network_e network, int unsigned tiles, int unsigned unit_latency,
                                                   bit inverse);
    int unsigned cycles;
    cycles = access_latency(unit_latency) - 1 + exchange_cycles(network, tiles, unit_latency)
        + (inverse ? tiles / 2 : 0);
    for (int unsigned step = 0; step < step_count(network, tiles); step++) begin
      cycles = cycles + (step == exchange_step(tiles) ? 0 : tiles / 2)
          + step_gap(network, tiles, unit_latency, step);
    end
    return cycles;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
