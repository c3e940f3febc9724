#include "backend/fp16/packed_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"

namespace echoloop {

// Tiles of the tuned delay-and-sum: samples of each line, and elements, that a tile can need. Pure functions of the
// plan's geometry. Tiles are numbered along x, then down.
struct ElementSpan {
  int first = 0;
  int count = 0;
};

// Returns the window starts of all tiles and the window length. Null if a delay is not finite or no window can hold it.
std::shared_ptr<const PackedWindows> make_packed_windows(const DasGeometry& g, const TileShape& tile);

// Returns the range of elements that see any pixel of the tile (F-number).
ElementSpan seeing_elements(const DasGeometry& g, const TileShape& tile, int index);

namespace {

constexpr int kWarp = 32;

WeightKind weight_kind(const DasGeometry& g, GridKind grid) {
  if (g.width_over_wavelength > 0.0f) return WeightKind::general;
  if (g.f_number <= 0.0f && g.apodization == Apodization::boxcar) return WeightKind::none;
  if (grid == GridKind::polar) return WeightKind::general;
  if (g.f_number <= 0.0f) return WeightKind::element;
  const bool flat = std::all_of(g.elements, g.elements + g.n_el,
                                [](const ElementGeometry& e) { return e.normal_sin == 0.0f && e.normal_cos == 1.0f; });
  return flat && g.apodization == Apodization::boxcar ? WeightKind::box : WeightKind::general;
}

PackedSizes sizes(const PackedPlan& plan, int stage_elements, int n_slots, int n_frames) {
  const PackedForm& form = plan.tuning.form;
  return {.weight = plan.weight,
          .rotation = form.rotation,
          .n_el = plan.most_elements,
          .n_transmits = form.n_transmits,
          .phasors = form.n_transmits * form.n_pixels * plan.summing_threads,
          .window = plan.window,
          .stage_elements = stage_elements,
          .n_slots = n_slots,
          .n_frames = n_frames};
}

// Chooses stages and elements per stage as requested; if shared memory is too small, reduces elements before going
// below three stages.
bool fit_shared(const Multiprocessors& device, PackedPlan& plan) {
  PackedTuning& t = plan.tuning;
  const int budget = device.shared_of_block(t.form.blocks_per_sm);
  const auto fits = [&](int elements, int slots) {
    return packed_shared(sizes(plan, elements, slots, 1)).total <= budget;
  };
  const int wanted_slots = std::clamp(t.n_slots, 2, kMaxStageSlots);
  int elements = std::clamp(t.stage_elements, 1, kMaxStageElements);
  int slots = wanted_slots;
  while (elements > 1 && !fits(elements, std::min(3, wanted_slots))) --elements;
  while (slots > 2 && !fits(elements, slots)) --slots;
  if (!fits(elements, slots)) return false;
  t.stage_elements = elements;
  t.n_slots = slots;
  plan.shared_bytes = packed_shared(sizes(plan, elements, slots, 1)).total;
  return true;
}

// Returns the most elements in flight, with three stages rather than two; a whole number of stages equals one of a
// single frame, so that sums are turned after the same elements.
PackedStages fit_together(const Multiprocessors& device, const PackedPlan& plan) {
  const PackedTuning& t = plan.tuning;
  const int n_frames = t.form.most_frames;
  if (n_frames < 2) return {};
  const int budget = device.shared_of_block(t.form.blocks_per_sm);
  const int element_bytes = t.form.n_transmits * plan.window * 8;
  PackedStages best;
  for (const int slots : {3, 2}) {
    for (int elements = t.stage_elements; elements >= 1; --elements) {
      if (t.form.rotation == Rotation::receive_first && t.stage_elements % elements != 0) continue;
      const int total = packed_shared(sizes(plan, elements, slots, n_frames)).total;
      if (slots * elements * element_bytes > frame_ring(n_frames) || total > budget) continue;
      if (slots * elements > best.n_slots * best.elements) best = {elements, slots, total};
    }
  }
  return best;
}

// Orders the blocks: by group of transmits, so that those running together read the same lines; within a group tiles
// with most elements first, so that no long one remains for the end.
void list_items(const DasGeometry& g, PackedPlan& plan) {
  std::vector<ElementSpan> spans;
  std::vector<int> order;
  for (int tile = 0; tile < plan.n_tiles(); ++tile) {
    spans.push_back(seeing_elements(g, plan.tuning.tile, tile));
    order.push_back(tile);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return spans[static_cast<std::size_t>(a)].count > spans[static_cast<std::size_t>(b)].count;
  });
  for (int group = 0; group < plan.n_groups; ++group) {
    for (const int tile : order) {
      const ElementSpan span = spans[static_cast<std::size_t>(tile)];
      for (int split = 0; split < plan.tuning.n_splits; ++split) {
        const int begin = span.count * split / plan.tuning.n_splits;
        const int end = span.count * (split + 1) / plan.tuning.n_splits;
        plan.items.push_back({tile, group * plan.tuning.n_splits + split, span.first + begin, end - begin});
        plan.most_elements = std::max(plan.most_elements, end - begin);
      }
    }
  }
}

bool shape_fits(const TileShape& tile, const PackedForm& form) {
  if (tile.tile_x < 1 || tile.tile_z < form.n_pixels || tile.tile_z % form.n_pixels != 0) return false;
  if (tile.warp_x == 0) return true;
  return tile.tile_x % tile.warp_x == 0 && kWarp % tile.warp_x == 0 &&
         tile.tile_z / form.n_pixels % (kWarp / tile.warp_x) == 0;
}

}  // namespace

