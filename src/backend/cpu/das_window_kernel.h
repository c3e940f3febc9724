// The loops of das_window_tile(); each das_window_*.cpp defines the vector operations and includes this file. Order:
// for every 16 elements, for every row of the tile: the receive part into a small table, then all transmits, whose
// integer sums are added to the tile's float sums. Lines are read again by the next row from the nearest cache. No
// standard library here: an inline function compiled with AVX must not become the copy that every machine runs.
#include "backend/cpu/das_window.h"
#include "backend/cpu/receive_weights.h"

namespace echoloop::ECHO_ISA {

inline constexpr float kFixed = 65536.0f;  // 16.16 fixed point
// Bounds of delays are computed apart from the delays: they leave this much for rounding, in samples.
inline constexpr float kSlack = 0.01f;

// Receive part of some elements for the pixels of one vector.
struct ReceiveTable {
  alignas(64) std::int32_t delay[kElementsPerFlush][kLanes];  // samples after `start`, 16.16 fixed point
  alignas(64) std::int32_t to_re[kElementsPerFlush][kLanes];  // (cos, -sin) int16, weight included
  alignas(64) std::int32_t to_im[kElementsPerFlush][kLanes];  // (sin, cos)
  std::int32_t start[kElementsPerFlush];                      // whole samples
  std::int32_t element[kElementsPerFlush];
  int n;
  std::int32_t first_start, last_end;  // of all: samples that may be wanted, without the transmit part
  float widest;                        // samples from the first to the last pixel of a vector, at most
};

// Delays of the elements of one flush, for the pixels from x0 to x1: nearest and farthest, in samples.
struct Bounds {
  alignas(64) float near_m[kElementsPerFlush];  // lateral distance
  alignas(64) float start[kElementsPerFlush];
  alignas(64) float width[kElementsPerFlush];
};

// Samples beyond row_base. The path less the depth: good to the rounding of a float path, 1e-4 rad at 1000 wavelengths.
ECHO_OP Floats excess(const DasGeometry& g, Floats dx, Floats dz, Floats depth_samples) {
  const Floats squared = multiply_add(dx, dx, multiply_add(dz, dz, all(1e-24f)));
  return multiply_subtract(square_root(squared), all(g.samples_per_m), depth_samples);
}

ECHO_OP float absolute(float v) { return v < 0.0f ? -v : v; }

static void find_bounds(const WindowFrame& f, float x0, float x1, float z, int first, Bounds& b) {
  const Floats depth = all(absolute(z) * f.das.samples_per_m);
  for (int i = 0; i < kElementsPerFlush; i += kLanes) {
    const Floats x = load(f.element_x_m + first + i);
    const Floats dz = all(z) - load(f.element_z_m + first + i);
    const Floats left = all(x0) - x;
    const Floats right = x - all(x1);
    const Floats near_m = larger(larger(left, right), all(0.0f));
    const Floats far_m = larger(all(x1) - x, x - all(x0));
    const Floats start = floor(excess(f.das, near_m, dz, depth) - all(kSlack));
    store(b.near_m + i, near_m);
    store(b.start + i, start);
    store(b.width + i, excess(f.das, far_m, dz, depth) - start + all(kSlack));
  }
}

// The weights of one vector, kind boxcar or general; false when all are zero.
template <WeightKind kind>
[[gnu::always_inline]] static inline bool find_weights(const WindowFrame& f, int element, const float* x_m, float z,
                                                       float near_m, Floats& weights) {
  const DasGeometry& g = f.das;
  if constexpr (kind == WeightKind::boxcar) {
    // |dx| F / dz <= 1/2, as apodization_weight() has it
    const float half = (z - f.element_z_m[element]) * 0.5000005f / g.f_number;
    if (near_m > half || half <= 0.0f) return false;
    const Floats dx = load(x_m) - all(f.element_x_m[element]);
    weights = where_not_negative(all(half) - larger(dx, all(0.0f) - dx), all(1.0f));
    return true;
  }
  alignas(64) float values[kLanes];
  weigh_row(g, g.elements[element], x_m, kLanes, z, values);
  bool seen = false;
  for (const float w : values) seen = seen || w != 0.0f;
  weights = load(values);
  return seen;
}

// exp(i 2 pi turns) times weight as int16 pairs; sin and cos of pi r by polynomials in r^2 (errors 1.2e-6 and 6.8e-6,
// a twentieth of an int16 step), then the double angle.
ECHO_OP void store_phasors(Floats turns, Floats weights, std::int32_t* to_re, std::int32_t* to_im) {
  const Floats r = turns - nearest(turns);
  const Floats u = r * r;
  Floats s = multiply_add(u, all(-0.559435001f), all(2.54400022f));
  s = r * multiply_add(u, multiply_add(u, s, all(-5.16740577f)), all(3.14159026f));
  Floats c = multiply_add(u, all(-1.22193646f), all(4.04121234f));
  c = multiply_add(u, multiply_add(u, c, all(-4.93393131f)), all(0.999993202f));
  const Floats size = weights * all(kPhasorPeak);
  const Floats twice = (s + s) * size;
  const Ints re = to_ints(subtract_product(twice, s, size));
  const Floats imaginary = twice * c;
  store(to_re, pack_pairs(re, to_ints(all(0.0f) - imaginary)));
  store(to_im, pack_pairs(to_ints(imaginary), re));
}

// Not inlined, like sum_lines(): the registers are for the loop.
template <WeightKind kind>
[[gnu::noinline]] static void fill_table(const WindowFrame& f, const float* x_m, float z, int first,
                                         ReceiveTable& table) {
  const DasGeometry& g = f.das;
  Bounds bounds;
  find_bounds(f, x_m[0], x_m[kLanes - 1], z, first, bounds);
  const Floats x = load(x_m);
  const Floats depth = all(absolute(z) * g.samples_per_m);
  const Floats turns_per_sample = all(g.turns_per_sample);
  const int count = g.n_el - first < kElementsPerFlush ? g.n_el - first : kElementsPerFlush;
  int n = 0;  // and the others apart from the table, whose stores might be stores to them for all the compiler knows
  float first_start = 1e9f, last_end = -1e9f, widest = 0.0f;
  for (int i = 0; i < count; ++i) {
    Floats weights = all(1.0f);
    if constexpr (kind != WeightKind::one) {
      if (!find_weights<kind>(f, first + i, x_m, z, bounds.near_m[i], weights)) continue;
    }
    const Floats dx = x - all(f.element_x_m[first + i]);
    const Floats samples = excess(g, dx, all(z - f.element_z_m[first + i]), depth);
    const float start = bounds.start[i];
    const float width = bounds.width[i];
    store(table.delay[n], to_ints((samples - all(start)) * all(kFixed)));
    store_phasors(samples * turns_per_sample, weights, table.to_re[n], table.to_im[n]);
    first_start = start < first_start ? start : first_start;
    last_end = start + width > last_end ? start + width : last_end;
    widest = width > widest ? width : widest;
    table.start[n] = static_cast<std::int32_t>(start);
    table.element[n] = first + i;
    ++n;
  }
  table.n = n;
  table.first_start = static_cast<std::int32_t>(first_start);
  table.last_end = floor_to_int(last_end) + 1;
  table.widest = widest;
}

static void fill_table(const WindowFrame& f, const float* x_m, float z, int first, ReceiveTable& table) {
  if (f.weights == WeightKind::one) return fill_table<WeightKind::one>(f, x_m, z, first, table);
  if (f.weights == WeightKind::boxcar) return fill_table<WeightKind::boxcar>(f, x_m, z, first, table);
  fill_table<WeightKind::general>(f, x_m, z, first, table);
}

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
};

