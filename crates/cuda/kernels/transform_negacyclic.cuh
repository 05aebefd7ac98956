// The transform of Z[x]/(x^n + 1) modulo one prime.
//
// x^n + 1 = x^n - psi^n splits level by level into x - psi^e (crates/ring/src/transform/negacyclic.rs): the first
// log2(n / 256) levels go down columns, the last eight along rows. To coefficients all is done backwards, and
// divided by n with the root's factors. Rows shorter than 256 are whole limbs.
//
// The order of values exchanges bits 0 to 2 of a place with its bits 3 to 5: a thread that has the 16 words from
// 16 h on has the words k and k + 8 of them next to each other.
//
// The floor for n = 32768 on an H100: 32 bytes a word from and to memory, and 8 of tables, which the limbs of many
// polynomials share: 0.35 us a limb at 3.0e12 bytes a second, half of it where 50 MB of cache hold the batch. With
// doubles 71 operations a word to values and 80 back, counted in the compiled kernels: 15 sums and 7.5 products of 6
// (8 back, with 1/n), the rest what reduces and converts: 0.16 and 0.18 us a limb at 14.4e12 a second. Barriers: 1
// along rows, 1 down columns, none up to 16 rows.
#pragma once
#include "transform_splitting.cuh"

// Shape and bounds of a ring of dimension n.
template <u32 N>
struct NegacyclicShape {
  static constexpr u32 row = N < ROW ? N : ROW;
  static constexpr u32 rows = N / row;
  typedef ColumnTile<rows> Column;
  typedef RowTile<row, rows> Row;
  typedef typename Column::Line ColumnLine;
  typedef typename Row::Line RowLine;
  // Five levels at once are done as one and four.
  static constexpr bool pairs = ColumnLine::high == 32;

  // Bounds after the high digits of columns, which come first to values and last to coefficients, ...
  CONSTANT static Magnitude column_split() {
    return after_splitting_high<ColumnLine, pairs, false>(UNIT, LIMIT);
  }
  // ... after columns, ...
  CONSTANT static Magnitude before_rows() {
    if constexpr (rows == 1) {
      return UNIT;
    } else if constexpr (ColumnLine::low == 1) {
      return column_split();
    } else {
      return plan_of_splitting<ColumnLine::low_levels>(column_split(), LIMIT, false).largest;
    }
  }
  // ... and within rows.
  CONSTANT static Magnitude row_split() {
    return after_splitting_high<RowLine, false, false>(before_rows(), LIMIT);
  }
  CONSTANT static Magnitude row_joined() { return plan_of_joining<RowLine::low_levels>(UNIT).largest; }
  CONSTANT static Magnitude after_rows() { return after_joining_high<RowLine, false>(row_joined()); }
  CONSTANT static Magnitude column_joined() {
    if constexpr (ColumnLine::low == 1) {
      return after_rows();
    } else {
      return plan_of_joining<ColumnLine::low_levels>(after_rows()).largest;
    }
  }
};

// The tables of a prime and direction, as src/device/transforms/negacyclic.rs makes them.
template <class Field, u32 N>
class NegacyclicTables {
 public:
  typedef typename Field::Factor Factor;
  static constexpr u32 leaves = NegacyclicShape<N>::RowLine::high;
  // Nodes above the leaves, which are trees of 16 words.
  static constexpr u32 nodes = N / 16;

  DEVICE explicit NegacyclicTables(const u64* words) : words(words) {}

  // 1/n, to coefficients.
  DEVICE Factor scale() const { return Field::factor(words, 0); }
  // Node b of level l is node 2^l + b; the root is 1.
  DEVICE Factor node(u32 node) const { return Field::factor(words, node); }
  // Node b of level l of a leaf of a row: neighbouring leaves have neighbouring words.
  DEVICE Factor leaf(u32 row, u32 leaf, u32 level, u32 b) const {
    return Field::factor(words, nodes + (row * 16 + (1u << level) + b) * leaves + leaf);
  }

 private:
  const u64* words;
};

// Two words next to each other.
struct alignas(16) WordPair {
  u64 first, second;
};

// The levels down the columns, canonical residues to lazy ones; or back, lazy ones to canonical ones.
template <class Field, u32 N, bool Back>
struct NegacyclicColumns {
  typedef NegacyclicShape<N> Shape;
  typedef typename Shape::Column Tile;
  typedef typename Tile::Line Line;
  typedef typename Field::Value Value;
  typedef Registers<Value, Line::values> Words;
  typedef NegacyclicTables<Field, N> Tables;
  static constexpr u32 threads = Tile::threads;

