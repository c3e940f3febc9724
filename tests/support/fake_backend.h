// Backend without computation: hooks receive each frame when it is uploaded and beamformed. Injected faults act as on a
// device: load() waits, fail() throws, a lost device stays lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "support/take_time.h"

namespace echoloop::testing {

class FakeBackend final : public Backend {
 public:
  using Hook = std::function<void(const RfFrame&)>;  // [processing thread]
  Hook on_upload;
  Hook on_beamform;                                                                   // the lane still uses the samples
  std::function<std::unique_ptr<PageLock>(std::span<const std::byte>)> on_page_lock;  // [any thread]
  bool all_kinds = false;                                                             // of host memory; else pageable
  bool refuse_lanes = false;
  DeviceMemory device_memory;      // returned by memory()
  int frames_at_once = 1;          // limit per lane
  std::atomic<int> most_taken{0};  // by a lane
  std::atomic<bool> lost{false};   // inverse of usable()
  std::atomic<bool> abandoned{false};
  std::atomic<int> images{0};  // started ones: compressed

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string device() const override { return "none"; }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    return std::make_unique<Block>(bytes, all_kinds ? kind : HostMemory::pageable);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override {
    return on_page_lock ? on_page_lock(memory) : nullptr;
  }
  std::unique_ptr<Lane> make_lane(int, const LaneSettings&) override {
    if (refuse_lanes || lost) throw std::runtime_error("no lane can be made");
    return std::make_unique<FakeLane>(*this);
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t) override { return nullptr; }
  [[nodiscard]] DeviceMemory memory() const override { return device_memory; }
  [[nodiscard]] bool usable() const override { return !lost; }
  void abandon() override { abandoned = true; }
  void resume() override { abandoned = false; }

 private:
  class Block final : public HostMemoryBlock {
   public:
    Block(std::size_t bytes, HostMemory kind) : memory_(bytes), kind_(kind) {}
    std::span<std::byte> bytes() override { return memory_; }
    [[nodiscard]] HostMemory kind() const override { return kind_; }

   private:
    std::vector<std::byte> memory_;
    HostMemory kind_;
  };

  class FakeLane final : public Lane {
   public:
    explicit FakeLane(FakeBackend& backend) : backend_(backend) {}
    void set_plan(const std::shared_ptr<const Plan>& plan) override { plan_ = plan; }
    [[nodiscard]] int frames_at_once() const override { return backend_.frames_at_once; }
    void upload(std::span<const RfFrame> frames) override {
      frames_.assign(frames.begin(), frames.end());
      backend_.most_taken = std::max(backend_.most_taken.load(), static_cast<int>(frames.size()));
      uploaded_ = false;
      for (const RfFrame& frame : frames_) {
        if (backend_.on_upload) backend_.on_upload(frame);
      }
    }
    void load(double ms) override {
      take_time(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms)));
    }
    void fail(DeviceFault fault) override {
      backend_.lost = backend_.lost || fault == DeviceFault::lost;
      throw std::runtime_error(std::string("injected fault: the device ") +
                               (fault == DeviceFault::lost ? "was lost" : "refused work") + " on frame " +
                               std::to_string(frames_.front().stamp.sequence));
    }
    void condition() override {}
    void beamform() override {
      for (const RfFrame& frame : frames_) {
        if (backend_.on_beamform) backend_.on_beamform(frame);
      }
      uploaded_ = true;
    }
    void envelope() override {}
    void compress(double) override { backend_.images += static_cast<int>(frames_.size()); }
    void refine(const FrameAverage*) override {}
    void keep_line(int) override {}
    void keep_pixels() override {}
    void finish(HostCopy) override {
      pixels_.assign(plan_->grid.pixels(), 0.0f);
      images_.assign(frames_.size(), {});
      for (std::size_t k = 0; k < frames_.size(); ++k) {
        images_[k].stamp = frames_[k].stamp;
        images_[k].grid = plan_->grid;
        images_[k].host_db = pixels_.data();
      }
    }
    [[nodiscard]] bool uploaded() override { return uploaded_; }
    [[nodiscard]] bool finished() override { return true; }
    void wait() override {}
    [[nodiscard]] PixelView pixels() override { return {}; }
    [[nodiscard]] Image& image(std::size_t k) override { return images_.at(k); }
    [[nodiscard]] std::span<const float> line() override {
      return std::span(pixels_).first(static_cast<std::size_t>(plan_->grid.nz));
    }
    [[nodiscard]] std::span<const Complex> kept_pixels() override { return {}; }
    void append_spans(TimingTrace&) override {}
    std::vector<float> read_back(Tap) override { return {}; }

   private:
    FakeBackend& backend_;
    std::shared_ptr<const Plan> plan_;
    std::vector<RfFrame> frames_;
    bool uploaded_ = false;
    std::vector<float> pixels_;
    std::vector<Image> images_;
  };
};

}  // namespace echoloop::testing
