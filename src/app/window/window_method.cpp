#include "app/window/window_method.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/engine.h"
#include "backend/own_kernels.h"
#include "backend/own_process.h"
#include "core/error.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop {

WindowMethod::WindowMethod(WindowState& state, Commands& commands, const Options& options)
    : state_(state), commands_(commands), gpu_(std::max(options.backend.gpu, 0)) {
  allow_own_builds();
  if (!is_kiosk(options)) listen();
  if (const auto method = loaded_own_method()) file_ = state_.image.method.file = method->file;
}

void WindowMethod::listen() {
  try {
    method_server();
  } catch (const Error&) {  // another viewer listens
  }
}

WindowMethod::~WindowMethod() {
  end_own_builds();
  end_method_server();
}

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

void WindowMethod::answer(std::uint64_t id, MethodAnswer answer) {
  MethodServer* const server = known_method_server();
  if (server == nullptr) return;
  if (answer == MethodAnswer::refuse) return server->refuse(id);
  if (answer == MethodAnswer::detach) {
    server->detach();
    FormationParams& f = state_.params.formation;
    if (f.own != nullptr && f.own->process != nullptr) f.adaptive = Adaptive::off;
    state_.image.method.program = {};
    program_ = {};
    load_own_method(nullptr);
    state_.notices.messages.resolve("method");
    return commands_.send(command::ParamsChanged{});
  }
  if (!server->use(id)) return;
  const std::optional<UsedMethod> used = server->used();
  agreed_.insert(used->method->name);
  file_.clear();
  state_.image.method = {.offers = std::move(state_.image.method.offers)};
  program_ = {};
  chosen_ = true;
  use(used->method);
  state_.say(Severity::info, fmt::format("{} of {} forms the image", used->method->name, used->program));
}

// Says, once, why frames have delay-and-sum in place of the pixels of the method; and that they have these again.
void WindowMethod::take_problem(const UsedMethod& used) {
  const MethodTimes &now = used.times, &before = program_.counted;
  const bool wrong = !used.connected || now.late + now.failed > before.late + before.failed;
  const std::string why = !wrong ? "" : used.problem.empty() ? used.program + " has ended" : used.problem;
  if (why == program_.said) return;
  program_.said = why;
  if (why.empty()) return state_.notices.messages.resolve("method");
  state_.say(Severity::error, fmt::format("{}: {}; delay-and-sum in its place", used.method->name, why), "method");
}

void WindowMethod::describe(const UsedMethod& used) {
  constexpr std::chrono::milliseconds kInterval{500}, kLongest{3000};  // of a rate, the longest of few frames
  constexpr std::uint64_t kFew = 5;
  OwnProgram& view = state_.image.method.program;
  const auto now = std::chrono::steady_clock::now();
  const MethodTimes &to = used.times, &from = program_.counted;
  const bool few = to.answered + to.late + to.failed < from.answered + from.late + from.failed + kFew;
  if (view.name == used.method->name && view.connected == used.connected &&
      now - program_.looked < (few ? kLongest : kInterval))
    return;
  const double passed_s = std::chrono::duration<double>(now - program_.looked).count();
  take_problem(used);
  const auto rate = [&](std::uint64_t end, std::uint64_t begin) {
    return static_cast<double>(end - std::min(begin, end)) / passed_s;
  };
  view = {.name = used.method->name,
          .program = used.program,
          .input = used.input,
          .place = used.place,
          .connected = used.connected,
          .rate_hz = rate(to.answered, from.answered),
          .skipped_hz = rate(to.late + to.failed, from.late + from.failed),
          .late_hz = rate(to.late, from.late),
          .p50_ms = to.p50_ms,
          .p95_ms = to.p95_ms,
          .function_p50_ms = to.function_p50_ms,
          .problem = program_.said};
  program_.counted = to;
  program_.looked = now;
}

void WindowMethod::look_at_programs() {
  MethodServer* const server = known_method_server();
  if (server == nullptr) return;
  std::vector<OwnOffer>& view = state_.image.method.offers;
  const std::vector<MethodOffer> offers = server->offers();
  const bool more = offers.size() > view.size();
  view.clear();
  for (const MethodOffer& offer : offers) {
    if (agreed_.contains(offer.name)) return answer(offer.id, MethodAnswer::use);
    view.push_back({offer.id, offer.name, offer.program});
  }
  if (more)
    state_.say(Severity::info, fmt::format("{} offers the method {}: Use or Refuse in the panel Own method",
                                           view.back().program, view.back().name));
  const std::optional<UsedMethod> used = server->used();
  if (!used || !file_.empty()) return;
  agreed_.insert(used->method->name);
  if (used->method != loaded_own_method() && used->connected) use(used->method);  // defined again
  describe(*used);
}

void WindowMethod::look() {
  look_at_programs();
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
  std::vector<std::filesystem::path>& recent = state_.opening.methods;
  std::erase(recent, file_);
  recent.insert(recent.begin(), file_);
  if (recent.size() > kMostRecent) recent.pop_back();
  seen_ = seen;
  state_.image.method.state = OwnState::compiling;
  built_for_ = target();
  work_ = std::async(std::launch::async, [file = file_, gpu = built_for_] { return build_own_method(file, gpu); });
}

}  // namespace echoloop
