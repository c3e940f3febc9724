// Filters ensembles on the GPU: a ring of frames in device memory, matrix products by cuBLAS, eigenvectors by cuSOLVER,
// all on a stream of the lowest priority, so that frames of the live stream go first.
//
// A frame is a column of the Casorati matrix; consecutive slots are a matrix in place, and an ensemble is one or two of
// them, because the ring wraps around. The eigen-solver is a chain of small kernels that leaves most of the GPU idle: a
// clone works on the next ensemble meanwhile, with its own stream, library handles and memory: for 64 frames of 256 x
// 512 pixels 80 MiB plus the libraries' own, in addition to the ring's 128 MiB.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/math_libraries.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/flow_engine.h"

namespace echoloop::cuda {

// State shared by clones. Its buffers belong to the processing stream, which stores into the ring.
struct FlowFrames {
  explicit FlowFrames(StreamView processing) : ring(processing), shown(processing) {}
  DeviceBuffer ring;   // Complex [slot][pitch], zeros beyond the pixels
  DeviceBuffer shown;  // FlowSums [pixel] of the previous image
  Event stored{EventUse::order};
  std::size_t n_pixels = 0;
  std::size_t pitch = 0;   // pixels between slots: whole blocks
  bool has_shown = false;  // accessed in apply() only
};

class CudaFlowDevice final : public FlowDevice {
 public:
  explicit CudaFlowDevice(const std::shared_ptr<Context>& context)
      : CudaFlowDevice(context, std::make_shared<FlowFrames>(context->processing.view())) {}
  ~CudaFlowDevice() override;
  CudaFlowDevice(const CudaFlowDevice&) = delete;
  CudaFlowDevice& operator=(const CudaFlowDevice&) = delete;

  void begin_thread() override;
  std::unique_ptr<FlowDevice> clone() override;
  void reserve(int n_slots, std::size_t n_pixels) override;
  void store(int slot, const PixelView& pixels) override;
  Decomposition decompose(std::span<const int> slots, int n_known) override;
  void keep_components(const Decomposition& decomposition, ComponentRange range) override;
  void set_matrix(std::span<const float> matrix, int n) override;
  void apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) override;
  std::vector<Complex> filtered(std::span<const int> slots) override;

 private:
  CudaFlowDevice(std::shared_ptr<Context> context, std::shared_ptr<FlowFrames> frames);

  // Pixels whose products are summed in single precision; block sums are added in doubles, so that rounding of strong
  // tissue does not mask the noise's singular values: with 256 they are within 1e-3 for tissue 60 dB above noise (4096:
  // within 3e-2).
  static constexpr std::size_t kBlock = 256;
  static std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

  // Frames [first, first + count) of an ensemble, in consecutive slots.
  struct Run {
    int first, count, slot;
  };
  static std::vector<Run> runs_of(std::span<const int> slots, int from);

  [[nodiscard]] StreamView stream() const { return stream_.view(); }
  [[nodiscard]] const Complex* frame(int slot) const {
    return frames_->ring.as<Complex>() + static_cast<std::size_t>(slot) * frames_->pitch;
  }
  void add_products(std::span<const int> slots, int n_known);
  void multiply_frames(std::span<const int> slots, int n_known, int block, int count);
  void grow_eigen(int n);
  void multiply(std::span<const int> slots, std::size_t first, int count);
  [[nodiscard]] AxialLag axial_lag(int slot, const Grid& grid);
  void wait();

  std::shared_ptr<Context> context_;  // first: freed last
  std::shared_ptr<FlowFrames> frames_;
  Stream stream_{StreamPriority::low};
  std::optional<MathHandles> math_;
  DeviceBuffer parts_;     // see fold_gram()
  DeviceBuffer grams_;     // two of cuDoubleComplex [n][n], the current one at gram_
  DeviceBuffer eigen_;     // cuDoubleComplex [n][n] eigenvectors, double [n] values, work, int info
  DeviceBuffer matrix_;    // Complex [n][n]
  DeviceBuffer y_;         // Complex [n][chunk]
  DeviceBuffer lags_;      // AxialLag [kLagParts]
  DeviceBuffer pictures_;  // float [3][pixel]
  ReadbackBuffer readback_;
  Event done_{EventUse::sleep};
  int gram_ = 0;
  int gram_n_ = 0;   // frames of the Gram matrices
  int eigen_n_ = 0;  // size of the contents of eigen_
  int n_work_ = 0;
  std::vector<float> host_matrix_;  // source of matrix_; empty: components
};

