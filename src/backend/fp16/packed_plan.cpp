#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "backend/fp16/packed_plan.h"
#include "backend/fp16/packed_tiles.h"
#include "core/units.h"

namespace echoloop {
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

// As many stages, and elements in them, as asked for; where shared memory does not have them, fewer elements before
// fewer than three stages.
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

// The most elements in flight, three stages of them before two; a whole number of stages makes one of a frame alone:
// sums are turned after the same elements.
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

// Blocks start in this order: a group of transmits after the other, so that those at work together read the same
// lines; within a group the tiles with most elements first, so that no long one is left for the end.
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
  // Interpolation at the Chebyshev nodes of s = v^2, v = |u| - flat, by Newton's divided differences.
  constexpr int kN = 7;
  const double reach = 0.5 - static_cast<double>(p.flat);
  std::array<double, kN> s{};
  std::array<double, kN> d{};
  for (int i = 0; i < kN; ++i) {
    s[static_cast<std::size_t>(i)] = 0.5 * reach * reach * (1.0 - std::cos(kPi * (i + 0.5) / kN));
    const double u = static_cast<double>(p.flat) + std::sqrt(s[static_cast<std::size_t>(i)]);
    d[static_cast<std::size_t>(i)] = static_cast<double>(apodization_weight(window, static_cast<float>(u)));
  }
  for (std::size_t k = 1; k < kN; ++k) {
    for (std::size_t i = kN - 1; i >= k; --i) d[i] = (d[i] - d[i - 1]) / (s[i] - s[i - k]);
  }
  std::array<double, kN> c{};
  for (std::size_t k = kN; k-- > 0;) {
    for (std::size_t i = kN - 1; i > 0; --i) c[i] = c[i - 1] - s[k] * c[i];
    c[0] = d[k] - s[k] * c[0];
  }
  std::transform(c.begin(), c.end(), p.c, [](double v) { return static_cast<float>(v); });
  return p;
}

PackedFir make_packed_fir(const Acquisition& a, const ImagingParams& p, double line_rate_hz, double demod_hz) {
  const double ratio = line_rate_hz / a.sampling_hz;  // a power of two
  return design_packed_fir({.sampling_hz = a.sampling_hz,
                            .band_low_hz = p.formation.band_low_hz,
                            .band_high_hz = p.formation.band_high_hz,
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
  if (fewer) plan->weight = WeightKind::general;  // which has it as well
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

}  // namespace echoloop
