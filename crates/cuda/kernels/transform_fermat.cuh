// The transform of a Fermat ring modulo one prime: Rader's algorithm in all dimensions of G at once.
//
//     evaluate(a)    = NTT^-1( NTT(R a) S )         interpolate(v) = R NTT^-1( NTT(v) / S )
//
// where R reverses indices: so either is a transform over G, a product with a table, and the same transform again,
// for w^-1 or w (crates/ring/src/transform/fermat.rs). All dimensions but the last go down columns; the last one
// goes along rows of 256, and one of 2^16 as 256 x 256 with factors between. Columns, rows there and back with the
// product, columns: three passes over memory. All indices stay in natural order.
//
// The floor for n = 32768 on an H100: 48 bytes a word from and to memory, and 8 of the table, which the limbs of many
// polynomials share: 0.5 us a limb at 3.0e12 bytes a second, half of it where 50 MB of cache hold the batch. With
// doubles 114 operations a word, counted in the compiled kernels: 30 sums, 9.6 products of 6, the rest what reduces
// and converts: 0.26 us a limb at 14.4e12 a second. n = 2048: 87; n = 2^16: 142, and 16 bytes of factors more.
// Barriers: 2 along rows, 1 down columns, none up to 16 rows.
#pragma once
#include "transform_splitting.cuh"

// Shape and bounds of a ring of dimension n.
template <u32 N>
struct FermatShape {
  static constexpr u32 rows = N / ROW;
  typedef ColumnTile<rows> Column;
  typedef RowTile<ROW, rows> Row;
  typedef LineDigits<ROW> RowLine;
  typedef typename Column::Line ColumnLine;

  // Whether the rows are half of a dimension of 2^16: columns have factors, and so has what is between.
  static constexpr bool long_dimension = rows >= 256;
  // Whether the first dimension is two: before one of 4, 16 or 2^16.
  static constexpr bool pairs = ColumnLine::high == 8 || ColumnLine::high == 32;

  // Within a dimension of 256, products with factors are between the digits; from one of 2^16, products with others
  // go to the rows and come from them.
  static constexpr Magnitude twiddled = long_dimension ? PRODUCT_LIMIT : LIMIT;

  // Bounds in the middle of a line of columns, and at the end.
  CONSTANT static Magnitude column_middle(Magnitude in) {
    const Magnitude high = after_splitting_high<ColumnLine, pairs, true>(in, twiddled);
    return long_dimension ? of_product(high) : high;
  }
  CONSTANT static Magnitude column_end() {
    if constexpr (ColumnLine::low_levels == 0) {
      return after_splitting_high<ColumnLine, pairs, true>(UNIT, LIMIT);
    } else {
      return plan_of_splitting<ColumnLine::low_levels>(column_middle(UNIT), twiddled, true).largest;
    }
  }
  // The same of a row.
  CONSTANT static Magnitude row_middle(Magnitude in) {
    return of_product(after_splitting_high<RowLine, false, true>(in, PRODUCT_LIMIT));
  }
  CONSTANT static Magnitude row_end(Magnitude in, Magnitude out) {
    return plan_of_splitting<RowLine::low_levels>(row_middle(in), out, true).largest;
  }

  // At the beginning of rows, after their table, and back at the columns.
  CONSTANT static Magnitude before_rows() {
    return long_dimension ? of_product(column_end()) : column_end();
  }
  CONSTANT static Magnitude in_rows() { return of_product(row_end(before_rows(), PRODUCT_LIMIT)); }
  CONSTANT static Magnitude after_rows() {
    const Magnitude end = row_end(in_rows(), twiddled);
    return long_dimension ? of_product(end) : end;
  }
};

// The tables of a prime and direction, as src/device/transforms/fermat.rs makes them; v is the root of order 256.
template <class Field, u32 N>
class FermatTables {
 public:
  typedef typename Field::Factor Factor;

  DEVICE explicit FermatTables(const u64* words) : words(words) {}

  // v^16 to the power of b, reversed: of node b of any level of a tree from x^16 - 1, x^4 - 1 on.
  DEVICE Factor root(u32 b) const { return Field::factor(words, b); }
  // v^(high low)
  DEVICE Factor twiddle(u32 high, u32 low) const { return Field::factor(words, 8 + 16 * high + low); }
  // What is between the passes, by frequencies: S or 1/S, divided by n.
  DEVICE Factor fixed(u32 place) const { return Field::factor(words, 8 + ROW + place); }
  // For a dimension of 2^16 with root w: w^(row column).
  DEVICE Factor between(u32 row, u32 column) const {
    return Field::factor(words, 8 + ROW + N + row % ROW * ROW + column);
  }

