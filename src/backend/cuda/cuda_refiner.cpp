#include "backend/cuda/cuda_refiner.h"

#include <span>
#include <utility>

#include "backend/cuda/kernels/kernels.h"

namespace echoloop::cuda {

CudaRefiner::CudaRefiner(Context& context)
    : context_(context), average_(context.processing.view()), scratch_(context.processing.view()) {}

void CudaRefiner::set_plan(const std::shared_ptr<const RefinePlan>& plan) {
  plan_ = plan;
  taps_ = nullptr;
  if (plan == nullptr) return;
  const std::size_t pixels = static_cast<std::size_t>(plan->nx) * static_cast<std::size_t>(plan->nz);
  if (plan->average) average_.grow_for<float>(pixels);
  if (!plan->filters()) return;
  scratch_.grow_for<float>(pixels);
  taps_ = context_.tables.get(
      plan, {std::as_bytes(std::span(plan->axial_taps)), std::as_bytes(std::span(plan->lateral_taps))});
  taps_->make_wait(context_.processing.view());
}

void CudaRefiner::average(const CudaRefiner* before, float keep, const float* amplitudes,
                          const LevelReference& reference, float* db) {
  const std::size_t n = static_cast<std::size_t>(plan_->nx) * static_cast<std::size_t>(plan_->nz);
  const float* past = before != nullptr ? before->average_.as<float>() : amplitudes;
  average_amplitudes({.before = past,
                      .now = amplitudes,
                      .keep = keep,
                      .reference_db = reference.db,
                      .measured_db = reference.measured_db,
                      .average = average_.as<float>(),
                      .db = db},
                     n, context_.processing.view());
}

void CudaRefiner::filter(float* db) {
  const RefinePlan& p = *plan_;
  const StreamView stream = context_.processing.view();
  float* from = db;
  float* to = scratch_.as<float>();
  const auto view = [&] { return PictureView{.db = from, .nx = p.nx, .nz = p.nz}; };
  const auto apply = [&](const std::vector<PixelFilter>& filters) {
    for (const PixelFilter& filter : filters) {
      filter_image(view(), filter, to, stream);
      std::swap(from, to);
    }
  };
  apply(p.first);
  if (p.axial_reach > 0) {
    smooth_axially(view(), {.taps = taps_->table<float>(0), .reach = p.axial_reach}, to, stream);
    std::swap(from, to);
  }
  if (p.lateral_reach > 0) {
    const int row_step = p.lateral_rows > 1 ? p.lateral_reach + 1 : 0;
    smooth_laterally(view(), {.taps = taps_->table<float>(1), .reach = p.lateral_reach}, row_step, to, stream);
    std::swap(from, to);
  }
  apply(p.last);
  if (from == db) return;
  const std::size_t bytes = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.nz) * sizeof(float);
  CUDA_CHECK(cudaMemcpyAsync(db, from, bytes, cudaMemcpyDeviceToDevice, stream.get()));
}

}  // namespace echoloop::cuda
