// The loops of das_window_tile(); each das_window_*.cpp defines the vector operations and includes this file. Order:
// for every 16 elements, for every row of the tile: the receive part into a small table, then all transmits, whose
// integer sums are added to the tile's float sums. Lines are read again by the next row from the nearest cache. No
// standard library here: an inline function compiled with AVX must not become the copy that every machine runs.
#include "backend/cpu/das_window_receive.h"
#include "backend/cpu/isa_loops.h"

namespace echoloop::ECHO_ISA {

// For windows that reach over an end of the record, and for pixels too far apart for a window: lane by lane.
struct Lanes {
  static void fetch(const std::uint32_t* line, std::int32_t start, int n_valid, Ints index, Ints& s0, Ints& s1) {
    alignas(64) std::int32_t at[kLanes], a[kLanes], b[kLanes];
    store(at, index);
    for (int i = 0; i < kLanes; ++i) {
      const std::int32_t sample = start + at[i];
      const bool inside = sample >= 0 && sample < n_valid - 1;
      a[i] = inside ? static_cast<std::int32_t>(line[sample]) : 0;
      b[i] = inside ? static_cast<std::int32_t>(line[sample + 1]) : 0;
    }
    s0 = load(a);
    s1 = load(b);
  }
};

// What one call of sum_lines() adds: transmits first .. first + Count - 1 of one row.
struct TransmitRow {
  const std::int32_t* delay;  // [n_tx][kLanes]
  const std::int32_t* start;  // [n_tx]
  float* sums;                // [n_tx][re | im][kLanes]
  int first_element;          // line of table.element 0: the mirrored side reads the mirrored elements
  int element_step;
};

template <int Count, class Window>
[[gnu::noinline]] static void sum_lines(const WindowInput& f, const ReceiveTable& table, const TransmitRow& row,
                                        int first) {
  const std::ptrdiff_t stride = f.stride;
  const std::uint32_t* const lines = f.pairs;
  Ints re[Count], im[Count], delay[Count];
  std::int32_t start[Count];
  std::ptrdiff_t origin[Count];  // of the transmit's lines, `start` included
#pragma GCC unroll 4
  for (int t = 0; t < Count; ++t) {
    re[t] = im[t] = no_ints();
    delay[t] = load(row.delay + static_cast<std::ptrdiff_t>(first + t) * kLanes);
    start[t] = row.start[first + t];
    origin[t] = static_cast<std::ptrdiff_t>(first + t) * f.das.n_el * stride + start[t];
  }
  for (int i = 0; i < table.n; ++i) {
    const Ints receive = load(table.delay[i]);
    const Ints to_re = load(table.to_re[i]);
    const Ints to_im = load(table.to_im[i]);
    const std::ptrdiff_t place = (row.first_element + row.element_step * table.element[i]) * stride + table.start[i];
#pragma GCC unroll 4
    for (int t = 0; t < Count; ++t) {
      const Ints wanted = add(receive, delay[t]);
      Ints s0, s1;
      if constexpr (requires { Window::reach; }) {
        Window::fetch(lines + (origin[t] + place), whole_samples(wanted), s0, s1);
      } else {
        const std::int32_t from = start[t] + table.start[i];
        Window::fetch(lines + (origin[t] + place - from), from, f.das.n_valid, whole_samples(wanted), s0, s1);
      }
      const Ints pairs = interpolate(wanted, s0, s1);
      re[t] = add_products(re[t], pairs, to_re);
      im[t] = add_products(im[t], pairs, to_im);
    }
  }
  for (int t = 0; t < Count; ++t) {
    float* sums = row.sums + static_cast<std::ptrdiff_t>(first + t) * 2 * kLanes;
    store(sums, load(sums) + to_floats(re[t]));
    store(sums + kLanes, load(sums + kLanes) + to_floats(im[t]));
  }
}

template <int Count>
static void sum_transmits(const WindowInput& f, const ReceiveTable& table, const TransmitRow& row, float tx_width,
                          int first) {
  std::int32_t earliest = row.start[first];
  std::int32_t latest = earliest;
  for (int t = 1; t < Count; ++t) {
    const std::int32_t start = row.start[first + t];
    earliest = start < earliest ? start : earliest;
    latest = start > latest ? start : latest;
  }
  // The last sample of a pixel has a neighbour: two more than the width, rounded down.
  const auto width = static_cast<std::int32_t>(table.widest + tx_width);
  const auto tx_end = static_cast<std::int32_t>(tx_width) + 2;
  if (latest + table.last_end + tx_end < 0 || earliest + table.first_start > f.das.n_valid - 2) return;
  const bool inside = earliest + table.first_start >= 0 && latest + table.last_end + tx_end <= f.das.n_valid - 1;
  if (inside && width + 2 <= NarrowWindow::reach) return sum_lines<Count, NarrowWindow>(f, table, row, first);
  if (inside && width + 2 <= MiddleWindow::reach) return sum_lines<Count, MiddleWindow>(f, table, row, first);
  if (inside && width + 2 <= WideWindow::reach) return sum_lines<Count, WideWindow>(f, table, row, first);
  sum_lines<Count, Lanes>(f, table, row, first);
}

static void sum_row(const WindowInput& f, const ReceiveTable& table, const TransmitRow& row, float tx_width) {
  int first = 0;
  for (; first + 4 <= f.das.n_tx; first += 4) sum_transmits<4>(f, table, row, tx_width, first);
  switch (f.das.n_tx - first) {
    case 3:
      return sum_transmits<3>(f, table, row, tx_width, first);
    case 2:
      return sum_transmits<2>(f, table, row, tx_width, first);
    case 1:
      return sum_transmits<1>(f, table, row, tx_width, first);
    default:
      return;
  }
}

// The pixels of one vector: columns first, first + step, ...; the first n of them exist.
struct Columns {
  int first, step, n;