 private:
  const u64* words;
};

// The transform of a line's high digits. Register v then has the frequency `frequency_of_high(v)`.
template <class Line, bool Pairs, Magnitude In, Magnitude Out, class Field, class Tables>
DEVICE void transform_high(const Field& field, const Tables& tables,
                           Registers<typename Field::Value, Line::values>& x) {
  split_high<Line, Pairs, true, In, Out>(field, x, 1, [&](u32, u32, u32 node) { return tables.root(node); });
}

// The same of the low digits: register v then has the frequency `reversed(Line::then_low(v), 4)`.
template <class Line, Magnitude In, Magnitude Out, class Field, class Tables>
DEVICE void transform_low(const Field& field, const Tables& tables,
                          Registers<typename Field::Value, Line::values>& x) {
  split_low<Line, true, In, Out>(field, x, [&](u32, u32, u32 node) { return tables.root(node); });
}

// Between the digits of a line of 256: times v^(high low).
template <class Field, class Tables>
DEVICE typename Field::Value twiddled(const Field& field, const Tables& tables, typename Field::Value x,
                                      u32 high, u32 low) {
  return high == 0 ? field.tidy(x) : field.mul(x, tables.twiddle(high, low));
}

template <class Line, bool Pairs>
CONSTANT u32 frequency_of_high(u32 v) {
  const u32 levels = Line::high_levels - (Pairs ? 1 : 0);
  const u32 place = v / Line::lows;
  return (place >> levels << levels) + reversed(place % (1u << levels), levels);
}

// The transforms down the columns: before those along rows, canonical residues to lazy ones, and back.
template <class Field, u32 N, bool Back>
struct FermatColumns {
  typedef FermatShape<N> Shape;
  typedef typename Shape::Column Tile;
  typedef typename Tile::Line Line;
  typedef typename Field::Value Value;
  typedef Registers<Value, Line::values> Words;
  typedef FermatTables<Field, N> Tables;
  static constexpr u32 threads = Tile::threads;

  DEVICE static void run(const TransformParameters& in, Block& block) {
    constexpr Magnitude entering = Back ? Shape::after_rows() : UNIT;
    const Field field(prime_of(in, block));
    const Tables tables(tables_of(in, block));
    u64* const data = limb_of(in, block, N);
    const u32 first = block.x() * Tile::lines;
    if constexpr (Line::low == 1) {
      block.last([&](u32 t) {
        Words x;
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) x[v] = read(field, tables, data, v, first + t);
        transform_high<Line, Shape::pairs, entering, LIMIT>(field, tables, x);
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) {
          write(field, tables, data, frequency_of_high<Line, Shape::pairs>(v), first + t, x[v]);
        }
      });
    } else {
      constexpr Magnitude middle = Shape::column_middle(entering);
      Shared<Value> shared = block.template shared<Value, Tile::words>();
      block.phase([&](u32 t) {
        const u32 line = Tile::line(t), g = Tile::thread(t);
        Words x;
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) {
          const u32 row = Line::first_high(v) * Line::low + Line::first_low(g, v);
          x[v] = read(field, tables, data, row, first + line);
        }
        transform_high<Line, Shape::pairs, entering, Shape::twiddled>(field, tables, x);
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) {
          const u32 high = frequency_of_high<Line, Shape::pairs>(v), low = Line::first_low(g, v);
          const Value y = Shape::long_dimension ? twiddled(field, tables, x[v], high % 16, low) : x[v];
          shared.set(Tile::place(line, high, low), y);
        }
      });
      block.last([&](u32 t) {
        const u32 line = Tile::line(t), g = Tile::thread(t);
        Words x;
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) {
          x[v] = shared.get(Tile::place(line, Line::then_high(g, v), Line::then_low(v)));
        }
        transform_low<Line, middle, Back ? LIMIT : Shape::twiddled>(field, tables, x);
#pragma unroll
        for (u32 v = 0; v < Line::values; ++v) {
          const u32 low = reversed(Line::then_low(v), 4);
          write(field, tables, data, row_of(Line::then_high(g, v), low), first + line, x[v]);
        }
      });
    }
  }

 private:
  // The row of two digits of frequencies: of a dimension of 2^8 the digits change places.
  DEVICE static u32 row_of(u32 high, u32 low) {
    return Shape::long_dimension ? high / 16 * ROW + low * 16 + high % 16 : high * Line::low + low;
  }

  DEVICE static Value read(const Field& field, const Tables& tables, const u64* data, u32 row, u32 column) {
    const u64 word = fetch(data[row * ROW + column]);
    if constexpr (!Back) return field.load(word);
    const Value x = Field::restore(word);
    if constexpr (!Shape::long_dimension) return x;
    return field.mul(x, tables.between(row, column));
  }

  DEVICE static void write(const Field& field, const Tables& tables, u64* data, u32 row, u32 column,
                           Value x) {
    u64& word = data[row * ROW + column];
    if constexpr (Back) {
      put(word, field.store(x));
    } else if constexpr (Shape::long_dimension) {
      put(word, Field::keep(field.mul(x, tables.between(row, column))));
    } else {
      put(word, Field::keep(x));
    }
  }
};

