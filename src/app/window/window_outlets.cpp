#include "app/window/window_outlets.h"

#include <algorithm>
#include <utility>

#include "app/window/window_control.h"
#include "core/units.h"

namespace echoloop {

WindowOutlets::WindowOutlets(const Options& options, Model& model, LiveImages& live,
                             std::function<std::unique_ptr<WindowControl>(const std::string& name)> make_control)
    : model_(model),
      control_name_(options.control.empty() ? "default" : options.control),
      make_control_(std::move(make_control)),
      outlets_(std::make_shared<Outlets>(options, Tap::Blocking::refused)) {
  Outlets::watch(outlets_, live);
  describe();
}

WindowOutlets::~WindowOutlets() = default;

void WindowOutlets::turn(OutputKind kind, Turned to) {
  if (kind == OutputKind::tap) outlets_->turn_tap(to);
  if (kind == OutputKind::igtl) outlets_->turn_igtl(to);
  if (kind == OutputKind::control && (to == Turned::on) != (control_ != nullptr))
    control_ = to == Turned::on ? make_control_(control_name_) : nullptr;
  describe();
}

void WindowOutlets::look() {
  constexpr std::int64_t kInterval_ns = 500'000'000;
  if (now_ns() - looked_ns_ >= kInterval_ns) describe();
}

double WindowOutlets::rate_of(const std::string& reader, std::uint64_t sent, double passed_s) {
  Sent& last = sent_[reader];
  if (passed_s > 0.0) last.rate_hz = static_cast<double>(sent - std::min(sent, last.frames)) / passed_s;
  last.frames = sent;
  return last.rate_hz;
}

void WindowOutlets::describe() {
  const std::int64_t now = now_ns();
  const double passed_s = looked_ns_ == 0 ? 0.0 : static_cast<double>(now - looked_ns_) * 1e-9;
  looked_ns_ = now;
  OutputView tap{.kind = OutputKind::tap}, igtl{.kind = OutputKind::igtl};
  std::map<std::string, Sent> known = std::exchange(sent_, {});
  const auto add = [&](OutputView& to, OutputReader reader, std::uint64_t sent) {
    const std::string key = reader.name + reader.kind;
    if (const auto last = known.find(key); last != known.end()) sent_[key] = last->second;
    reader.rate_hz = rate_of(key, sent, passed_s);
    to.readers.push_back(std::move(reader));
  };
  if (const auto server = outlets_->tap(); server != nullptr) {
    tap.on = true;
    tap.place = server->name();
    for (const TapReaderCounts& reader : server->readers())
      add(tap, {.name = reader.name, .kind = reader.kind, .dropped = reader.lost}, reader.sent);
  }
  if (const auto server = outlets_->igtl(); server != nullptr) {
    igtl.on = true;
    igtl.place = server->address().host + ":" + std::to_string(server->address().port);
    if (server->clients() > 0)
      add(igtl, {.name = counted(server->clients(), "client"), .kind = {}, .dropped = server->dropped()},
          server->sent());
  }
  OutputView control{.kind = OutputKind::control, .on = control_ != nullptr, .place = control_name_};
  model_.saving.outputs = {std::move(tap), std::move(igtl), std::move(control)};
}

}  // namespace echoloop