  // Side 0 goes from the left edge to the middle, side 1 from the right edge.
  static Columns of(const WindowInput& f, int side, int ix) {
    const int n = (f.sides == 1 ? f.das.nx : (f.das.nx + 1 - side) / 2) - ix;
    return {side == 0 ? ix : f.das.nx - 1 - ix, side == 0 ? 1 : -1, n < kLanes ? n : kLanes};
  }
};

// Transmit excess of one vector, that of the last pixel repeated.
static void copy_excess(const DasGeometry& g, int t, int iz, Columns columns, float* values) {
  const float* excess = g.tx_excess + (static_cast<std::ptrdiff_t>(t) * g.nz + iz) * g.nx;
  if (columns.n == kLanes) {
    if (columns.step > 0) return store(values, load(excess + columns.first));
    return store(values, backwards(load(excess + columns.first - (kLanes - 1))));
  }
  for (int i = 0; i < kLanes; ++i) {
    values[i] = excess[columns.first + columns.step * (i < columns.n ? i : columns.n - 1)];
  }
}

// Delays and starts of one row; returns how far apart the pixels of a vector are at most, in samples.
static float prepare_row(const WindowInput& f, Columns columns, int iz, std::int32_t* delay, std::int32_t* start) {
  alignas(64) float values[kLanes];
  float widest = 0.0f;
  for (int t = 0; t < f.das.n_tx; ++t) {
    copy_excess(f.das, t, iz, columns, values);
    const Floats excess = load(values);
    const auto base = static_cast<float>(floor_to_int(least(excess)));
    const float width = greatest(excess) - base + kSlack;
    widest = width > widest ? width : widest;
    start[t] = f.das.row_base[static_cast<std::ptrdiff_t>(t) * f.das.nz + iz] + static_cast<std::int32_t>(base);
    store(delay + static_cast<std::ptrdiff_t>(t) * kLanes, to_ints((excess - all(base)) * all(kFixed)));
  }
  return widest;
}

// Transmit phasors, the sum over transmits, and the step's value.
static void finish_row(const WindowInput& f, Columns columns, int iz, const float* sums, Complex* image) {
  alignas(64) float re[kLanes] = {}, im[kLanes] = {}, excess[kLanes];
  for (int t = 0; t < f.das.n_tx; ++t) {
    copy_excess(f.das, t, iz, columns, excess);
    const float turns = f.das.row_turns[static_cast<std::ptrdiff_t>(t) * f.das.nz + iz];
    const float* sum = sums + static_cast<std::ptrdiff_t>(t) * 2 * kLanes;
    const float weight = transmit_weight(f.das, t);
    for (int i = 0; i < kLanes; ++i) {
      const Complex phasor = weight * unit_phasor(turns + excess[i] * f.das.turns_per_sample);
      re[i] += phasor.re * sum[i] - phasor.im * sum[kLanes + i];
      im[i] += phasor.re * sum[kLanes + i] + phasor.im * sum[i];
    }
  }
  Complex* row = image + static_cast<std::ptrdiff_t>(iz) * f.das.nx;
  for (int i = 0; i < columns.n; ++i) row[columns.first + columns.step * i] = {f.unit * re[i], f.unit * im[i]};
}

// The work space of one row and side.
struct RowSpace {
  std::int32_t* delay;
  std::int32_t* start;
  float* sums;