WindowPolynomial make_window_polynomial(Apodization window) {
  WindowPolynomial p;
  if (window == Apodization::boxcar) return p;
  p.flat = window == Apodization::tukey ? 0.25f : 0.0f;
  // Interpolates at the Chebyshev nodes of s = v^2, v = |u| - flat, by Newton's divided differences.
  constexpr int kN = 7;
  const double reach = 0.5 - static_cast<double>(p.flat);
  std::array<double, kN> s{};
  std::array<double, kN> d{};
  for (int i = 0; i < kN; ++i) {
    s[static_cast<std::size_t>(i)] = 0.5 * reach * reach * (1.0 - std::cos(kPi * (i + 0.5) / kN));
    const double u = static_cast<double>(p.flat) + std::sqrt(s[static_cast<std::size_t>(i)]);
    d[static_cast<std::size_t>(i)] = static_cast<double>(apodization_weight(window, static_cast<float>(u)));
  }
  for (std::size_t k = 1; k < kN; ++k)
    for (std::size_t i = kN - 1; i >= k; --i) d[i] = (d[i] - d[i - 1]) / (s[i] - s[i - k]);
  std::array<double, kN> c{};
  for (std::size_t k = kN; k-- > 0;) {
    for (std::size_t i = kN - 1; i > 0; --i) c[i] = c[i - 1] - s[k] * c[i];
    c[0] = d[k] - s[k] * c[0];
  }
  std::transform(c.begin(), c.end(), p.c, [](double v) { return static_cast<float>(v); });
  return p;
}

PackedFir make_packed_fir(const Acquisition& a, double low_hz, double high_hz, double line_rate_hz, double demod_hz) {
  const double ratio = line_rate_hz / a.sampling_hz;  // a power of two
  return design_packed_fir({.sampling_hz = a.sampling_hz,
                            .band_low_hz = low_hz,
                            .band_high_hz = high_hz,
                            .input_hz = a.signal == SignalKind::rf ? 0.0 : a.demod_hz,
                            .demod_hz = demod_hz,
                            .decimation = ratio < 1.0 ? static_cast<int>(std::lround(1.0 / ratio)) : 1,
                            .interpolation = ratio > 1.0 ? static_cast<int>(std::lround(ratio)) : 1,
                            .components = a.values_per_sample()});
}

