// Loops of das_window_tile(); each das_window_*.cpp defines the vector operations and includes this file. Order: for
// every 16 elements, for every row of the tile: the receive part into a small table, then all transmits, whose integer
// sums are added to the tile's float sums. The next row reads the lines again from the nearest cache. No standard
// library here: an inline function compiled with AVX must not become the copy that every machine runs.
#pragma once

#include "backend/cpu/isa_loops.h"
#include "backend/cpu/receive_weights.h"

namespace echoloop::ECHO_ISA {

// Receive part of das_window_tile(): delays, weights and phasors of some elements for the pixels of one vector, with
// the vector operations of the including instruction set.

inline constexpr float kFixed = 65536.0f;  // 16.16 fixed point
// Margin for rounding of delay bounds, which are computed apart from the delays, in samples.
inline constexpr float kSlack = 0.01f;

// Receive part of some elements for the pixels of one vector.
struct ReceiveTable {
  alignas(64) std::int32_t delay[kElementsPerFlush][kLanes];  // samples after `start`, 16.16 fixed point
  alignas(64) std::int32_t to_re[kElementsPerFlush][kLanes];  // (cos, -sin) int16, weight included
  alignas(64) std::int32_t to_im[kElementsPerFlush][kLanes];  // (sin, cos)
  std::int32_t start[kElementsPerFlush];                      // whole samples
  std::int32_t element[kElementsPerFlush];
  int n;
  std::int32_t first_start, last_end;  // over all elements: samples that may be needed, without the transmit part
  float widest;                        // samples from the first to the last pixel of a vector, at most
};

// Nearest and farthest delay of each element of one flush for the pixels from x0 to x1, in samples.
struct Bounds {
  alignas(64) float near_m[kElementsPerFlush];  // lateral distance
  alignas(64) float start[kElementsPerFlush];
  alignas(64) float width[kElementsPerFlush];
};

// The pixels of one vector.
struct VectorPixels {
  alignas(64) float x_m[kLanes];
  alignas(64) float z_m[kLanes];
  float depth_samples;  // part included in row_base: |z|, polar: the distance from the apex
  bool polar;
  float apex_z_m, r_m;           // polar
  float sin0, cos0, sin1, cos1;  // polar: directions of the first and the last pixel

