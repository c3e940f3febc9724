// Wrapper of a backend that checks each frame's samples when a lane gets them and again before the lane releases them,
// to detect slots written meanwhile. Provides host memory of every requested kind, at least by name.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "support/numbered_frames.h"

namespace echoloop::testing {

class CheckingBackend final : public Backend {
 public:
  using Whole = std::function<bool(const RfFrame&)>;  // returns true if the samples match the stamp
  explicit CheckingBackend(Backend& inner, Whole whole = is_whole) : inner_(inner), is_whole_(std::move(whole)) {}
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] std::string device() const override { return inner_.device(); }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    auto block = inner_.allocate_host(bytes, kind);
    if (block->kind() == kind) return block;
    return std::make_unique<Block>(std::move(block), kind);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override { return inner_.page_lock(memory); }
  std::unique_ptr<Lane> make_lane(int number, const LaneSettings& mode) override {
    if (number >= most_lanes) throw std::runtime_error("no room for lane " + std::to_string(number + 1));
    return std::make_unique<CheckingLane>(*this, inner_.make_lane(number, mode));
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) override {
    if (no_objects && analysis == index_of_analysis<ObjectAnalysis>()) throw std::runtime_error("no room for pictures");
    return inner_.make_analysis_device(analysis);
  }
  [[nodiscard]] DeviceMemory memory() const override { return inner_.memory(); }
  [[nodiscard]] Multiprocessors multiprocessors() const override { return inner_.multiprocessors(); }
  [[nodiscard]] bool computes_elsewhere() const override { return inner_.computes_elsewhere(); }
  [[nodiscard]] bool usable() const override { return inner_.usable(); }

  std::atomic<int> most_lanes{1000};
  std::atomic<bool> no_objects{false};
  std::atomic<std::uint64_t> checked{0};                     // twice per frame
  std::atomic<std::uint64_t> torn_before{0}, torn_after{0};  // when the lane got them, when it released them

 private:
  class Block final : public HostMemoryBlock {
   public:
    Block(std::unique_ptr<HostMemoryBlock> inner, HostMemory kind) : inner_(std::move(inner)), kind_(kind) {}
    std::span<std::byte> bytes() override { return inner_->bytes(); }
    [[nodiscard]] HostMemory kind() const override { return kind_; }

   private:
    std::unique_ptr<HostMemoryBlock> inner_;
    HostMemory kind_;
  };

  class CheckingLane final : public Lane {
   public:
    CheckingLane(CheckingBackend& backend, std::unique_ptr<Lane> inner) : backend_(backend), inner_(std::move(inner)) {}
    void set_plan(const std::shared_ptr<const Plan>& plan) override { inner_->set_plan(plan); }
    [[nodiscard]] int frames_at_once() const override { return inner_->frames_at_once(); }
    void upload(std::span<const RfFrame> frames) override {
      frames_.assign(frames.begin(), frames.end());
      check(backend_.torn_before);
      inner_->upload(frames);
    }
    void load(double ms) override { inner_->load(ms); }
    void fail(DeviceFault fault) override { inner_->fail(fault); }
    void condition() override { inner_->condition(); }
    void beamform() override { inner_->beamform(); }
    void envelope() override { inner_->envelope(); }
    void expect_reference(double reference_db) override { inner_->expect_reference(reference_db); }
    void compress(double reference_db) override { inner_->compress(reference_db); }
    void refine(const FrameAverage* average) override {
      if (average == nullptr) return inner_->refine(nullptr);
      const auto* before = static_cast<const CheckingLane*>(average->before);
      const FrameAverage inner{.before = before != nullptr ? before->inner_.get() : nullptr, .keep = average->keep};
      inner_->refine(&inner);
    }
    void keep_line(int column) override { inner_->keep_line(column); }
    void keep_pixels() override { inner_->keep_pixels(); }
    void finish(HostCopy copy) override { inner_->finish(copy); }
    [[nodiscard]] bool uploaded() override { return let_go(inner_->uploaded()); }
    [[nodiscard]] bool finished() override { return let_go(inner_->finished()); }
    void wait() override { inner_->wait(); }
    [[nodiscard]] PixelView pixels() override { return inner_->pixels(); }
    [[nodiscard]] Image& image(std::size_t k) override { return inner_->image(k); }
    [[nodiscard]] std::span<const float> line() override { return inner_->line(); }
    [[nodiscard]] std::span<const Complex> kept_pixels() override { return inner_->kept_pixels(); }
    void append_spans(TimingTrace& trace) override { inner_->append_spans(trace); }
    std::vector<float> read_back(Tap tap) override { return inner_->read_back(tap); }

   private:
    void check(std::atomic<std::uint64_t>& torn) {
      for (const RfFrame& frame : frames_) {
        ++backend_.checked;
        if (!backend_.is_whole_(frame)) ++torn;
      }
    }
    bool let_go(bool done) {
      if (done) {
        check(backend_.torn_after);
        frames_.clear();
      }
      return done;
    }
    CheckingBackend& backend_;
    std::unique_ptr<Lane> inner_;
    std::vector<RfFrame> frames_;  // in use by the lane
  };

  Backend& inner_;
  Whole is_whole_;
};

}  // namespace echoloop::testing