std::shared_ptr<const PackedPlan> make_packed_plan(const DasGeometry& g, const PackedTuning& tuning,
                                                   const Multiprocessors& device, const PackedPlan* previous,
                                                   PackedMethod method) {
  const PackedForm& form = tuning.form;
  if (!(g.turns_per_sample > 0.0f) || g.n_valid < 2) return nullptr;
  if (g.columns != nullptr || (g.down_m != nullptr && g.z_m[0] < 0.0f)) return nullptr;  // scan lines; above the apex
  if (!shape_fits(tuning.tile, form) || tuning.n_splits < 1) return nullptr;
  auto plan = std::make_shared<PackedPlan>();
  plan->tuning = tuning;
  plan->grid = g.down_m != nullptr ? GridKind::polar : GridKind::cartesian;
  plan->weight = weight_kind(g, plan->grid);
  plan->method = method;
  const bool fewer = method != PackedMethod::das && plan->weight == WeightKind::element;
  if (fewer) plan->weight = WeightKind::general;  // includes the element's weight
  plan->window_weight = make_window_polynomial(g.apodization);
  plan->tiles_across = divide_up(g.nx, tuning.tile.tile_x);
  plan->tiles_down = divide_up(g.nz, tuning.tile.tile_z);
  plan->n_groups = divide_up(g.n_tx, form.n_transmits);
  plan->summing_threads = divide_up(tuning.tile.tile_x * (tuning.tile.tile_z / form.n_pixels), kWarp) * kWarp;
  if (plan->summing_threads + kWarp > form.max_threads) return nullptr;
  if (previous != nullptr && previous->windows->tile == tuning.tile) {
    plan->windows = previous->windows;
  } else {
    plan->windows = make_packed_windows(g, tuning.tile);
    if (plan->windows == nullptr) return nullptr;
  }
  plan->window = plan->windows->length;
  list_items(g, *plan);
  if (!fit_shared(device, *plan)) return nullptr;
  if (method == PackedMethod::das) plan->together = fit_together(device, *plan);
  const double radians_per_sample = 2.0 * kPi * static_cast<double>(g.turns_per_sample);
  plan->radians_per_m = static_cast<float>(radians_per_sample * static_cast<double>(g.samples_per_m));
  plan->units_per_radian = static_cast<float>(static_cast<double>(kDelayUnits) / radians_per_sample);
  plan->n_words = (g.n_valid + 1) / 2 * 2;
  plan->pitch = plan->n_words + plan->window;
  // The kernel counts words of all lines in 32 bits.
  if (!(static_cast<double>(g.n_tx) * g.n_el * plan->pitch + plan->window < 2147483647.0)) return nullptr;
  return plan;
}

