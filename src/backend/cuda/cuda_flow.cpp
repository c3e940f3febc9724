#include "backend/cuda/cuda_flow.h"

#include <algorithm>
#include <utility>

#include "backend/received_frequency.h"

namespace echoloop::cuda {
namespace {

// Filtered samples at a time: 64 MB, about what a large second-level cache holds.
constexpr std::size_t kChunkValues = std::size_t{1} << 23;

}  // namespace

CudaFlowDevice::CudaFlowDevice(std::shared_ptr<Context> context, std::shared_ptr<FlowFrames> frames)
    : context_(std::move(context)),
      frames_(std::move(frames)),
      parts_(stream()),
      grams_(stream()),
      eigen_(stream()),
      matrix_(stream()),
      y_(stream()),
      lags_(stream()),
      pictures_(stream()) {}

CudaFlowDevice::~CudaFlowDevice() { context_->finish(stream()); }

void CudaFlowDevice::begin_thread() {
  context_->make_current();
  math_.emplace(stream());
}

std::unique_ptr<FlowDevice> CudaFlowDevice::make_twin() {
  context_->make_current();
  return std::unique_ptr<FlowDevice>(new CudaFlowDevice(context_, frames_));  // the constructor is ours alone
}

void CudaFlowDevice::reserve(int n_slots, std::size_t n_pixels) {
  const StreamView processing = context_->processing.view();
  FlowFrames& f = *frames_;
  f.n_pixels = n_pixels;
  f.pitch = (n_pixels + kBlock - 1) / kBlock * kBlock;
  const std::size_t values = static_cast<std::size_t>(n_slots) * f.pitch;
  f.ring.grow_for<Complex>(values);
  CUDA_CHECK(cudaMemsetAsync(f.ring.as<void>(), 0, values * sizeof(Complex), processing.get()));
  f.shown.grow_for<FlowSums>(n_pixels);
  f.stored.record(processing);
  f.has_shown = false;
}

void CudaFlowDevice::store(int slot, const PixelView& pixels) {
  const StreamView processing = context_->processing.view();
  CUDA_CHECK(cudaMemcpyAsync(frames_->ring.as<Complex>() + static_cast<std::size_t>(slot) * frames_->pitch,
                             pixels.values, frames_->n_pixels * sizeof(Complex), cudaMemcpyDefault, processing.get()));
  frames_->stored.record(processing);
}

std::vector<CudaFlowDevice::Run> CudaFlowDevice::runs_of(std::span<const int> slots, int from) {
  std::vector<Run> runs;
  for (int t = from; t < static_cast<int>(slots.size()); ++t) {
    const int slot = slots[static_cast<std::size_t>(t)];
    if (!runs.empty() && slot == runs.back().slot + runs.back().count) {
      ++runs.back().count;
    } else {
      runs.push_back({.first = t, .count = 1, .slot = slot});
    }
  }
  return runs;
}

void CudaFlowDevice::wait() {
  done_.record(stream());
  done_.synchronize();
}

void CudaFlowDevice::set_matrix(std::span<const float> matrix, int n) {
  if (std::ranges::equal(matrix, host_matrix_)) return;
  host_matrix_.assign(matrix.begin(), matrix.end());
  matrix_.grow_for<Complex>(square(n));
  landing_.grow(square(n) * sizeof(Complex));
  auto* to = landing_.as<Complex>();
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t s = 0; s < size; ++s) {
    for (std::size_t t = 0; t < size; ++t) to[t * size + s] = {matrix[s * size + t], 0.0f};
  }
  CUDA_CHECK(
      cudaMemcpyAsync(matrix_.as<void>(), to, square(n) * sizeof(Complex), cudaMemcpyHostToDevice, stream().get()));
  wait();  // landing_ is used again
}