namespace {

// Filtered samples per chunk: 64 MB, about the size of a large second-level cache.
constexpr std::size_t kChunkValues = std::size_t{1} << 23;

constexpr std::size_t kPartValues = std::size_t{1} << 24;  // products per part, 128 MiB

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

std::unique_ptr<FlowDevice> CudaFlowDevice::clone() {
  context_->make_current();
  return std::unique_ptr<FlowDevice>(new CudaFlowDevice(context_, frames_));  // private constructor
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
    if (!runs.empty() && slot == runs.back().slot + runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({.first = t, .count = 1, .slot = slot});
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
  readback_.grow(square(n) * sizeof(Complex));
  auto* to = readback_.as<Complex>();
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t s = 0; s < size; ++s)
    for (std::size_t t = 0; t < size; ++t) to[t * size + s] = {matrix[s * size + t], 0.0f};
  CUDA_CHECK(
      cudaMemcpyAsync(matrix_.as<void>(), to, square(n) * sizeof(Complex), cudaMemcpyHostToDevice, stream().get()));
  wait();  // readback_ is reused
}

// Filters pixels [first, first + count) of the ensemble into y_ [n][count].
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
  readback_.grow(kLagParts * sizeof(AxialLag));
  sum_axial_lags(frame(slot), grid.nx, grid.nz, lags_.as<AxialLag>(), stream());
  CUDA_CHECK(cudaMemcpyAsync(readback_.as<void>(), lags_.as<void>(), kLagParts * sizeof(AxialLag),
                             cudaMemcpyDeviceToHost, stream().get()));
  wait();
  AxialLag all;
  for (const AxialLag& part : std::span(readback_.as<AxialLag>(), kLagParts))
    all = {all.re + part.re, all.im + part.im, all.power + part.power};
  return all;
}

void CudaFlowDevice::apply(std::span<const int> slots, const FlowFinish& finish, FlowImage& image) {
  const std::size_t n = slots.size();
  const std::size_t n_pixels = frames_->n_pixels;
  const std::size_t n_pictures = finish.low_rank ? 3 : 2;
  frames_->stored.make_wait(stream());
  double scale_m_s = finish.scale_m_s;
  if (has_rows(image, n_pixels)) scale_m_s = scale_by_received(image, axial_lag(slots.back(), image.grid), scale_m_s);
  pictures_.grow_for<float>(n_pictures * n_pixels);
  readback_.grow(n_pictures * n_pixels * sizeof(float));
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
  CUDA_CHECK(cudaMemcpyAsync(readback_.as<void>(), pictures, n_pictures * n_pixels * sizeof(float),
                             cudaMemcpyDeviceToHost, stream().get()));
  wait();
  frames_->has_shown = true;
  const float* host = readback_.as<float>();
  image.power_db.assign(host, host + n_pixels);
  image.velocity_m_s.assign(host + n_pixels, host + 2 * n_pixels);
  image.low_rank_db.assign(host + 2 * n_pixels, host + n_pictures * n_pixels);
}

std::vector<Complex> CudaFlowDevice::filtered(std::span<const int> slots) {
  std::vector<Complex> out(slots.size() * frames_->n_pixels);
  frames_->stored.make_wait(stream());
  y_.grow_for<Complex>(out.size());
  multiply(slots, 0, static_cast<int>(frames_->n_pixels));
  CUDA_CHECK(
      cudaMemcpyAsync(out.data(), y_.as<void>(), out.size() * sizeof(Complex), cudaMemcpyDeviceToHost, stream().get()));
  wait();
  return out;
}

// Components of an ensemble: products of its frames, their eigenvectors, and the filter that keeps some.

