// leaf_memory: two keys, with pauses; then leaves in order, and from the first one again.

#include <vector>

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned leaves = parameter("Leaves"), banks = parameter("Banks"), width = parameter("Width"), beat = parameter("BeatWidth");
  const unsigned beats = (width + beat - 1) / beat;
  bench->valid_i = 0;
  bench->first_i = 0;
  bench->next_i = 0;
  bench.reset();
  for (unsigned key = 0; key < 2; ++key) {
    std::vector<std::vector<resident::Big>> words(leaves);
    for (unsigned sent = 0; sent < leaves * beats;) {
      bench->valid_i = !bench.random.chance(20);
      const unsigned bits = std::min(beat, width - sent % beats * beat);
      const resident::Big word = resident::random_bits(bench.random, bits);
      resident::put(bench->data_i, 0, beat, word);
      if (bench->valid_i) {
        words[sent / beats].push_back(word);
        ++sent;
      }
      bench.step();
      bench.expect_equal(bench->loaded_o, sent == leaves * beats || (sent == 0 && key != 0), "loaded");
    }
    bench->valid_i = 0;
    for (unsigned round = 0; round < 3; ++round) {
      const unsigned reads = round == 0 ? (leaves + banks - 1) / banks : 1 + static_cast<unsigned>(bench.random.below(leaves / banks));
      for (unsigned read = 0; read < reads; ++read) {
        bench->first_i = read == 0;
        bench->next_i = read != 0;
        bench.step();
        bench->first_i = 0;
        bench->next_i = 0;
        for (unsigned wait = static_cast<unsigned>(bench.random.below(3)); wait > 0; --wait) bench.step();
        for (unsigned bank = 0; bank < banks && read * banks + bank < leaves; ++bank) {
          for (unsigned i = 0; i < beats; ++i) {
            const unsigned bits = std::min(beat, width - i * beat);
            resident::expect_big(bench, resident::get(bench->leaves_o, bank * width + i * beat, bits), words[read * banks + bank][i],
                                 "leaf " + std::to_string(read * banks + bank));
          }
        }
      }
    }
  }
}
