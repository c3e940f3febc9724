// Ensembles filtered on the GPU: a ring of frames in device memory, matrix products by cuBLAS, eigenvectors by
// cuSOLVER, all on a stream of the lowest priority, so that frames of the live stream go first.
//
// A frame is a column of the Casorati matrix; a run of slots is a matrix as it lies, and an ensemble one or two runs,
// because the ring goes round. The eigen-solver is a chain of small kernels that leaves most of the GPU idle: a twin
// works on the next ensemble meanwhile, with a stream, libraries' handles and memory of its own: for 64 frames of
// 256 x 512 pixels 80 MiB and what the libraries take, beside the ring's 128 MiB.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/cuda/kernels/flow_kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/event.h"
#include "backend/cuda/runtime/math_libraries.h"
#include "backend/cuda/runtime/readback_buffer.h"
#include "backend/flow_device.h"

namespace echoloop::cuda {

// What twins share. Its buffers belong to the processing stream, which stores into the ring.
struct FlowFrames {
  explicit FlowFrames(StreamView processing) : ring(processing), shown(processing) {}
  DeviceBuffer ring;   // Complex [slot][pitch], zeros beyond the pixels
  DeviceBuffer shown;  // FlowSums [pixel] of the picture before
  Event stored{EventUse::order};
  std::size_t n_pixels = 0;
  std::size_t pitch = 0;   // pixels from slot to slot: whole blocks
  bool has_shown = false;  // who is in apply()
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

  // Pixels whose products are summed in single precision; their sums are added in doubles. Strong tissue must not bury
  // the noise's singular values in rounding: 256 keep them within 1e-3 where tissue is 60 dB above noise (4096: within
  // 3e-2).
  static constexpr std::size_t kBlock = 256;
  static std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

  // Frames [first, first + count) of an ensemble in slots that follow each other.
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
  DeviceBuffer grams_;     // two of cuDoubleComplex [n][n], the newer one at gram_
  DeviceBuffer eigen_;     // cuDoubleComplex [n][n] eigenvectors, double [n] values, work, int info
  DeviceBuffer matrix_;    // Complex [n][n]
  DeviceBuffer y_;         // Complex [n][chunk]
  DeviceBuffer lags_;      // AxialLag [kLagParts]
  DeviceBuffer pictures_;  // float [3][pixel]
  ReadbackBuffer readback_;
  Event done_{EventUse::sleep};
  int gram_ = 0;
  int gram_n_ = 0;   // frames of the Gram matrices
  int eigen_n_ = 0;  // of what eigen_ is for
  int n_work_ = 0;
  std::vector<float> host_matrix_;  // that matrix_ was made of; empty: of components
};

}  // namespace echoloop::cuda