// Adds the products of the frames from n_known on: parts_, then the new Gram matrix from the previous one.
void CudaFlowDevice::add_products(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  const int n_new = n - n_known;
  const int n_blocks = static_cast<int>(frames_->pitch / kBlock);
  const long long part = static_cast<long long>(n) * n_new;
  const int at_a_time = std::clamp(static_cast<int>(kPartValues / static_cast<std::size_t>(part)), 1, n_blocks);
  parts_.grow_for<Complex>(static_cast<std::size_t>(part) * static_cast<std::size_t>(at_a_time));
  auto* grams = grams_.as<cuDoubleComplex>();
  const cuDoubleComplex* before = grams + static_cast<std::size_t>(gram_) * square(n);
  gram_ = 1 - gram_;
  for (int block = 0; block < n_blocks; block += at_a_time) {
    const int count = std::min(at_a_time, n_blocks - block);
    multiply_frames(slots, n_known, block, count);
    fold_gram({.n = n, .n_known = n_known, .n_blocks = count, .fold = block == 0 ? GramFold::begin : GramFold::go_on},
              parts_.as<Complex>(), before, grams + static_cast<std::size_t>(gram_) * square(n), stream());
  }
}

// Computes parts_ [count][n - n_known][n] for `count` blocks of pixels.
void CudaFlowDevice::multiply_frames(std::span<const int> slots, int n_known, int block, int count) {
  const int n = static_cast<int>(slots.size());
  const std::size_t first = static_cast<std::size_t>(block) * kBlock;
  for (const Run& rows : runs_of(slots, 0)) {
    for (const Run& columns : runs_of(slots, n_known)) {
      Complex* c = parts_.as<Complex>() + static_cast<std::size_t>(columns.first - n_known) * slots.size() + rows.first;
      math_->multiply_blocks({.m = rows.count,
                              .n = columns.count,
                              .k = static_cast<int>(kBlock),
                              .a = frame(rows.slot) + first,
                              .lda = static_cast<int>(frames_->pitch),
                              .b = frame(columns.slot) + first,
                              .ldb = static_cast<int>(frames_->pitch),
                              .c = c,
                              .ldc = n},
                             count, static_cast<long long>(n) * (n - n_known));
    }
  }
}

void CudaFlowDevice::grow_eigen(int n) {
  if (n == eigen_n_) return;
  eigen_n_ = 0;
  n_work_ = math_->eigen_work(n);
  const std::size_t values = (static_cast<std::size_t>(n) * sizeof(double) + 15) / 16;
  eigen_.grow((square(n) + values + static_cast<std::size_t>(n_work_) + 1) * sizeof(cuDoubleComplex));
  grams_.grow_for<cuDoubleComplex>(2 * square(n));
  readback_.grow((square(n) + values + 1) * sizeof(cuDoubleComplex));
  eigen_n_ = n;
}

Decomposition CudaFlowDevice::decompose(std::span<const int> slots, int n_known) {
  const int n = static_cast<int>(slots.size());
  const auto size = static_cast<std::size_t>(n);
  frames_->stored.make_wait(stream());
  const bool same_size = n == gram_n_;
  gram_n_ = 0;
  grow_eigen(n);
  add_products(slots, same_size ? n_known : 0);
  auto* vectors = eigen_.as<cuDoubleComplex>();
  auto* values = reinterpret_cast<double*>(vectors + square(n));
  cuDoubleComplex* work = vectors + square(n) + (size * sizeof(double) + 15) / 16;
  auto* info = reinterpret_cast<int*>(work + n_work_);
  CUDA_CHECK(cudaMemcpyAsync(vectors, grams_.as<cuDoubleComplex>() + static_cast<std::size_t>(gram_) * square(n),
                             square(n) * sizeof(cuDoubleComplex), cudaMemcpyDeviceToDevice, stream().get()));
  math_->eigenvectors(n, vectors, values, work, n_work_, info);
  // Vectors and values are contiguous.
  const std::size_t bytes = square(n) * sizeof(cuDoubleComplex) + size * sizeof(double);
  CUDA_CHECK(cudaMemcpyAsync(readback_.as<void>(), vectors, bytes, cudaMemcpyDeviceToHost, stream().get()));
  wait();
  gram_n_ = n;
  const auto* v = readback_.as<cuDoubleComplex>();
  const auto* rising = reinterpret_cast<const double*>(v + square(n));
  Decomposition d{.n = n, .singular_values = std::vector<double>(size), .temporal_vectors = {}};
  d.temporal_vectors.resize(square(n));
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t from = size - 1 - k;
    d.singular_values[k] = std::sqrt(std::max(0.0, rising[from]));
    for (std::size_t t = 0; t < size; ++t)
      d.temporal_vectors[k * size + t] = {v[from * size + t].x, -v[from * size + t].y};
  }
  return d;
}

