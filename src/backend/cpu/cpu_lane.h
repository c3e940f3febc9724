// A lane of the CPU backend: every verb computes at once, with all threads of the pool; a lane holds the buffers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_kernels.h"
#include "backend/cpu/cpu_refiner.h"
#include "backend/cpu/cpu_steps.h"
#include "backend/cpu/worker_pool.h"
#include "backend/plain_array.h"

namespace echoloop {

class CpuLane final : public Lane {
 public:
  CpuLane(std::shared_ptr<WorkerPool> pool, const CpuKernels& kernels, int number);

  void set_plan(const std::shared_ptr<const Plan>& plan) override;
  void upload(std::span<const RfFrame> frames) override;
  void load(double ms) override;
  void fail(DeviceFault fault) override;
  void condition() override;
  void beamform() override;
  void envelope() override;
  void compress(double reference_db) override;
  void refine(const FrameAverage* average) override;
  void keep_line(int column) override;
  void finish(HostCopy copy) override;
  [[nodiscard]] bool uploaded() override { return conditioned_; }
  [[nodiscard]] bool finished() override { return finished_; }
  void wait() override {}
  [[nodiscard]] PixelView pixels() override;
  [[nodiscard]] Image& image(std::size_t /*k*/) override { return image_; }
  [[nodiscard]] std::span<const float> line() override { return line_; }
  void append_spans(TimingTrace& trace) override;
  std::vector<float> read_back(Tap tap) override;

 private:
  class StageTimer;
  void fit_image_storage();
  [[nodiscard]] std::span<const std::byte> picked_samples();

  std::shared_ptr<WorkerPool> pool_;
  const CpuKernels& kernels_;
  int number_;
  std::shared_ptr<const Plan> plan_;
  RfFrame frame_;
  bool conditioned_ = false;
  bool finished_ = false;
  std::unique_ptr<CpuSteps> analytic_;  // each made when first used
  std::unique_ptr<CpuSteps> course_;
  CpuSteps* steps_ = nullptr;  // of the plan in use
  CpuRefiner refiner_;
  float level_db_ = 0.0f;          // that the frame's decibels count from
  std::vector<std::byte> picked_;  // samples of every second, third ... transmit
  PlainArray<float> envelope_;     // [nz][nx]
  std::vector<float> line_;        // [nz]: the image's column that was kept
  Image image_;
  std::array<Span, kStageCount> spans_{};     // by stage
  std::array<bool, kStageCount> has_span_{};  // of this frame
};

}  // namespace echoloop