  DEVICE static void run(const TransformParameters& in, Block& block) {
    const Field field(prime_of(in, block));
    const Tables tables(tables_of(in, block));
    u64* const data = limb_of(in, block, N) + block.x() * Tile::lines;
    if constexpr (Line::low == 1) {
      block.last([&](u32 t) {
        Words x;
        read_high(field, data + t, 0, x);
        high(field, tables, x);
        write_high(field, data + t, 0, x);
      });
    } else {
      Shared<Value> shared = block.template shared<Value, Tile::words>();
      if constexpr (Back) {
        block.phase([&](u32 t) { low_back(field, tables, data, shared, t); });
        block.last([&](u32 t) { high_back(field, tables, data, shared, t); });
      } else {
        block.phase([&](u32 t) { high_ahead(field, tables, data, shared, t); });
        block.last([&](u32 t) { low_ahead(field, tables, data, shared, t); });
      }
    }
  }

 private:
  // Node b of level l below a node.
  struct Nodes {
    const Tables& tables;
    DEVICE typename Field::Factor operator()(u32 root, u32 level, u32 b) const {
      return tables.node((root << level) + b);
    }
  };

  // The high digits' levels.
  DEVICE static void high(const Field& field, const Tables& tables, Words& x) {
    const Nodes nodes{tables};
    if constexpr (Back) {
      join_high<Line, Shape::pairs, true, Shape::column_joined()>(field, x, 1, nodes, tables.scale());
    } else {
      split_high<Line, Shape::pairs, false, UNIT, LIMIT>(field, x, 1, nodes);
    }
  }

  DEVICE static void read_high(const Field& field, const u64* column, u32 g, Words& x) {
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      const u64 word = fetch(column[(Line::first_high(v) * Line::low + Line::first_low(g, v)) * ROW]);
      x[v] = Back ? Field::restore(word) : field.load(word);
    }
  }

  DEVICE static void write_high(const Field& field, u64* column, u32 g, const Words& x) {
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      u64& word = column[(Line::first_high(v) * Line::low + Line::first_low(g, v)) * ROW];
      put(word, Back ? field.store(x[v]) : Field::keep(x[v]));
    }
  }

  DEVICE static void high_ahead(const Field& field, const Tables& tables, const u64* data,
                                Shared<Value>& shared, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
    read_high(field, data + line, g, x);
    high(field, tables, x);
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      shared.set(Tile::place(line, Line::first_high(v), Line::first_low(g, v)), x[v]);
    }
  }

  DEVICE static void low_ahead(const Field& field, const Tables& tables, u64* data, Shared<Value>& shared,
                               u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      x[v] = shared.get(Tile::place(line, Line::then_high(g, v), Line::then_low(v)));
    }
    split_low<Line, false, Shape::column_split(), LIMIT>(field, x, [&](u32 i, u32 level, u32 b) {
      return Nodes{tables}(Line::high + Line::then_high(g, i * Line::low), level, b);
    });
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      u64& word = data[(Line::then_high(g, v) * Line::low + Line::then_low(v)) * ROW + line];
      put(word, Field::keep(x[v]));
    }
  }

  DEVICE static void low_back(const Field& field, const Tables& tables, const u64* data,
                              Shared<Value>& shared, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      const u64 word = fetch(data[(Line::then_high(g, v) * Line::low + Line::then_low(v)) * ROW + line]);
      x[v] = Field::restore(word);
    }
    join_low<Line, Shape::after_rows()>(field, x, [&](u32 i, u32 level, u32 b) {
      return Nodes{tables}(Line::high + Line::then_high(g, i * Line::low), level, b);
    });
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      shared.set(Tile::place(line, Line::then_high(g, v), Line::then_low(v)), x[v]);
    }
  }

  DEVICE static void high_back(const Field& field, const Tables& tables, u64* data, Shared<Value>& shared,
                               u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < Line::values; ++v) {
      x[v] = shared.get(Tile::place(line, Line::first_high(v), Line::first_low(g, v)));
    }
    high(field, tables, x);
    write_high(field, data + line, g, x);
  }
};