// y_ [n][count] = the ensemble's pixels [first, first + count), filtered.
void CudaFlowDevice::multiply(std::span<const int> slots, std::size_t first, int count) {
  const int n = static_cast<int>(slots.size());
  auto into = MathHandles::Into::write;
  for (const Run& run : runs_of(slots, 0)) {
    math_->multiply({.m = count,
                     .n = n,
                     .k = run.count,
                     .a = frame(run.slot) + first,
                     .lda = static_cast<int>(frames_->pitch),
                     .b = matrix_.as<Complex>() + run.first,
                     .ldb = n,
                     .c = y_.as<Complex>(),
                     .ldc = count},
                    into);
    into = MathHandles::Into::add;
  }
}

AxialLag CudaFlowDevice::axial_lag(int slot, const Grid& grid) {
  lags_.grow_for<AxialLag>(kLagParts);
  landing_.grow(kLagParts * sizeof(AxialLag));
  sum_axial_lags(frame(slot), grid.nx, grid.nz, lags_.as<AxialLag>(), stream());
  CUDA_CHECK(cudaMemcpyAsync(landing_.as<void>(), lags_.as<void>(), kLagParts * sizeof(AxialLag),
                             cudaMemcpyDeviceToHost, stream().get()));
  wait();
  AxialLag all;
  for (const AxialLag& part : std::span(landing_.as<AxialLag>(), kLagParts)) {
    all = {all.re + part.re, all.im + part.im, all.power + part.power};
  }
  return all;
}

void CudaFlowDevice::apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) {
  const std::size_t n = slots.size();
  const std::size_t n_pixels = frames_->n_pixels;
  const std::size_t n_pictures = finish.low_rank ? 3 : 2;
  frames_->stored.hold_back(stream());
  double scale_m_s = finish.scale_m_s;
  if (has_rows(image, n_pixels)) {
    scale_m_s = scale_by_received(image, axial_lag(slots.back(), image.grid), scale_m_s);
  }
  pictures_.grow_for<float>(n_pictures * n_pixels);
  landing_.grow(n_pictures * n_pixels * sizeof(float));
  const std::size_t chunk = std::min(n_pixels, std::max(kBlock, kChunkValues / n));
  y_.grow_for<Complex>(chunk * n);
  auto* pictures = pictures_.as<float>();
  for (std::size_t first = 0; first < n_pixels; first += chunk) {
    const std::size_t count = std::min(chunk, n_pixels - first);
    multiply(slots, first, static_cast<int>(count));
    finish_flow(y_.as<Complex>(),
                {.count = static_cast<int>(count),
                 .n_frames = static_cast<int>(n),
                 .pitch = static_cast<long long>(count),
                 .reference_db = static_cast<float>(finish.reference_db),
                 .scale_m_s = static_cast<float>(scale_m_s),
                 .keep = frames_->has_shown ? static_cast<float>(finish.keep) : 0.0f,
                 .shown = frames_->shown.as<FlowSums>() + first,
                 .power_db = pictures + first,
                 .velocity_m_s = pictures + n_pixels + first,
                 .low_rank_db = finish.low_rank ? pictures + 2 * n_pixels + first : nullptr},
                stream());
  }
  CUDA_CHECK(cudaMemcpyAsync(landing_.as<void>(), pictures, n_pictures * n_pixels * sizeof(float),
                             cudaMemcpyDeviceToHost, stream().get()));
  wait();
  frames_->has_shown = true;
  const float* landed = landing_.as<float>();
  image.power_db.assign(landed, landed + n_pixels);
  image.velocity_m_s.assign(landed + n_pixels, landed + 2 * n_pixels);
  image.low_rank_db.assign(landed + 2 * n_pixels, landed + n_pictures * n_pixels);
}

std::vector<Complex> CudaFlowDevice::filtered(std::span<const int> slots) {
  std::vector<Complex> out(slots.size() * frames_->n_pixels);
  frames_->stored.hold_back(stream());
  y_.grow_for<Complex>(out.size());
  multiply(slots, 0, static_cast<int>(frames_->n_pixels));
  CUDA_CHECK(
      cudaMemcpyAsync(out.data(), y_.as<void>(), out.size() * sizeof(Complex), cudaMemcpyDeviceToHost, stream().get()));
  wait();
  return out;
}

}  // namespace echoloop::cuda