  static VectorPixels of(const WindowInput& f, int ix, int iz) {
    const DasGeometry& g = f.das;
    const float row = g.z_m[iz];
    VectorPixels p;
    p.polar = f.down_m != nullptr;
    p.depth_samples = (row < 0.0f ? -row : row) * g.samples_per_m;
    if (!p.polar) {
      store(p.x_m, load(f.x_m + ix));
      store(p.z_m, all(row));
      return p;
    }
    p.apex_z_m = g.apex_z_m;
    p.r_m = row;
    store(p.x_m, all(row) * load(f.x_m + ix));
    store(p.z_m, multiply_add(all(row), load(f.down_m + ix), all(g.apex_z_m)));
    p.sin0 = f.x_m[ix], p.cos0 = f.down_m[ix];
    p.sin1 = f.x_m[ix + kLanes - 1], p.cos1 = f.down_m[ix + kLanes - 1];
    return p;
  }
};

// Returns samples beyond row_base. Path minus depth: precise to a float path's rounding, 1e-4 rad at 1000 wavelengths.
ECHO_OP Floats excess(const DasGeometry& g, Floats dx, Floats dz, Floats depth_samples) {
  const Floats squared = multiply_add(dx, dx, multiply_add(dz, dz, all(1e-24f)));
  return multiply_subtract(square_root(squared), all(g.samples_per_m), depth_samples);
}

// Finds bounds along an arc about the apex: the path falls towards the element's direction and rises beyond it.
static void find_arc_bounds(const WindowInput& f, const VectorPixels& p, int first, Bounds& b) {
  const Floats depth = all(p.depth_samples);
  const Floats apex = all(p.apex_z_m);
  for (int i = 0; i < kElementsPerFlush; i += kLanes) {
    const Floats x = load(f.element_x_m + first + i);
    const Floats down = load(f.element_z_m + first + i) - apex;
    const Floats at0 = excess(f.das, all(p.x_m[0]) - x, all(p.z_m[0]) - apex - down, depth);
    const Floats at1 = excess(f.das, all(p.x_m[kLanes - 1]) - x, all(p.z_m[kLanes - 1]) - apex - down, depth);
    // Excess in the element's own direction: the minimum, if that direction lies between those of pixels 0 and 1.
    const Floats right_of_0 = multiply_subtract(x, all(p.cos0), down * all(p.sin0));
    const Floats left_of_1 = multiply_subtract(down, all(p.sin1), x * all(p.cos1));
    const Floats facing = square_root(multiply_add(x, x, down * down));
    const Floats nearest_point = excess(f.das, all(p.r_m) - facing, all(0.0f), depth);
    const Floats end = all(0.0f) - larger(all(0.0f) - at0, all(0.0f) - at1);
    const Floats between = all(0.0f) - larger(all(0.0f) - right_of_0, all(0.0f) - left_of_1);
    const Floats fall = where_not_negative(between, end - nearest_point);
    const Floats start = floor(end - larger(fall, all(0.0f)) - all(kSlack));
    store(b.near_m + i, all(0.0f));
    store(b.start + i, start);
    store(b.width + i, larger(at0, at1) - start + all(kSlack));
  }
}

static void find_bounds(const WindowInput& f, const VectorPixels& p, int first, Bounds& b) {
  if (p.polar) return find_arc_bounds(f, p, first, b);
  const float x0 = p.x_m[0], x1 = p.x_m[kLanes - 1], z = p.z_m[0];
  const Floats depth = all(p.depth_samples);
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

// Computes the weights of one vector, kind boxcar or general; returns false if all are zero.
template <WindowWeights kind>
[[gnu::always_inline]] static inline bool find_weights(const WindowInput& f, int element, const VectorPixels& p,
                                                       float near_m, Floats& weights) {
  const DasGeometry& g = f.das;
  if constexpr (kind == WindowWeights::boxcar) {
    // |dx| F / dz <= 1/2, as in apodization_weight()
    const float per_m = 0.5000005f / g.f_number;
    const float half = (p.z_m[0] - f.element_z_m[element]) * per_m;
    if (!p.polar && (near_m > half || half <= 0.0f)) return false;
    const Floats dx = load(p.x_m) - all(f.element_x_m[element]);
    const Floats halves = p.polar ? (load(p.z_m) - all(f.element_z_m[element])) * all(per_m) : all(half);
    weights = where_not_negative(halves - larger(dx, all(0.0f) - dx), all(1.0f));
    return !p.polar || greatest(weights) > 0.0f;
  }
  alignas(64) float values[kLanes];
  weigh_row(g, g.elements[element], p.x_m, kLanes, p.z_m, values);
  bool seen = false;
  for (const float w : values) seen = seen || w != 0.0f;
  weights = load(values);
  return seen;
}

// Stores weight * exp(i 2 pi turns) as int16 pairs; sin and cos of pi r by polynomials in r^2 (errors 1.2e-6 and
// 6.8e-6, a twentieth of an int16 step), then the double angle.
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

// Not inlined, as sum_lines(), to keep the registers for the loop.
template <WindowWeights kind>
[[gnu::noinline]] static void fill_table(const WindowInput& f, const VectorPixels& p, int first, ReceiveTable& table) {
  const DasGeometry& g = f.das;
  Bounds bounds;
  find_bounds(f, p, first, bounds);
  const Floats x = load(p.x_m);
  const Floats z = load(p.z_m);
  const Floats depth = all(p.depth_samples);
  const Floats turns_per_sample = all(g.turns_per_sample);
  const int count = g.n_el - first < kElementsPerFlush ? g.n_el - first : kElementsPerFlush;
  int n = 0;  // locals, as the compiler must assume that stores to the table change its members
  float first_start = 1e9f, last_end = -1e9f, widest = 0.0f;
  for (int i = 0; i < count; ++i) {
    Floats weights = all(1.0f);
    if constexpr (kind != WindowWeights::one) {
      if (!find_weights<kind>(f, first + i, p, bounds.near_m[i], weights)) continue;
    }
    const Floats dx = x - all(f.element_x_m[first + i]);
    const Floats samples = excess(g, dx, z - all(f.element_z_m[first + i]), depth);
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

static void fill_table(const WindowInput& f, const VectorPixels& p, int first, ReceiveTable& table) {
  if (f.weights == WindowWeights::one) return fill_table<WindowWeights::one>(f, p, first, table);
  if (f.weights == WindowWeights::boxcar) return fill_table<WindowWeights::boxcar>(f, p, first, table);
  fill_table<WindowWeights::general>(f, p, first, table);
}

// Fetch lane by lane, for windows across an end of the record and pixels too far apart for a window.
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

// Arguments of sum_lines(), which adds transmits first .. first + Count - 1 of one row.
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
  // The last sample of a pixel needs a neighbour: width rounded down, plus two.
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

// Columns first, first + step, ... of one vector; only the first n exist.
struct Columns {
  int first, step, n;

  // Returns columns: side 0 runs from the left edge to the centre, side 1 from the right edge.
  static Columns of(const WindowInput& f, int side, int ix) {
    const int n = (f.sides == 1 ? f.das.nx : (f.das.nx + 1 - side) / 2) - ix;
    return {side == 0 ? ix : f.das.nx - 1 - ix, side == 0 ? 1 : -1, n < kLanes ? n : kLanes};
  }
};

// Copies the transmit excess of one vector; missing pixels repeat the last.
static void copy_excess(const DasGeometry& g, int t, int iz, Columns columns, float* values) {
  const float* excess = g.tx_excess + (static_cast<std::ptrdiff_t>(t) * g.nz + iz) * g.nx;
  if (columns.n == kLanes) {
    if (columns.step > 0) return store(values, load(excess + columns.first));
    return store(values, backwards(load(excess + columns.first - (kLanes - 1))));
  }
  for (int i = 0; i < kLanes; ++i)
    values[i] = excess[columns.first + columns.step * (i < columns.n ? i : columns.n - 1)];
}

// Sets delays and starts of one row; returns the maximum distance of pixels in a vector, in samples.
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

// Applies transmit phasors, sums over transmits and scales to the step's value.
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

// Work space of one row and side.
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
  // Prefetches the transmit delays, which lie rows apart, where the hardware does not.
  for (int i = 0; i < n_rows * f.das.n_tx; ++i) {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i / n_rows) * f.das.nz + row_begin + i % n_rows;
    for (int side = 0; side < f.sides; ++side)
      __builtin_prefetch(f.das.tx_excess + row * f.das.nx + (side == 0 ? ix : f.das.nx - 1 - ix));
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
  for (int ix = block * kWindowLanes; ix < last; ix += kLanes)
    vector_tile(f, ix, row_begin, row_end - row_begin, scratch, image);
}

}  // namespace echoloop::ECHO_ISA