template <int Count, class Window>
[[gnu::noinline]] static void sum_lines(const WindowFrame& f, const ReceiveTable& table, const TransmitRow& row,
                                        int first) {
  const auto stride = static_cast<std::size_t>(f.stride);
  const auto n_el = static_cast<std::size_t>(f.das.n_el);
  Ints re[Count], im[Count], delay[Count];
  for (int t = 0; t < Count; ++t) {
    re[t] = im[t] = no_ints();
    delay[t] = load(row.delay + static_cast<std::ptrdiff_t>(first + t) * kLanes);
  }
  const std::uint32_t* lines = f.pairs + static_cast<std::size_t>(first) * n_el * stride;
  for (int i = 0; i < table.n; ++i) {
    const Ints receive = load(table.delay[i]);
    const Ints to_re = load(table.to_re[i]);
    const Ints to_im = load(table.to_im[i]);
    const std::uint32_t* line = lines + static_cast<std::size_t>(table.element[i]) * stride;
#pragma GCC unroll 4
    for (int t = 0; t < Count; ++t) {
      const Ints wanted = add(receive, delay[t]);
      const std::int32_t start = row.start[first + t] + table.start[i];
      const std::uint32_t* own = line + static_cast<std::size_t>(t) * n_el * stride;
      Ints s0, s1;
      if constexpr (requires { Window::reach; }) {
        Window::fetch(own + start, whole_samples(wanted), s0, s1);
      } else {
        Window::fetch(own, start, f.das.n_valid, whole_samples(wanted), s0, s1);
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
static void sum_transmits(const WindowFrame& f, const ReceiveTable& table, const TransmitRow& row, float tx_width,
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

static void sum_row(const WindowFrame& f, const ReceiveTable& table, const TransmitRow& row, float tx_width) {
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

// Transmit excess of the pixels of one vector, the last one repeated.
static void copy_excess(const DasGeometry& g, int t, int iz, int ix, float* values) {
  const float* excess = g.tx_excess + (static_cast<std::ptrdiff_t>(t) * g.nz + iz) * g.nx;
  for (int i = 0; i < kLanes; ++i) values[i] = excess[ix + i < g.nx ? ix + i : g.nx - 1];
}

// Delays and starts of one row; returns how far apart the pixels of a vector are at most, in samples.
static float prepare_row(const WindowFrame& f, int ix, int iz, std::int32_t* delay, std::int32_t* start) {
  alignas(64) float values[kLanes];
  float widest = 0.0f;
  for (int t = 0; t < f.das.n_tx; ++t) {
    copy_excess(f.das, t, iz, ix, values);
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
static void finish_row(const WindowFrame& f, int ix, int iz, const float* sums, Complex* image) {
  alignas(64) float re[kLanes] = {}, im[kLanes] = {}, excess[kLanes];
  for (int t = 0; t < f.das.n_tx; ++t) {
    copy_excess(f.das, t, iz, ix, excess);
    const float turns = f.das.row_turns[static_cast<std::ptrdiff_t>(t) * f.das.nz + iz];
    const float* sum = sums + static_cast<std::ptrdiff_t>(t) * 2 * kLanes;
    for (int i = 0; i < kLanes; ++i) {
      const Complex value = unit_phasor(turns + excess[i] * f.das.turns_per_sample) * Complex{sum[i], sum[kLanes + i]};
      re[i] += value.re;
      im[i] += value.im;
    }
  }
  Complex* row = image + static_cast<std::ptrdiff_t>(iz) * f.das.nx;
  for (int i = 0; i < kLanes && ix + i < f.das.nx; ++i) row[ix + i] = {f.unit * re[i], f.unit * im[i]};
}

static void vector_tile(const WindowFrame& f, int ix, int row_begin, int row_end, const WindowScratch& s,
                        Complex* image) {
  const std::ptrdiff_t row_ints = static_cast<std::ptrdiff_t>(f.das.n_tx) * kLanes;
  float width[kWindowRows];
  const int n_rows = row_end - row_begin;
  for (int r = 0; r < n_rows; ++r) {
    width[r] = prepare_row(f, ix, row_begin + r, s.delay + r * row_ints, s.start + r * f.das.n_tx);
  }
  for (std::ptrdiff_t i = 0; i < 2 * row_ints * n_rows; ++i) s.sums[i] = 0.0f;
  ReceiveTable table;
  for (int first = 0; first < f.das.n_el; first += kElementsPerFlush) {
    for (int r = 0; r < n_rows; ++r) {
      fill_table(f, f.x_m + ix, f.das.z_m[row_begin + r], first, table);
      if (table.n == 0) continue;
      sum_row(
          f, table,
          {s.delay + r * row_ints, s.start + static_cast<std::ptrdiff_t>(r) * f.das.n_tx, s.sums + 2 * r * row_ints},
          width[r]);
    }
  }
  for (int r = 0; r < n_rows; ++r) finish_row(f, ix, row_begin + r, s.sums + 2 * r * row_ints, image);
}

void das_window_tile(const WindowFrame& f, int block, int row_begin, int row_end, const WindowScratch& scratch,
                     Complex* image) {
  const int last = (block + 1) * kWindowLanes < f.das.nx ? (block + 1) * kWindowLanes : f.das.nx;
  for (int ix = block * kWindowLanes; ix < last; ix += kLanes) {
    vector_tile(f, ix, row_begin, row_end, scratch, image);
  }
}

}  // namespace echoloop::ECHO_ISA