void CudaFlowDevice::keep_components(const Decomposition& decomposition, ComponentRange range) {
  const int n = decomposition.n;
  const int first = std::max(1, range.first);
  const int last = std::min(n, range.last);
  host_matrix_.clear();
  matrix_.grow_for<Complex>(square(n));
  const auto* v = eigen_.as<cuDoubleComplex>();
  auto* w = matrix_.as<Complex>();
  // Columns ascend: component k is column n - k. Many components are computed as the rest of few at both ends.
  if (last - first + 1 <= n / 2 || first > 1)
    keep_columns(v, n, n - last, n - first + 1, Keep::these, w, stream());
  else
    keep_columns(v, n, 0, n - last, Keep::rest, w, stream());
}

// Sums of a gate: one small kernel per frame on the processing stream writes them into page-locked host memory; an
// event per frame marks their completion. Nothing waits.
class CudaGateDevice final : public GateDevice {
 public:
  explicit CudaGateDevice(std::shared_ptr<Context> context);
  ~CudaGateDevice() override;
  CudaGateDevice(const CudaGateDevice&) = delete;
  CudaGateDevice& operator=(const CudaGateDevice&) = delete;

  bool take(const GateGeometry& gate, const PixelView& pixels) override;
  std::span<const Complex> next() override;
  void wait() override;

 private:
  static constexpr std::size_t kSlots = 32;  // far more frames than lanes hold
  struct Slot {
    Event there{EventUse::order};
    int bands = 0;
  };

  std::shared_ptr<Context> context_;  // first: freed last
  std::array<Slot, kSlots> slots_;
  Complex* host_ = nullptr;    // [kSlots][kMaxGateBands]
  Complex* device_ = nullptr;  // device address of the same memory
  std::uint64_t taken_ = 0;
  std::uint64_t returned_ = 0;
};

CudaGateDevice::CudaGateDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {
  void* memory = nullptr;
  CUDA_CHECK(cudaHostAlloc(&memory, kSlots * kMaxGateBands * sizeof(Complex), cudaHostAllocMapped));
  host_ = static_cast<Complex*>(memory);
  void* seen = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&seen, memory, 0);
  if (status != cudaSuccess) {
    CUDA_QUIET(cudaFreeHost(memory));
    CUDA_CHECK(status);
  }
  device_ = static_cast<Complex*>(seen);
}

CudaGateDevice::~CudaGateDevice() {
  if (device_lost()) return;
  CUDA_QUIET(cudaSetDevice(context_->device));
  context_->processing.view().synchronize_quietly();  // kernels may still write
  CUDA_QUIET(cudaFreeHost(host_));
}

bool CudaGateDevice::take(const GateGeometry& gate, const PixelView& pixels) {
  if (taken_ - returned_ >= kSlots) return false;
  const auto at = static_cast<std::size_t>(taken_ % kSlots);
  const StreamView processing = context_->processing.view();
  sum_gate(gate, pixels.values, device_ + at * kMaxGateBands, processing);
  slots_[at].there.record(processing);
  slots_[at].bands = gate.bands;
  ++taken_;
  return true;
}

std::span<const Complex> CudaGateDevice::next() {
  const auto at = static_cast<std::size_t>(returned_ % kSlots);
  if (returned_ == taken_ || !slots_[at].there.passed()) return {};
  ++returned_;
  return {host_ + at * kMaxGateBands, static_cast<std::size_t>(slots_[at].bands)};
}

void CudaGateDevice::wait() {
  if (taken_ > returned_) slots_[static_cast<std::size_t>((taken_ - 1) % kSlots)].there.synchronize();
}

}  // namespace echoloop::cuda

namespace echoloop {

constinit const CudaDeviceRow FlowAnalysis::kOnCuda{
    .make = [](const std::shared_ptr<cuda::Context>& context) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<cuda::CudaFlowDevice>(context);
    }};

constinit const CudaDeviceRow SpectrogramAnalysis::kOnCuda{
    .make = [](const std::shared_ptr<cuda::Context>& context) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<cuda::CudaGateDevice>(context);
    }};

}  // namespace echoloop
