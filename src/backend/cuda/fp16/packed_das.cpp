// Launches of the tuned delay-and-sum. Checks every number that the kernel relies on: a ring counted in two ways would
// wait forever.
#include "backend/cuda/fp16/packed_das.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;

const PackedKernels& kernels_of(const PackedPlan& plan) {
  static const PackedKernels cartesian[kWeightKinds] = {packed_kernels_none(), packed_kernels_element(),
                                                        packed_kernels_box(), packed_kernels_general()};
  static const PackedKernels polar_none = packed_kernels_polar_none();
  static const PackedKernels polar_general = packed_kernels_polar_general();
  if (plan.grid == GridKind::cartesian) return cartesian[static_cast<int>(plan.weight)];
  return plan.weight == WeightKind::none ? polar_none : polar_general;
}

const void* kernel_of(const PackedPlan& plan, int n_frames) {
  const auto* form = std::find(std::begin(kPackedForms), std::end(kPackedForms), plan.tuning.form);
  if (form == std::end(kPackedForms) || !is_compiled(*form, plan.method))
    throw std::logic_error("fp16 delay-and-sum: unknown kernel form");
  const auto at = form - std::begin(kPackedForms);
  if (plan.method != PackedMethod::das) {
    const auto kernels = plan.grid == GridKind::polar ? coherence_kernels_polar : coherence_kernels_cartesian;
    return kernels(plan.method, plan.weight).of_form[at];
  }
  const PackedKernels& kernels = kernels_of(plan);
  return (n_frames == 1 ? kernels.of_form : kernels.of_together)[at];
}

void require(bool holds, const char* rule) {
  if (!holds) throw std::logic_error(std::string("fp16 delay-and-sum: requires ") + rule);
}

void check(const PackedPlan& plan) {
  const PackedTuning& t = plan.tuning;
  require(plan.summing_threads > 0 && plan.summing_threads % kWarp == 0, "whole summing warps");
  require(plan.summing_threads + kWarp <= t.form.max_threads, "threads of the form");
  require(t.tile.tile_x * (t.tile.tile_z / t.form.n_pixels) <= plan.summing_threads, "a thread for every pixel");
  require(t.n_slots >= 2 && t.n_slots <= kMaxStageSlots, "slots with barriers");
  require(t.stage_elements >= 1 && t.stage_elements <= kMaxStageElements, "elements of a stage");
  require(plan.window > 0 && plan.window % 2 == 0 && plan.pitch % 2 == 0 && plan.n_words % 2 == 0, "16-byte windows");
  require(plan.grid == GridKind::cartesian || plan.weight == WeightKind::none || plan.weight == WeightKind::general,
          "weights compiled for sectors");
  require(plan.window < kLargestWindow, "windows addressable by a delay");
  require(plan.items.size() == static_cast<std::size_t>(plan.n_tiles()) * static_cast<std::size_t>(plan.n_parts()),
          "an item for every part of every tile");
  // A barrier counts at most 2^20 - 1 bytes.
  require(t.stage_elements * t.form.n_transmits * plan.window * 8 < (1 << 20), "bytes of a stage");
  const PackedStages& together = plan.together;
  if (together.elements == 0) return;
  require(t.form.most_frames >= 2, "a form for several frames");
  require(together.n_slots >= 2 && together.n_slots <= kMaxStageSlots, "slots with barriers, of several frames");
  require(together.elements * together.n_slots * t.form.n_transmits * plan.window * 8 <= frame_ring(t.form.most_frames),
          "rings of several frames apart");
}

}  // namespace

PackedDasArgs packed_das_args(const PackedPlan& plan, const PackedMemory& m) {
  return {.geometry = m.geometry,
          .words = m.words,
          .scale = m.scale,
          .pitch = plan.pitch,
          .n_words = plan.n_words,
          .window = plan.window,
          .tile = plan.tuning.tile,
          .tiles_across = plan.tiles_across,
          .n_parts = plan.n_parts(),
          .n_splits = plan.tuning.n_splits,
          .most_elements = plan.most_elements,
          .stage_elements = plan.tuning.stage_elements,
          .n_slots = plan.tuning.n_slots,
          .stages_a_turn = std::max(1, kHalfSumElements / plan.tuning.stage_elements),
          .word_bytes = 8,
          .radians_per_m = plan.radians_per_m,
          .units_per_radian = plan.units_per_radian,
          .window_weight = plan.window_weight,
          .items = m.items,
          .rx_start = m.rx_start,
          .tx_start = m.tx_start,
          .partials = m.partials,
          .arrivals = m.arrivals,
          .image = {m.pixels, m.envelope},
          .frames = {},
          .coherence = {}};
}

int packed_das_code() {
  cudaFuncAttributes code{};
  return succeeded_quietly(cudaFuncGetAttributes(&code, packed_kernels_none().of_form[0])) ? code.ptxVersion : 0;
}

LaunchStart earliest_start() {
  static const bool early = packed_das_code() >= 90;
  return early ? LaunchStart::early : LaunchStart::in_turn;
}

void allow_packed_das(const PackedPlan& plan) {
  check(plan);
  const auto allow = [](const void* kernel) {
    allow_all_shared_memory(kernel);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  };
  allow(kernel_of(plan, 1));
  if (plan.together.elements > 0) allow(kernel_of(plan, plan.tuning.form.most_frames));
}

void run_packed_das(const PackedPlan& plan, const PackedDasArgs& of_frame, int n_frames, StreamView stream) {
  PackedDasArgs args = of_frame;
  args.frames.count = n_frames;
  const auto run = [&](int together, int rows, int shared_bytes) {
    if (rows == 0) return;
    launch(kernel_of(plan, together),
           {.blocks = plan.items.size(),
            .rows = rows,
            .threads = plan.summing_threads + kWarp,
            .shared_bytes = shared_bytes,
            .start = earliest_start()},
           args, stream);
  };
  const PackedStages& together = plan.together;
  const int groups = together.elements > 0 ? n_frames / plan.tuning.form.most_frames : 0;
  if (groups > 0) {
    args.stages_a_turn = of_frame.stages_a_turn * of_frame.stage_elements / together.elements;
    args.stage_elements = together.elements;
    args.n_slots = together.n_slots;
    run(plan.tuning.form.most_frames, groups, together.shared_bytes);
    args = of_frame;
    args.frames.count = n_frames;
    args.frames.first = groups * plan.tuning.form.most_frames;
  }
  run(1, n_frames - args.frames.first, plan.shared_bytes);
}

}  // namespace echoloop::cuda