namespace {

struct TilePixels {        // pixels of a tile, clipped to the image
  int ix0, ix1, iz0, iz1;  // inclusive
};
struct TileRectangle {
  double x0_m, x1_m, z0_m, z1_m;
};

constexpr double kSlack = 0.01;  // samples: far above the kernel's rounding of a delay

struct Range {
  double low = 1e300;
  double high = -1e300;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

int even_floor(double v) { return 2 * static_cast<int>(std::floor(0.5 * v)); }

// Returns the sector of a polar grid's tile.
Sector tile_sector(const DasGeometry& g, const TilePixels& p) {
  const auto direction_rad = [&g](int ix) {
    return std::atan2(static_cast<double>(g.x_m[ix]), static_cast<double>(g.down_m[ix]));
  };
  return {.apex_z_m = static_cast<double>(g.apex_z_m),
          .angle0_rad = direction_rad(p.ix0),
          .angle1_rad = direction_rad(p.ix1),
          .r0_m = static_cast<double>(g.z_m[p.iz0]),
          .r1_m = static_cast<double>(g.z_m[p.iz1])};
}

// Returns the smallest and largest distance from an element to a tile's pixels, samples: from e at (rho, phi) about the
// apex to (r, theta) it is the root of r^2 + rho^2 - 2 r rho cos(theta - phi), which grows with |theta - phi| and,
// along a line, falls until r = rho cos(theta - phi) and then grows.
Range polar_receive_range(const DasGeometry& g, const ElementGeometry& e, const TilePixels& p) {
  const Sector s = tile_sector(g, p);
  const double down = static_cast<double>(e.z_m) - s.apex_z_m;
  const double rho = std::hypot(static_cast<double>(e.x_m), down);
  const double phi = std::atan2(static_cast<double>(e.x_m), down);
  const auto squared = [rho](double r, double off_rad) {
    return std::max(0.0, r * r + rho * rho - 2.0 * r * rho * std::cos(off_rad));
  };
  const double near_rad = std::abs(std::clamp(phi, s.angle0_rad, s.angle1_rad) - phi);
  const double far_rad = std::min(kPi, std::max(std::abs(s.angle0_rad - phi), std::abs(s.angle1_rad - phi)));
  const double nearest = squared(std::clamp(rho * std::cos(near_rad), s.r0_m, s.r1_m), near_rad);
  const double farthest = std::max(squared(s.r0_m, far_rad), squared(s.r1_m, far_rad));
  const double samples_per_m = static_cast<double>(g.samples_per_m);
  return {std::sqrt(nearest) * samples_per_m, std::sqrt(farthest) * samples_per_m};
}

// Returns the bounding rectangle of a tile: exact for straight rows and columns; the box around a piece of a sector.
TileRectangle tile_rectangle(const DasGeometry& g, const TilePixels& p) {
  if (g.down_m != nullptr) {
    const Grid box = polar_grid(tile_sector(g, p), 1, 1);
    return {.x0_m = box.x0_m, .x1_m = box.x1_m, .z0_m = box.z0_m, .z1_m = box.z1_m};
  }
  return {.x0_m = static_cast<double>(g.x_m[p.ix0]),
          .x1_m = static_cast<double>(g.x_m[p.ix1]),
          .z0_m = static_cast<double>(g.z_m[p.iz0]),
          .z1_m = static_cast<double>(g.z_m[p.iz1])};
}

Range straight_receive_range(const DasGeometry& g, const ElementGeometry& e, const TilePixels& p) {
  const TileRectangle r = tile_rectangle(g, p);
  const double x = static_cast<double>(e.x_m);
  const double z = static_cast<double>(e.z_m);
  const double near_x = std::clamp(x, r.x0_m, r.x1_m) - x;
  const double near_z = std::clamp(z, r.z0_m, r.z1_m) - z;
  const double far_x = std::max(std::abs(r.x0_m - x), std::abs(r.x1_m - x));
  const double far_z = std::max(std::abs(r.z0_m - z), std::abs(r.z1_m - z));
  const double samples_per_m = static_cast<double>(g.samples_per_m);
  return {std::hypot(near_x, near_z) * samples_per_m, std::hypot(far_x, far_z) * samples_per_m};
}

Range transmit_range(const DasGeometry& g, const TilePixels& p, int tx) {
  Range range;
  for (int iz = p.iz0; iz <= p.iz1; ++iz) {
    const std::size_t row =
        static_cast<std::size_t>(tx) * static_cast<std::size_t>(g.nz) + static_cast<std::size_t>(iz);
    const float* excess = g.tx_excess + row * static_cast<std::size_t>(g.nx);
    float low = excess[p.ix0];
    float high = low;
    bool finite = true;
    for (int ix = p.ix0; ix <= p.ix1; ++ix) {
      low = std::min(low, excess[ix]);
      high = std::max(high, excess[ix]);
      finite = finite && std::isfinite(excess[ix]);
    }
    const double depth = std::abs(static_cast<double>(g.z_m[iz])) * static_cast<double>(g.samples_per_m);
    range.add(g.row_base[row] + static_cast<double>(low) - depth);
    range.add(g.row_base[row] + static_cast<double>(high) - depth);
    if (!finite) range.high = 1e300;
  }
  return range;
}

TilePixels tile_pixels(const DasGeometry& g, const TileShape& tile, int index) {
  const int tiles_across = divide_up(g.nx, tile.tile_x);
  const int ix0 = index % tiles_across * tile.tile_x;
  const int iz0 = index / tiles_across * tile.tile_z;
  return {ix0, std::min(ix0 + tile.tile_x, g.nx) - 1, iz0, std::min(iz0 + tile.tile_z, g.nz) - 1};
}

// Returns true if the element may see a point of the rectangle. The visible points lie between two lines through the
// element; each line is tested apart, which is slightly too permissive at the corners.
bool may_see(const DasGeometry& g, const ElementGeometry& e, const TileRectangle& r) {
  const double twice_f = 2.0 * static_cast<double>(g.f_number) * (1.0 - 1e-5);
  double left = 1e300;
  double right = 1e300;
  for (const double x : {r.x0_m, r.x1_m}) {
    for (const double z : {r.z0_m, r.z1_m}) {
      const double dx = x - static_cast<double>(e.x_m);
      const double dz = z - static_cast<double>(e.z_m);
      const double along = dx * static_cast<double>(e.normal_sin) + dz * static_cast<double>(e.normal_cos);
      const double across = dx * static_cast<double>(e.normal_cos) - dz * static_cast<double>(e.normal_sin);
      left = std::min(left, across * twice_f - along);
      right = std::min(right, -across * twice_f - along);
    }
  }
  constexpr double kTouch_m = 1e-7;
  return left <= kTouch_m && right <= kTouch_m;
}

}  // namespace

std::shared_ptr<const PackedWindows> make_packed_windows(const DasGeometry& g, const TileShape& tile) {
  auto windows = std::make_shared<PackedWindows>();
  windows->tile = tile;
  const int n_tiles = divide_up(g.nx, tile.tile_x) * divide_up(g.nz, tile.tile_z);
  const bool polar = g.down_m != nullptr;
  double longest = 0.0;
  for (int index = 0; index < n_tiles; ++index) {
    const TilePixels pixels = tile_pixels(g, tile, index);
    double rx_length = 0.0;
    double tx_length = 0.0;
    for (int e = 0; e < g.n_el; ++e) {
      const ElementGeometry& element = g.elements[e];
      const Range range = polar ? polar_receive_range(g, element, pixels) : straight_receive_range(g, element, pixels);
      if (!(range.high < 1e6)) return nullptr;
      const int start = even_floor(range.low - kSlack);
      rx_length = std::max(rx_length, range.high + kSlack - start);
      windows->rx_start.push_back(start);
    }
    for (int tx = 0; tx < g.n_tx; ++tx) {
      const Range range = transmit_range(g, pixels, tx);
      if (!(range.low > -1.1e9 && range.high < 1.1e9)) return nullptr;
      const int start = even_floor(range.low - kSlack);
      tx_length = std::max(tx_length, range.high + kSlack - start);
      windows->tx_start.push_back(start);
    }
    longest = std::max(longest, rx_length + tx_length);
  }
  if (!(longest < kLargestWindow - 4)) return nullptr;
  windows->length = (static_cast<int>(longest) + 2) / 2 * 2;  // even
  return windows;
}

ElementSpan seeing_elements(const DasGeometry& g, const TileShape& tile, int index) {
  if (g.f_number <= 0.0f) return {0, g.n_el};
  const TileRectangle r = tile_rectangle(g, tile_pixels(g, tile, index));
  int first = g.n_el;
  int last = -1;
  for (int e = 0; e < g.n_el; ++e) {
    if (!may_see(g, g.elements[e], r)) continue;
    first = std::min(first, e);
    last = e;
  }
  return last < 0 ? ElementSpan{} : ElementSpan{first, last - first + 1};
}

// Choice of the form of the tuned delay-and-sum and its numbers for an image.

// Returns false for floats, scaled by each frame's largest sample, which the conditioner finds for one frame only, and
// for frames that change the alignment of wide loads, on which sums depend.
bool may_be_together(const Acquisition& a) {
  constexpr std::size_t kWideLoad = 16;
  return a.sample_type == SampleType::int16 && a.frame_bytes() % kWideLoad == 0;
}

int small_frames_at_once(const Acquisition& a, std::size_t n_pixels) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;  // of all of them
  if (!may_be_together(a)) return 1;
  const std::size_t largest = std::max(a.frame_bytes(), n_pixels * sizeof(float));
  return std::clamp(static_cast<int>(kBytes / largest), 1, kMostFramesAtOnce);
}

