#include "app/window/window_method.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/own_kernels.h"
#include "core/error.h"

namespace echoloop {

WindowMethod::WindowMethod(WindowState& state, Commands& commands, int gpu)
    : state_(state), commands_(commands), gpu_(std::max(gpu, 0)) {
  allow_own_builds();
  if (const auto method = loaded_own_method()) file_ = state_.image.method.file = method->file;
}

WindowMethod::~WindowMethod() { end_own_builds(); }

void WindowMethod::open(const std::filesystem::path& file) {
  if (const std::string why = target() ? why_no_own_kernels() : ""; !why.empty())
    throw Error(file.string(), why, "the CPU: echoloop --backend cpu");
  file_ = state_.image.method.file = std::filesystem::absolute(file).lexically_normal();
  seen_ = {};
  next_look_ = {};
  chosen_ = true;
}

WindowMethod::Seen WindowMethod::see() const {
  std::error_code error;
  Seen seen;
  seen.written = std::filesystem::last_write_time(file_, error);
  if (!error) seen.bytes = std::filesystem::file_size(file_, error) + 1;
  return error ? Seen{} : seen;  // bytes 0: there is no file
}

OwnTarget WindowMethod::target() const { return state_.device.backend == "CUDA" ? OwnTarget(gpu_) : std::nullopt; }

void WindowMethod::use(const std::shared_ptr<const OwnMethod>& method) {
  load_own_method(method);
  FormationParams& f = state_.params.formation;
  set_own_method(f, method);
  set_own_method(state_.defaults.formation, method);
  if (std::exchange(chosen_, false)) f.adaptive = Adaptive::own;
  commands_.send(command::ParamsChanged{});
}

void WindowMethod::take(const OwnBuild& build) {
  OwnMethodView& view = state_.image.method;
  view.lines.clear();
  for (const CompilerMessage& m : build.messages)
    if (m.kind != "note") view.lines.push_back({m.file == file_.string() ? m.line : 0, m.kind, m.text});
  view.seconds = build.seconds;
  if (build.method == nullptr) {
    view.state = OwnState::refused;
    if (view.lines.empty()) view.lines.push_back({0, "error", build.problem});
    state_.say(Severity::error, build.problem, "method");
    return;
  }
  view.state = OwnState::ready;
  view.relative_cost = build.relative_cost;
  view.registers = build.registers;
  view.spilled_bytes = build.spilled_bytes;
  state_.notices.messages.resolve("method");
  if (build.method != loaded_own_method())
    state_.say(Severity::info, fmt::format("{} compiled in {:.2f} s", build.method->name, build.seconds));
  use(build.method);
}

void WindowMethod::look_for_fault() {
  OwnMethodView& view = state_.image.method;
  if (view.state != OwnState::ready) return;
  const std::string fault = own_method_fault();
  if (fault.empty()) return;
  view.state = OwnState::failed;
  view.lines = {{0, "error", fault}};
  FormationParams& f = state_.params.formation;
  chosen_ = f.adaptive == Adaptive::own;
  f.adaptive = Adaptive::off;
  state_.say(Severity::error, fault + "; delay-and-sum until the file is saved again", "method");
  commands_.send(command::ParamsChanged{});
}

void WindowMethod::look() {
  if (file_.empty()) return;
  look_for_fault();
  if (work_.valid()) {
    if (work_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) take(work_.get());
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + std::chrono::milliseconds(50);
  const Seen seen = see();
  if (seen == seen_ && target() == built_for_ && state_.image.method.state != OwnState::none) {
    if (!preparing_.valid() && !target()) preparing_ = std::async(std::launch::async, prepare_own_methods);
    return;
  }
  seen_ = seen;
  state_.image.method.state = OwnState::compiling;
  built_for_ = target();
  work_ = std::async(std::launch::async, [file = file_, gpu = built_for_] { return build_own_method(file, gpu); });
}

}  // namespace echoloop
