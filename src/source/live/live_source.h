// A scanner as a source: frames that its sender puts into memory of the viewer, or sends over TCP. The source goes on
// when the sender is gone, and waits for the next one; it ends with the program alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/live_status.h"
#include "source/source.h"

namespace echoloop {

class LiveServer;
class LiveIntake;

// The sockets of an address, from the moment it is waited at. Before a sender has described its frames there is no
// acquisition, and so no source. Copies are of the same sockets.
class LiveWaiting {
 public:
  // `plan_bytes`: see live_scan.h. Throws Error: the address cannot be used.
  explicit LiveWaiting(std::string_view address, std::function<std::size_t(const Acquisition&)> plan_bytes = {});

  [[nodiscard]] LiveStatus status() const;   // any thread
  std::vector<LiveNote> take_notes() const;  // any thread
  void set_policy(RingPolicy policy) const;  // sent to the sender; any thread
  // The source, once a sender has described its frames. Throws Error when `stop` is requested before.
  [[nodiscard]] std::shared_ptr<Source> open(const std::stop_token& stop) const;

 private:
  std::shared_ptr<LiveServer> server_;
};

class LiveSource final : public Source {
 public:
  explicit LiveSource(std::shared_ptr<LiveServer> server);

  [[nodiscard]] const AcquisitionPtr& acquisition() const override;
  [[nodiscard]] std::string name() const override;
  std::optional<Arrival> next(const std::stop_token& stop) override;
  std::span<const std::byte> fetch(FrameMemory& slot, const std::stop_token& stop) override;
  void resume(std::uint64_t sequence) override;
  void refused(const std::string& line) override;
  void set_policy(RingPolicy policy) override;
  void set_frame_wait(FrameWait wait) override;
  void set_taking(Taking taking) override;
  [[nodiscard]] std::optional<double> device_hz() const override;
  [[nodiscard]] bool sets_the_pace() const override { return true; }
  FrameMemory allocate(std::size_t bytes) override;
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;
  [[nodiscard]] LiveSource* live() override { return this; }
  [[nodiscard]] bool described_again() const override;
  [[nodiscard]] bool sender_gone() const override;
  void follow_description() override;

  [[nodiscard]] LiveStatus status() const;  // any thread
  std::vector<LiveNote> take_notes();       // any thread
  void set_admission(Admission admission);  // any thread
  void set_end_reason(std::string why);     // sent to the sender when the source ends; any thread
  void end_service(std::string why);        // sends the reason now; no frame comes any more, no thread waits for one

 private:
  std::shared_ptr<LiveServer> server_;
  LiveIntake& intake_;
};

}  // namespace echoloop
