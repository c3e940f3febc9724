// Which form of the tuned delay-and-sum an image gets, and with which numbers.
#include <algorithm>

#include "backend/fp16/packed_plan.h"

namespace echoloop {

// Samples of floats are scaled by each frame's largest one, which the conditioner looks for in one frame only; its sums
// depend on where a line lies in a wide load.
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
    double gds[3];  // with every block of the device at work and no transmit of a group missing: code for 9.0, 8.0, 7.5
    double gds_together;  // of form.most_frames frames, code for 9.0; 0: they are summed one by one
  };
  // Measured on an H200 (9.0) and an H100, full aperture, a launch after the other.
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
    if (method == PackedMethod::coherence_of_transmits) {  // the sum of a transmit is one block's
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
  for (const PackedTuning& tuning : rank_tunings(g, device, frames_together, method)) {
    if (auto plan = make_packed_plan(g, tuning, device, previous, method)) return plan;
  }
  return nullptr;
}

}  // namespace echoloop
