#include "source/live/live_source.h"

namespace echoloop {

LiveWaiting::LiveWaiting(std::string_view address, std::function<std::size_t(const Acquisition&)> plan_bytes)
    : server_(std::make_shared<LiveServer>(parse_live_address(address), std::move(plan_bytes))) {}

LiveStatus LiveWaiting::status() const { return server_->status(); }
std::vector<LiveNote> LiveWaiting::take_notes() const { return server_->take_notes(); }

void LiveWaiting::set_policy(RingPolicy policy) const { server_->intake().set_policy(policy); }

std::shared_ptr<Source> LiveWaiting::open(const std::stop_token& stop) const {
  static_cast<void>(server_->intake().wait_for_scan(stop));
  return std::make_shared<LiveSource>(server_);
}

LiveSource::LiveSource(std::shared_ptr<LiveServer> server) : server_(std::move(server)), intake_(server_->intake()) {}

const AcquisitionPtr& LiveSource::acquisition() const { return intake_.acquisition(); }

std::string LiveSource::name() const {
  const std::string described = intake_.name();
  return described.empty() ? server_->status().sender : described;
}

std::optional<Arrival> LiveSource::next(const std::stop_token& stop) { return intake_.next(stop); }

std::span<const std::byte> LiveSource::fetch(FrameMemory& slot, const std::stop_token& /*stop*/) {
  return intake_.fetch(slot);
}

void LiveSource::resume(std::uint64_t /*sequence*/) { intake_.resume(); }
void LiveSource::refused(const std::string& line) { intake_.refused(line); }
void LiveSource::set_policy(RingPolicy policy) { intake_.set_policy(policy); }
void LiveSource::set_frame_wait(FrameWait wait) { server_->set_frame_wait(wait); }
void LiveSource::set_taking(Taking taking) { intake_.set_taking(taking); }
std::optional<double> LiveSource::device_hz() const { return intake_.device_hz(); }
FrameMemory LiveSource::allocate(std::size_t bytes) { return intake_.allocate(bytes); }

void LiveSource::read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) {
  intake_.make_blocks(allocate);
}

bool LiveSource::described_again() const { return intake_.described_again(); }
bool LiveSource::sender_gone() const { return intake_.is_alone(); }
void LiveSource::follow_description() { static_cast<void>(intake_.wait_for_scan({})); }

LiveStatus LiveSource::status() const { return server_->status(); }
void LiveSource::set_admission(Admission admission) { server_->set_admission(admission); }
void LiveSource::set_end_reason(std::string why) { server_->set_end_reason(std::move(why)); }
void LiveSource::end_service(std::string why) { server_->end_service(std::move(why)); }
std::vector<LiveNote> LiveSource::take_notes() { return server_->take_notes(); }

}  // namespace echoloop
