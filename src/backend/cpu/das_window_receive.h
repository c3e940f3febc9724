// The receive part of das_window_tile(): delays, weights and phasors of some elements for the pixels of one vector.
// Part of das_window_kernel.h, with the vector operations of the instruction set that includes it.
#pragma once

#include "backend/cpu/isa_loops.h"
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

// The pixels of one vector.
struct VectorPixels {
  alignas(64) float x_m[kLanes];
  alignas(64) float z_m[kLanes];
  float depth_samples;  // what row_base already counts: |z|, polar: the distance from the apex
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

// Samples beyond row_base. The path less the depth: good to the rounding of a float path, 1e-4 rad at 1000 wavelengths.
ECHO_OP Floats excess(const DasGeometry& g, Floats dx, Floats dz, Floats depth_samples) {
  const Floats squared = multiply_add(dx, dx, multiply_add(dz, dz, all(1e-24f)));
  return multiply_subtract(square_root(squared), all(g.samples_per_m), depth_samples);
}

// Along an arc about the apex the path falls towards the element's direction and rises beyond it.
static void find_arc_bounds(const WindowInput& f, const VectorPixels& p, int first, Bounds& b) {
  const Floats depth = all(p.depth_samples);
  const Floats apex = all(p.apex_z_m);
  for (int i = 0; i < kElementsPerFlush; i += kLanes) {
    const Floats x = load(f.element_x_m + first + i);
    const Floats down = load(f.element_z_m + first + i) - apex;
    const Floats at0 = excess(f.das, all(p.x_m[0]) - x, all(p.z_m[0]) - apex - down, depth);
    const Floats at1 = excess(f.das, all(p.x_m[kLanes - 1]) - x, all(p.z_m[kLanes - 1]) - apex - down, depth);
    // Distance from the element's own direction, where it lies between the two: the cosine's way round at 0 and 1.
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

// The weights of one vector, kind boxcar or general; false when all are zero.
template <WindowWeights kind>
[[gnu::always_inline]] static inline bool find_weights(const WindowInput& f, int element, const VectorPixels& p,
                                                       float near_m, Floats& weights) {
  const DasGeometry& g = f.das;
  if constexpr (kind == WindowWeights::boxcar) {
    // |dx| F / dz <= 1/2, as apodization_weight() has it
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
  int n = 0;  // and the others apart from the table, whose stores might be stores to them for all the compiler knows
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

}  // namespace echoloop::ECHO_ISA