std::optional<PackedMethod> packed_method(const MethodSettings& s) {
  const AdaptiveShow show = s.shows_factor ? AdaptiveShow::weight : AdaptiveShow::image;
  if (!has_half_precision(s.method, s.axis, s.order, show)) return std::nullopt;
  if (s.method == Adaptive::off) return PackedMethod::das;
  return s.axis == AdaptiveAxis::both ? PackedMethod::coherence : PackedMethod::coherence_of_transmits;
}

std::vector<PackedTuning> rank_tunings(const DasGeometry& g, const Multiprocessors& device, int frames_together,
                                       PackedMethod method) {
  struct Tuned {
    PackedTuning tuning;
    double gds[3];        // with every block busy and full groups of transmits: code for 9.0, 8.0, 7.5
    double gds_together;  // of form.most_frames frames, code for 9.0; 0: frames are summed singly
  };
  // Measured on an H200 (9.0) and an H100, full aperture, consecutive launches.
  const Tuned table[kPackedFormCount] = {
      {{.form = kPackedForms[0], .tile = {16, 32, 8}, .stage_elements = 16, .n_slots = 3},
       {1800.0, 1700.0, 1450.0},
       2350.0},
      {{.form = kPackedForms[1], .tile = {32, 32, 8}, .stage_elements = 16, .n_slots = 3},
       {1920.0, 1850.0, 1780.0},
       0.0},
      {{.form = kPackedForms[2], .tile = {24, 20, 8}, .stage_elements = 5, .n_slots = 3},
       {2180.0, 1980.0, 980.0},
       2650.0},
      {{.form = kPackedForms[3], .tile = {32, 48, 8}, .stage_elements = 16, .n_slots = 4},
       {1050.0, 1040.0, 980.0},
       0.0}};
  const int code = device.code >= 90 ? 0 : device.code >= 80 ? 1 : 2;
  constexpr int kMaxSplits = 4;
  constexpr int kElementsWorthABlock = 16;
  struct Ranked {
    PackedTuning tuning;
    double expected;
  };
  std::vector<Ranked> ranked;
  for (const Tuned& tuned : table) {
    PackedTuning t = tuned.tuning;
    if (!is_compiled(t.form, method)) continue;
    const int groups = divide_up(g.n_tx, t.form.n_transmits);
    const int items = divide_up(g.nx, t.tile.tile_x) * divide_up(g.nz, t.tile.tile_z) * groups;
    const int at_once = device.count * t.form.blocks_per_sm;
    t.n_splits = std::max(std::clamp(at_once / items, 1, std::clamp(g.n_el / kElementsWorthABlock, 1, kMaxSplits)),
                          divide_up(g.n_el, kMostBlockElements));
    if (method == PackedMethod::coherence_of_transmits) {  // one block sums a transmit
      if (g.n_el > kMostBlockElements) continue;
      t.n_splits = 1;
    }
    const bool together = code == 0 && frames_together >= t.form.most_frames && tuned.gds_together > 0.0;
    const double gds = together ? tuned.gds_together : tuned.gds[code];
    ranked.push_back({t, gds * g.n_tx / (groups * t.form.n_transmits) * std::min(1.0, 1.0 * items / at_once)});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.expected > b.expected; });
  std::vector<PackedTuning> tunings;
  for (const Ranked& r : ranked) tunings.push_back(r.tuning);
  return tunings;
}

std::shared_ptr<const PackedPlan> choose_packed_plan(const DasGeometry& g, const Multiprocessors& device,
                                                     int frames_together, const PackedPlan* previous,
                                                     PackedMethod method) {
  for (const PackedTuning& tuning : rank_tunings(g, device, frames_together, method))
    if (auto plan = make_packed_plan(g, tuning, device, previous, method)) return plan;
  return nullptr;
}

}  // namespace echoloop
