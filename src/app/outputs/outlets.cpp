#include "app/outputs/outlets.h"

#include <utility>

#include "core/units.h"

namespace echoloop {

Outlets::Outlets(const Options& options, Tap::Blocking blocking)
    : tap_options_(options), igtl_options_(options), blocking_(blocking) {
  if (!options.tap.empty()) turn_tap(Turned::on);
  if (options.igtl_port) turn_igtl(Turned::on);
}

void Outlets::turn_tap(Turned to) {
  const bool on = to == Turned::on;
  if (on == (tap_ != nullptr)) return;
  auto next = on ? std::make_shared<Tap>(tap_options_.tap.empty() ? "default" : tap_options_.tap, blocking_) : nullptr;
  if (tap_ != nullptr) tap_->end_waits();
  const std::scoped_lock lock(mutex_);
  tap_.swap(next);
}

void Outlets::turn_igtl(Turned to) {
  const bool on = to == Turned::on;
  if (on == (igtl_ != nullptr)) return;
  constexpr std::uint16_t kPort = 18944;  // registered for OpenIGTLink
  IgtlOptions options = igtl_options_;
  if (!options.igtl_port) options.igtl_port = kPort;
  auto next = on ? make_igtl(options) : nullptr;
  const std::scoped_lock lock(mutex_);
  igtl_.swap(next);
}

Outlets::Both Outlets::now() const {
  const std::scoped_lock lock(mutex_);
  return {tap_, igtl_};
}

void Outlets::watch(const std::shared_ptr<Outlets>& outlets, LiveImages& live) {
  live.of<FlowImage>().observe([outlets](const FlowImage& flow) {
    const Both both = outlets->now();
    if (both.tap != nullptr) both.tap->take(flow);
    if (both.igtl != nullptr) both.igtl->take_flow(flow);
  });
  live.of<Spectrogram>().observe([outlets](const Spectrogram& spectrum) {
    if (const Both both = outlets->now(); both.tap != nullptr) both.tap->take(spectrum);
  });
  live.of<ObjectImage>().observe([outlets](const ObjectImage& objects) {
    if (const Both both = outlets->now(); both.tap != nullptr) both.tap->take(objects);
  });
}

bool Outlets::wanted() const {
  const Both both = now();
  return both.tap != nullptr && both.tap->wanted();
}

bool Outlets::wants_images() const {
  const Both both = now();
  return (both.tap != nullptr && both.tap->wants_images()) || (both.igtl != nullptr && both.igtl->wants_images());
}

void Outlets::take(const KeptPixels& pixels) {
  if (const Both both = now(); both.tap != nullptr) both.tap->take(pixels);
}

void Outlets::take(const Image& image) {
  const Both both = now();
  if (both.tap != nullptr) both.tap->take(image);
  if (both.igtl != nullptr) both.igtl->take(image);
}

void Outlets::wait_for_reader(const std::function<bool()>& goes_on) const {
  if (tap_ == nullptr || tap_options_.tap_wait_s <= 0.0) return;
  const std::int64_t end_ns = now_ns() + static_cast<std::int64_t>(tap_options_.tap_wait_s * 1e9);
  tap_->wait_for_reader([&] { return now_ns() < end_ns && goes_on(); });
}

void Outlets::end_waits() const {
  if (tap_ != nullptr) tap_->end_waits();
}

void Outlets::deliver() const {
  if (tap_ != nullptr) tap_->deliver();
}

}  // namespace echoloop
