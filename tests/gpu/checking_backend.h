// A backend around another one: the samples of each frame are summed when a lane gets them and again when the lane says
// that it needs them no longer. Whoever writes into a slot meanwhile is found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"

namespace echoloop::gpu_test {

class CheckingBackend final : public Backend {
 public:
  explicit CheckingBackend(Backend& inner) : inner_(inner) {}
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] std::string device() const override { return inner_.device(); }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory kind) override {
    return inner_.allocate_host(bytes, kind);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte> memory) override { return inner_.page_lock(memory); }
  std::unique_ptr<Lane> make_lane(int number, StreamMode mode) override {
    return std::make_unique<CheckingLane>(*this, inner_.make_lane(number, mode));
  }
  [[nodiscard]] DeviceMemory memory() const override { return inner_.memory(); }
  [[nodiscard]] bool usable() const override { return inner_.usable(); }

  [[nodiscard]] std::uint64_t checked() const { return checked_; }  // frames
  [[nodiscard]] std::uint64_t changed() const { return changed_; }  // of these, while a lane needed them

 private:
  class CheckingLane final : public Lane {
   public:
    CheckingLane(CheckingBackend& backend, std::unique_ptr<Lane> inner) : backend_(backend), inner_(std::move(inner)) {}
    void set_plan(const std::shared_ptr<const Plan>& plan) override { inner_->set_plan(plan); }
    void upload(const RfFrame& frame) override {
      samples_ = frame.samples;
      sum_ = sum(samples_);
      inner_->upload(frame);
    }
    void load(double ms) override { inner_->load(ms); }
    void fail(DeviceFault fault) override { inner_->fail(fault); }
    void condition() override { inner_->condition(); }
    void beamform() override { inner_->beamform(); }
    void envelope() override { inner_->envelope(); }
    void compress(double reference_db) override { inner_->compress(reference_db); }
    void finish(bool to_host) override { inner_->finish(to_host); }
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
    [[nodiscard]] Image& image() override { return inner_->image(); }
    void append_spans(TimingTrace& trace) override { inner_->append_spans(trace); }
    std::vector<float> read_back(Tap tap) override { return inner_->read_back(tap); }

   private:
    static std::uint64_t sum(std::span<const std::byte> samples) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i + sizeof(std::uint32_t) <= samples.size(); i += sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        std::memcpy(&word, samples.data() + i, sizeof word);
        sum = sum * 31 + word;
      }
      return sum;
    }
    void check() {
      if (samples_.empty()) return;
      ++backend_.checked_;
      if (sum(samples_) != sum_) ++backend_.changed_;
      samples_ = {};
    }

    CheckingBackend& backend_;
    std::unique_ptr<Lane> inner_;
    std::span<const std::byte> samples_;  // of the frame that the lane needs; empty = of none
    std::uint64_t sum_ = 0;
  };

  Backend& inner_;
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> changed_{0};
};

}  // namespace echoloop::gpu_test