  static RowSpace of(const WindowInput& f, const WindowScratch& s, int row, int side) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(row * f.sides + side) * f.das.n_tx;
    return {s.delay + first * kLanes, s.start + first, s.sums + 2 * first * kLanes};
  }
};

static void vector_tile(const WindowInput& f, int ix, int row_begin, int n_rows, const WindowScratch& s,
                        Complex* image) {
  // The transmit delays lie rows apart, in a memory that no cache has ahead: ask for all of them at once.
  for (int i = 0; i < n_rows * f.das.n_tx; ++i) {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i / n_rows) * f.das.nz + row_begin + i % n_rows;
    for (int side = 0; side < f.sides; ++side) {
      __builtin_prefetch(f.das.tx_excess + row * f.das.nx + (side == 0 ? ix : f.das.nx - 1 - ix));
    }
  }
  float width[kWindowRows][2];
  for (int r = 0; r < n_rows; ++r) {
    for (int side = 0; side < f.sides; ++side) {
      const RowSpace row = RowSpace::of(f, s, r, side);
      const Columns columns = Columns::of(f, side, ix);
      width[r][side] = columns.n > 0 ? prepare_row(f, columns, row_begin + r, row.delay, row.start) : 0.0f;
      for (int i = 0; i < 2 * kLanes * f.das.n_tx; ++i) row.sums[i] = 0.0f;
    }
  }
  ReceiveTable table;
  for (int first = 0; first < f.das.n_el; first += kElementsPerFlush) {
    for (int r = 0; r < n_rows; ++r) {
      fill_table(f, VectorPixels::of(f, ix, row_begin + r), first, table);
      for (int side = 0; side < f.sides && table.n > 0; ++side) {
        if (Columns::of(f, side, ix).n <= 0) continue;
        const RowSpace row = RowSpace::of(f, s, r, side);
        const TransmitRow lines{.delay = row.delay,
                                .start = row.start,
                                .sums = row.sums,
                                .first_element = side == 0 ? 0 : f.das.n_el - 1,
                                .element_step = side == 0 ? 1 : -1};
        sum_row(f, table, lines, width[r][side]);
      }
    }
  }
  for (int r = 0; r < n_rows; ++r) {
    for (int side = 0; side < f.sides; ++side) {
      if (Columns::of(f, side, ix).n <= 0) continue;
      finish_row(f, Columns::of(f, side, ix), row_begin + r, RowSpace::of(f, s, r, side).sums, image);
    }
  }
}

void das_window_tile(const WindowInput& f, int block, int row_begin, int row_end, const WindowScratch& scratch,
                     Complex* image) {
  const int end = f.sides == 1 ? f.das.nx : (f.das.nx + 1) / 2;
  const int last = (block + 1) * kWindowLanes < end ? (block + 1) * kWindowLanes : end;
  for (int ix = block * kWindowLanes; ix < last; ix += kLanes) {
    vector_tile(f, ix, row_begin, row_end - row_begin, scratch, image);
  }
}

}  // namespace echoloop::ECHO_ISA
