#include "app/outputs/method_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/options/terminal.h"
#include "core/error.h"

namespace echoloop {

MethodServer::MethodServer(const std::string& viewer)
    : listener_(local_address("--method", viewer, "method")), thread_([this] { serve(); }) {}

MethodServer::~MethodServer() {
  ended_ = true;
  wait_.wake();
  thread_.join();
}

MethodServer::ProcessPtr MethodServer::find(std::uint64_t id) const {
  const std::scoped_lock lock(mutex_);
  const auto at = std::ranges::find(processes_, id, [](const ProcessPtr& p) { return p->id; });
  return at == processes_.end() ? nullptr : *at;
}

std::vector<MethodOffer> MethodServer::offers() const {
  const std::scoped_lock lock(mutex_);
  std::vector<MethodOffer> list;
  for (const ProcessPtr& p : processes_)
    if (p->state() == MethodProcess::State::offered)
      list.push_back({p->id, p->name(), p->program, std::string(kOwnInputs[static_cast<std::size_t>(p->input())])});
  return list;
}

bool MethodServer::use(std::uint64_t id) {
  const ProcessPtr process = find(id);
  if (process == nullptr) return false;
  process->use();
  if (process->state() != MethodProcess::State::used) return false;
  ProcessPtr before;
  {
    const std::scoped_lock lock(mutex_);
    before = std::exchange(used_, process);
  }
  if (before != nullptr && before != process) before->end("another method is in use");
  wait_.wake();
  return true;
}

void MethodServer::refuse(std::uint64_t id) {
  if (const ProcessPtr process = find(id)) process->refuse(2, "refused in the viewer");
  wait_.wake();
}

std::optional<UsedMethod> MethodServer::used() const {
  const std::scoped_lock lock(mutex_);
  return used_ == nullptr ? std::nullopt : std::optional(used_->describe());
}

void MethodServer::detach() {
  ProcessPtr before;
  {
    const std::scoped_lock lock(mutex_);
    before = std::exchange(used_, nullptr);
  }
  if (before != nullptr) before->end("ended in the viewer");
  wait_.wake();
}

void MethodServer::serve() {
  while (!ended_) {
    std::vector<pollfd> sockets = {{listener_.descriptor(), POLLIN, 0}};
    for (const ProcessPtr& process : processes_) sockets.push_back(process->socket());
    wait_.wait(sockets, -1);
    accept();
    for (const ProcessPtr& process : processes_)  // changed by this thread alone
      process->receive([&](const std::string& name) {
        for (const ProcessPtr& other : processes_)
          if (other != process && other->state() != MethodProcess::State::over && other->name() == name)
            throw BadMessage(name + " is offered by " + other->program);
      });
    const std::scoped_lock lock(mutex_);
    std::erase_if(processes_, [](const ProcessPtr& p) { return p->state() == MethodProcess::State::over; });
  }
  for (const ProcessPtr& process : processes_) process->end("the viewer has ended");
}

void MethodServer::accept() {
  while (std::optional<LivePeer> peer = listener_.accept()) {
    if (!peer->refused.empty()) continue;
    const auto process = std::make_shared<MethodProcess>(std::move(*peer), ++last_id_);
    if (processes_.size() >= kMostPrograms) {
      process->refuse(2, fmt::format("{} programs are connected; expected one fewer", kMostPrograms));
      continue;
    }
    const std::scoped_lock lock(mutex_);
    processes_.push_back(process);
  }
}

namespace {

std::unique_ptr<MethodServer>& server_of_program() {
  static std::unique_ptr<MethodServer> server;
  return server;
}

}  // namespace

MethodServer& method_server() {
  std::unique_ptr<MethodServer>& server = server_of_program();
  if (server == nullptr) server = std::make_unique<MethodServer>("default");
  return *server;
}

MethodServer* known_method_server() { return server_of_program().get(); }

void end_method_server() { server_of_program().reset(); }

void take_python_method(const std::string& name, double wait_s) {
  MethodServer& server = method_server();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  do {
    const std::vector<MethodOffer> offers = server.offers();
    const auto offer = std::ranges::find(offers, name, &MethodOffer::name);
    if (offer != offers.end() && server.use(offer->id)) {
      load_own_method(server.used()->method);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  } while (std::chrono::steady_clock::now() < end && !interrupted());
  throw Error("--method",
              std::string(kPythonMethod) + name + ": no program offered it within " + fmt::format("{:g} s", wait_s),
              "a Python program with a method of that name that runs (el.method)", "--wait-method S waits longer");
}

nlohmann::json python_method_json() {
  const MethodServer* const server = known_method_server();
  const std::optional<UsedMethod> used = server != nullptr ? server->used() : std::nullopt;
  if (!used) return nullptr;
  const std::shared_ptr<const OwnMethod> loaded = loaded_own_method();  // may be an earlier definition
  const OwnMethod& method = loaded != nullptr && loaded->process != nullptr ? *loaded : *used->method;
  const MethodTimes& t = used->times;
  return {{"name", method.name},
          {"sha256", method.sha256},
          {"input", std::string(kOwnInputs[static_cast<std::size_t>(method.process->input())])},
          {"answered", t.answered},
          {"late", t.late},
          {"failed", t.failed},
          {"p50_ms", t.p50_ms},
          {"p95_ms", t.p95_ms},
          {"p99_ms", t.p99_ms},
          {"function_p50_ms", t.function_p50_ms}};
}

std::string python_method_fault() {
  const MethodServer* const server = known_method_server();
  const std::optional<UsedMethod> used = server != nullptr ? server->used() : std::nullopt;
  if (!used || used->times.late + used->times.failed == 0) return {};
  const MethodTimes& t = used->times;
  return fmt::format("method {}: {} of {} frames have delay-and-sum in its place: {}", used->method->name,
                     t.late + t.failed, t.answered + t.late + t.failed, used->problem);
}

}  // namespace echoloop
