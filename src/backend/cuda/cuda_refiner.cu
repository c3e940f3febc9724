#include <span>
#include <utility>

#include "backend/cuda/cuda_lane.h"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/level.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;

// One thread per pixel; Gaussians are in kernels/object_levels.cu. A warp is 32 pixels of a row; neighbours come from
// the caches, which hold a whole image.
template <class Pixel>
__global__ void __launch_bounds__(kTileX* kTileZ)
    picture_kernel(PictureView view, Pixel pixel, float* __restrict__ to) {
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  if (ix >= view.nx || iz >= view.nz) return;
  to[static_cast<long long>(iz) * view.nx + ix] = pixel(view, ix, iz);
}

template <class Pixel>
void launch(const PictureView& view, const Pixel& pixel, float* to, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>((view.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((view.nz + kTileZ - 1) / kTileZ));
  picture_kernel<<<blocks, dim3(kTileX, kTileZ), 0, stream.get()>>>(view, pixel, to);
  CUDA_CHECK_LAUNCH("an image filter");
}

struct AverageArgs {
  const float* before;  // amplitudes
  const float* now;     // amplitudes
  float keep;           // weight of `before`
  LevelReference reference;
  float* average;  // may be `before`
  float* db;
};

__global__ void __launch_bounds__(kThreads) average_kernel(const __grid_constant__ AverageArgs a, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const float mean = averaged(a.before[i], a.now[i], a.keep);
  a.average[i] = mean;
  a.db[i] = to_db(mean, a.reference.measured_db != nullptr ? *a.reference.measured_db : a.reference.db);
}

}  // namespace

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
  const AverageArgs args{.before = before != nullptr ? before->average_.as<float>() : amplitudes,
                         .now = amplitudes,
                         .keep = keep,
                         .reference = reference,
                         .average = average_.as<float>(),
                         .db = db};
  average_kernel<<<blocks_for(n), kThreads, 0, context_.processing.view().get()>>>(args, n);
  CUDA_CHECK_LAUNCH("the temporal average");
}

void CudaRefiner::filter(float* db) {
  const RefinePlan& p = *plan_;
  const StreamView stream = context_.processing.view();
  float* from = db;
  float* to = scratch_.as<float>();
  const auto view = [&] { return PictureView{.db = from, .nx = p.nx, .nz = p.nz}; };
  const auto apply = [&](const std::vector<PixelFilter>& filters) {
    for (const PixelFilter& filter : filters) {
      std::visit([&](const auto& pixel) { launch(view(), pixel, to, stream); }, filter);
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
