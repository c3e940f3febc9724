// A backend around another one: each frame is looked at when a lane gets it and again when the lane says that it needs
// the samples no longer. Whoever writes into a slot meanwhile is found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/flow_device.h"
#include "backend/gate_device.h"
#include "backend/structure_device.h"

namespace echoloop::gpu_test {

class CheckingBackend final : public Backend {
 public:
  using Whole = std::function<bool(const RfFrame&)>;  // are these the samples that belong to the stamp?
  CheckingBackend(Backend& inner, Whole is_whole) : inner_(inner), is_whole_(std::move(is_whole)) {}
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] std::string device() const override { return inner_.device(); }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    return inner_.allocate_host(bytes, kind);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override { return inner_.page_lock(memory); }
  std::unique_ptr<Lane> make_lane(int number, StreamMode mode) override {
    return std::make_unique<CheckingLane>(*this, inner_.make_lane(number, mode));
  }
  std::unique_ptr<FlowDevice> make_flow_device() override { return inner_.make_flow_device(); }
  std::unique_ptr<GateDevice> make_gate_device() override { return inner_.make_gate_device(); }
  std::unique_ptr<StructureDevice> make_structure_device() override { return inner_.make_structure_device(); }
  [[nodiscard]] DeviceMemory memory() const override { return inner_.memory(); }
  [[nodiscard]] Multiprocessors multiprocessors() const override { return inner_.multiprocessors(); }
  [[nodiscard]] bool computes_elsewhere() const override { return inner_.computes_elsewhere(); }
  [[nodiscard]] bool usable() const override { return inner_.usable(); }

  [[nodiscard]] std::uint64_t checked() const { return checked_; }          // frames that lanes were done with
  [[nodiscard]] std::uint64_t torn_before() const { return torn_before_; }  // frames that came torn
  [[nodiscard]] std::uint64_t torn_after() const { return torn_after_; }    // torn when the lane was done

 private:
  class CheckingLane final : public Lane {
   public:
    CheckingLane(CheckingBackend& backend, std::unique_ptr<Lane> inner) : backend_(backend), inner_(std::move(inner)) {}
    void set_plan(const std::shared_ptr<const Plan>& plan) override { inner_->set_plan(plan); }
    void upload(const RfFrame& frame) override {
      frame_ = frame;
      holds_ = true;
      if (!backend_.is_whole_(frame_)) ++backend_.torn_before_;
      inner_->upload(frame);
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
    void finish(HostCopy copy) override { inner_->finish(copy); }
    [[nodiscard]] bool uploaded() override {
      const bool uploaded = inner_->uploaded();
      if (uploaded) check();
      return uploaded;
    }
    [[nodiscard]] bool finished() override {
      const bool finished = inner_->finished();
      if (finished) check();  // the caller may give the slot back without asking uploaded()
      return finished;
    }
    void wait() override { inner_->wait(); }
    [[nodiscard]] PixelView pixels() override { return inner_->pixels(); }
    [[nodiscard]] Image& image() override { return inner_->image(); }
    [[nodiscard]] std::span<const float> line() override { return inner_->line(); }
    void append_spans(TimingTrace& trace) override { inner_->append_spans(trace); }
    std::vector<float> read_back(Tap tap) override { return inner_->read_back(tap); }

   private:
    void check() {
      if (!std::exchange(holds_, false)) return;
      ++backend_.checked_;
      if (!backend_.is_whole_(frame_)) ++backend_.torn_after_;
    }

    CheckingBackend& backend_;
    std::unique_ptr<Lane> inner_;
    RfFrame frame_;
    bool holds_ = false;  // the lane needs the frame's samples
  };

  Backend& inner_;
  Whole is_whole_;
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> torn_before_{0};
  std::atomic<std::uint64_t> torn_after_{0};
};

}  // namespace echoloop::gpu_test