// The levels along rows, from lazy residues (canonical ones if there are no columns) to canonical values in the
// order of tiles; or back.
template <class Field, u32 N, bool Back>
struct NegacyclicRows {
  typedef NegacyclicShape<N> Shape;
  typedef typename Shape::Row Tile;
  typedef typename Tile::Line Line;
  typedef typename Field::Value Value;
  typedef Registers<Value, 16> Words;
  typedef NegacyclicTables<Field, N> Tables;
  static constexpr u32 threads = Tile::threads;

  DEVICE static void run(const TransformParameters& in, Block& block) {
    const Field field(prime_of(in, block));
    const Tables tables(tables_of(in, block));
    const u32 first = block.x() * Tile::lines;
    u64* const data = limb_of(in, block, N) + first * Shape::row;
    Shared<Value> shared = block.template shared<Value, Tile::words>();
    if constexpr (Back) {
      block.phase([&](u32 t) { leaves_back(field, tables, data, shared, first, t); });
      block.last([&](u32 t) { nodes_back(field, tables, data, shared, first, t); });
    } else {
      block.phase([&](u32 t) { nodes_ahead(field, tables, data, shared, first, t); });
      block.last([&](u32 t) { leaves_ahead(field, tables, data, shared, first, t); });
    }
  }

 private:
  static constexpr bool whole = Shape::rows == 1;

  DEVICE static void nodes_ahead(const Field& field, const Tables& tables, const u64* data,
                                 Shared<Value>& shared, u32 first, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < 16; ++v) {
      const u64 word = fetch(data[line * Shape::row + Line::first_high(v) * 16 + Line::first_low(g, v)]);
      x[v] = whole ? field.load(word) : Field::restore(word);
    }
    split_high<Line, false, false, Shape::before_rows(), LIMIT>(
        field, x, Shape::rows + first + line,
        [&](u32 root, u32 level, u32 b) { return tables.node((root << level) + b); });
#pragma unroll
    for (u32 v = 0; v < 16; ++v) {
      shared.set(Tile::place(line, Line::first_high(v), Line::first_low(g, v)), x[v]);
    }
  }

  DEVICE static void leaves_ahead(const Field& field, const Tables& tables, u64* data, Shared<Value>& shared,
                                  u32 first, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < 16; ++v) x[v] = shared.get(Tile::place(line, g, v));
    split_low<Line, false, Shape::row_split(), LIMIT>(field, x, [&](u32, u32 level, u32 b) {
      return tables.leaf(first + line, g, level, b);
    });
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      put(*values(data, line, g, k), WordPair{field.store(x[k]), field.store(x[k + 8])});
    }
  }

  DEVICE static void leaves_back(const Field& field, const Tables& tables, u64* data, Shared<Value>& shared,
                                 u32 first, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 k = 0; k < 8; ++k) {
      const WordPair pair = fetch(*values(data, line, g, k));
      x[k] = field.load(pair.first);
      x[k + 8] = field.load(pair.second);
    }
    join_low<Line, UNIT>(field, x, [&](u32, u32 level, u32 b) {
      return tables.leaf(first + line, g, level, b);
    });
#pragma unroll
    for (u32 v = 0; v < 16; ++v) shared.set(Tile::place(line, g, v), x[v]);
  }

  DEVICE static void nodes_back(const Field& field, const Tables& tables, u64* data, Shared<Value>& shared,
                                u32 first, u32 t) {
    const u32 line = Tile::line(t), g = Tile::thread(t);
    Words x;
#pragma unroll
    for (u32 v = 0; v < 16; ++v) {
      x[v] = shared.get(Tile::place(line, Line::first_high(v), Line::first_low(g, v)));
    }
    join_high<Line, false, whole, Shape::row_joined()>(
        field, x, Shape::rows + first + line,
        [&](u32 root, u32 level, u32 b) { return tables.node((root << level) + b); }, tables.scale());
#pragma unroll
    for (u32 v = 0; v < 16; ++v) {
      u64& word = data[line * Shape::row + Line::first_high(v) * 16 + Line::first_low(g, v)];
      put(word, whole ? field.store(x[v]) : Field::keep(x[v]));
    }
  }

  // Where the words k and k + 8 of leaf g are in the order of tiles: a tile is four leaves.
  DEVICE static WordPair* values(u64* data, u32 line, u32 g, u32 k) {
    return reinterpret_cast<WordPair*>(data + line * Shape::row + g / 4 * 64 + 8 * k + g % 4 * 2);
  }
};
