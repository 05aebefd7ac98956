// two_epoch_ring beside the paper's words: which tile's pair a tile is offered after so many hops, in each step.

#include <vector>

#include "../clusters.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const auto [members, packets, clusters] = ringmill::Clusters(tiles);
  bench.reset();
  bench->hop_i = 0;
  for (unsigned round = 0; round < 40; ++round) {
    std::vector<std::uint32_t> words(2 * tiles);
    for (unsigned i = 0; i < 2 * tiles; ++i) {
      words[i] = bench->pair_i[i] = static_cast<std::uint32_t>(bench.random.word());
    }
    bench->load_i = 1;
    bench->hop_i = bench.random.chance(50);  // a load goes first
    bench.step();
    bench->load_i = 0;
    const auto distance = static_cast<unsigned>(bench.random.below(clusters + 2));
    for (unsigned i = 0; i < 2 * tiles; ++i) bench->pair_i[i] = static_cast<std::uint32_t>(bench.random.word());
    for (unsigned hops = 0; hops < distance;) {
      bench->hop_i = bench.random.chance(80);
      bench.step();
      hops += bench->hop_i;
    }
    bench->hop_i = 0;
    for (unsigned step = 0; step < packets; ++step) {
      const auto packet = static_cast<unsigned>(bench.random.below(packets));
      for (unsigned intra = 0; intra < 2; ++intra) {
        bench->intra_i = intra;
        bench->packet_i = packet;
        bench->step_i = step;
        bench.settle();
        for (unsigned tile = 0; tile < tiles; ++tile) {
          const unsigned group = intra ? packet ^ (tile % members / 2) : step;
          const unsigned from = (tile / members + clusters * 2 - distance) % clusters * members + 2 * group;
          for (unsigned z = 0; z < 2; ++z) {
            bench.expect_equal(bench->pair_o[2 * tile + z], words[2 * (from + z) + tile % 2],
                               "word " + std::to_string(z) + " of tile " + std::to_string(tile));
          }
        }
      }
      bench.step();
    }
  }
}