// The transforms along the rows, the product with the table, and the transforms again: lazy residues. Index
// g + 16 v of a row is register v of thread g at first, after the product, and in the end.
template <class Field, u32 N>
struct FermatRows {
  typedef FermatShape<N> Shape;
  typedef typename Shape::Row Tile;
  typedef typename Tile::Line Line;
  typedef typename Field::Value Value;
  typedef Registers<Value, 16> Words;
  typedef FermatTables<Field, N> Tables;
  static constexpr u32 threads = Tile::threads;

  DEVICE static void run(const TransformParameters& in, Block& block) {
    constexpr Magnitude ahead = Shape::before_rows();
    constexpr Magnitude ahead_middle = Shape::row_middle(ahead);
    constexpr Magnitude back = Shape::in_rows();
    constexpr Magnitude back_middle = Shape::row_middle(back);
    const Field field(prime_of(in, block));
    const Tables tables(tables_of(in, block));
    const u32 start = block.x() * Tile::lines * ROW;
    u64* const data = limb_of(in, block, N) + start;
    Shared<Value> shared = block.template shared<Value, Tile::words>();
    block.phase([&](u32 t) {
      const u32 line = Tile::line(t), g = Tile::thread(t);
      Words x;
#pragma unroll
      for (u32 v = 0; v < 16; ++v) x[v] = Field::restore(fetch(data[line * ROW + 16 * v + g]));
      transform_high<Line, false, ahead, PRODUCT_LIMIT>(field, tables, x);
#pragma unroll
      for (u32 v = 0; v < 16; ++v) {
        shared.set(Tile::place(line, reversed(v, 4), g), twiddled(field, tables, x[v], reversed(v, 4), g));
      }
    });
    block.phase([&](u32 t) {
      const u32 line = Tile::line(t), g = Tile::thread(t);
      Words x, y;
#pragma unroll
      for (u32 v = 0; v < 16; ++v) x[v] = shared.get(Tile::place(line, g, v));
      transform_low<Line, ahead_middle, PRODUCT_LIMIT>(field, tables, x);
#pragma unroll
      for (u32 v = 0; v < 16; ++v) {
        y[v] = field.mul(x[reversed(v, 4)], tables.fixed(start + line * ROW + 16 * v + g));
      }
      transform_high<Line, false, back, PRODUCT_LIMIT>(field, tables, y);
      // The words that the thread has read itself.
#pragma unroll
      for (u32 v = 0; v < 16; ++v) {
        shared.set(Tile::place(line, g, reversed(v, 4)), twiddled(field, tables, y[v], reversed(v, 4), g));
      }
    });
    block.last([&](u32 t) {
      const u32 line = Tile::line(t), g = Tile::thread(t);
      Words x;
#pragma unroll
      for (u32 v = 0; v < 16; ++v) x[v] = shared.get(Tile::place(line, v, g));
      transform_low<Line, back_middle, Shape::twiddled>(field, tables, x);
#pragma unroll
      for (u32 v = 0; v < 16; ++v) put(data[line * ROW + 16 * v + g], Field::keep(x[reversed(v, 4)]));
    });
  }
};
