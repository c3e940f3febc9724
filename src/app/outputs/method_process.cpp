#include "app/outputs/method_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "backend/pipeline.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/results/image.h"
#include "transport/frame_arena.h"
#include "version.h"

namespace echoloop {
namespace {

// Kinds of messages beside those of LiveKind.
constexpr std::uint32_t kDefine = 20, kUsed = 21, kResult = 22, kFailed = 23, kRoom = 24;
constexpr std::uint16_t kMajor = 1, kMinor = 0;
constexpr std::size_t kMostLine = 400;  // bytes of a reason

MessageStream::Limits limits_of(std::uint32_t kind) {
  const std::uint64_t most = kind == kDefine ? kMostDefinition : kMaxLiveMessage;
  return {most, most};
}

std::string no_numbers(std::size_t values) {
  return fmt::format("{} values that are no finite numbers (NaN, infinite)", values);
}

std::string no_answer(double limit_s) { return fmt::format("no answer within {:g} s", limit_s); }

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

void MethodLog::describe(UsedMethod& used) const {
  const auto n = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(counts_.answered, kNewest));
  const std::vector<double> total(total_ms_.begin(), total_ms_.begin() + n);
  used.times = counts_;
  used.times.p50_ms = percentile(total, 0.5);
  used.times.p95_ms = percentile(total, 0.95);
  used.times.function_p50_ms = percentile({function_ms_.begin(), function_ms_.begin() + n}, 0.5);
  used.problem = problem_;
}

MethodProcess::MethodProcess(LivePeer peer, std::uint64_t id)
    : id(id),
      program(program_of(peer.pid)),
      stream_(std::move(peer.socket), limits_of),
      ended_(program + " has ended") {}

pollfd MethodProcess::socket() const {
  const std::scoped_lock lock(mutex_);
  return {stream_.descriptor(), static_cast<short>(stream_.wants_to_send() ? POLLIN | POLLOUT : POLLIN), 0};
}

MethodProcess::State MethodProcess::state() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

std::string MethodProcess::name() const {
  const std::scoped_lock lock(mutex_);
  return newest_ ? newest_->method.name : "";
}

OwnInput MethodProcess::input() const {
  const std::scoped_lock lock(mutex_);
  return newest_ ? newest_->input : OwnInput::iq;
}

bool MethodProcess::send(std::uint32_t kind, const std::vector<std::byte>& payload, int file) {
  if (state_ != State::over && !stream_.send(kind, payload, file)) close();
  return state_ != State::over;
}

// Frees the last parameters: they hold the method, which holds this object.
void MethodProcess::close() {
  state_ = State::over;
  facts_.params = {};
}

void MethodProcess::refuse(std::uint32_t reason, const std::string& line) {
  const std::scoped_lock lock(mutex_);
  ended_ = program + ": " + line;
  send(static_cast<std::uint32_t>(LiveKind::refused), payload_of(reason, std::uint32_t{0}, line));
  close();
}

void MethodProcess::use() {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::offered) return;
  state_ = State::used;
  send(kUsed, {});
}

void MethodProcess::end(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  send(static_cast<std::uint32_t>(LiveKind::bye), payload_of(line));
  close();
}

void MethodProcess::receive(const NameCheck& check) {
  take_messages(check);
  answered_.wake();
}

void MethodProcess::take_messages(const NameCheck& check) {
  try {
    const std::scoped_lock lock(mutex_);
    while (state_ != State::over) {
      const std::optional<StreamMessage> message = stream_.receive();
      if (!message) break;
      if (!stream_.take_samples()) throw BadMessage("a message above the limit");
      take(*message, check);
    }
    if (!stream_.flush() || stream_.closed()) {
      if (state_ != State::over && !log_.has_problem()) log_.say(ended_);
      close();
    }
  } catch (const BadMessage& why) {
    refuse(5, why.what());
  }
}

void MethodProcess::take(const StreamMessage& message, const NameCheck& check) {
  PayloadReader in(message.payload);
  if (!greeted_) {
    if (message.kind != static_cast<std::uint32_t>(LiveKind::hello)) throw BadMessage("a message before HELLO");
    const auto major = in.number<std::uint16_t>();
    in.number<std::uint16_t>();
    if (major != kMajor) throw BadMessage(fmt::format("protocol {}; expected {}", major, kMajor));
    if (in.number<std::uint32_t>() != kLiveByteOrder) throw BadMessage("numbers that are not little-endian");
    greeted_ = true;
    send(static_cast<std::uint32_t>(LiveKind::welcome),
         payload_of(kMajor, kMinor, std::uint32_t{0}, std::string(kVersion)));
  } else if (message.kind == kDefine) {
    define(message, check);
  } else if (message.kind == kResult || message.kind == kFailed) {
    Answer next{.there = true, .number = in.number<std::uint64_t>(), .failure = {}};
    next.function_s = in.number<double>();
    if (message.kind == kFailed) {
      next.failure = in.text(kMostLine);
      if (next.failure.empty()) next.failure = "an exception without a text";
    } else {
      next.item = static_cast<OwnResult>(in.number<std::uint32_t>());
      in.number<std::uint32_t>();
      next.values = in.number<std::uint64_t>();
      if (next.item < OwnResult::amplitudes || next.item > OwnResult::labels)
        throw BadMessage("a result of an unknown type");
      if (answer_.on_device) next.event = in.number<std::array<std::byte, 64>>();
    }
    next.on_device = answer_.on_device;
    if (!asked_.busy || next.number != asked_.number) throw BadMessage("an answer to no array");
    asked_.busy = false;
    answer_ = std::move(next);
  } else if (message.kind == static_cast<std::uint32_t>(LiveKind::bye)) {
    if (!log_.has_problem()) log_.say(ended_);
    close();
  } else if ((message.kind & kMayBeSkipped) == 0) {
    throw BadMessage("a message of unknown kind " + std::to_string(message.kind));
  }
}

void MethodProcess::define(const StreamMessage& message, const NameCheck& check) {
  const auto* const text = reinterpret_cast<const char*>(message.payload.data());
  MethodDefinition next = read_definition({text, message.payload.size()});
  if (newest_ && next.method.name != newest_->method.name)
    throw BadMessage("method " + next.method.name + "; expected " + newest_->method.name + ", as defined before");
  if (state_ == State::connected) check(next.method.name);
  newest_ = std::move(next);
  given_.reset();
  ++defined_;
  if (state_ == State::connected) state_ = State::offered;
}

// Makes the memory of an array and its answer large enough, and tells the program.
bool MethodProcess::make_room(std::size_t in_bytes, std::size_t out_bytes) {
  if (in_bytes <= memory_.in_bytes && out_bytes <= memory_.out_bytes) return true;
  Memory next{.in = SealedMemory::make(in_bytes),
              .out_file = FileDescriptor(::memfd_create("echoloop-method", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
              .out = nullptr,
              .in_bytes = in_bytes,
              .out_bytes = out_bytes};
  if (next.in.memory == nullptr || next.out_file.get() < 0 || !seal(next.out_file.get(), out_bytes)) return false;
  next.out = SharedMemory::map(next.out_file.get(), out_bytes);
  if (next.out == nullptr) return false;
  memory_ = std::move(next);
  return send(kRoom, payload_of(std::uint32_t{0}, std::uint32_t{0}, std::uint64_t{in_bytes}), memory_.in.file.get()) &&
         send(kRoom, payload_of(std::uint32_t{1}, std::uint32_t{0}, std::uint64_t{out_bytes}), memory_.out_file.get());
}

// Sends grid, parameters and acquisition where they differ from the last frame's.
void MethodProcess::send_facts(OwnInput input, const OwnRequest& request) {
  const Plan& plan = request.plan;
  const Grid& grid = input == OwnInput::image ? plan.grid : plan.das->tables->grid;
  if (facts_.text.memory != nullptr && facts_.input == input && facts_.are_of(grid, plan.params, plan.formed)) return;
  static_cast<TapFacts&>(facts_) = {
      .revision = facts_.revision + 1, .grid = grid, .params = plan.params, .acquisition = plan.formed, .text = {}};
  facts_.input = input;
  facts_.write_text(std::string(kOwnInputs[static_cast<std::size_t>(input)]));
  if (facts_.text.memory == nullptr) return;
  send(static_cast<std::uint32_t>(LiveKind::describe),
       payload_of(facts_.revision, std::uint32_t{0}, std::uint64_t{facts_.text.memory->bytes().size()}),
       facts_.text.file.get());
}

bool MethodProcess::send_frame(const DefinedMethod& of, const OwnRequest& request, const FrameWord& place) {
  const Plan& plan = request.plan;
  const FrameStamp& stamp = request.stamp;
  FrameWord word = place;
  word.sequence = stamp.sequence;
  word.acquired_ns = stamp.acquired_ns;
  word.device_ticks = stamp.sender.device_ticks;
  word.lost_so_far = log_.counts().late;
  std::array<std::uint64_t, 4> shape{1, 1, 1, 1};
  std::ranges::copy(request.shape, shape.begin());
  // Of the lines: their rate, the frequency by which they are demodulated, and the samples within the record.
  const double rate_hz = plan.band != nullptr ? plan.band->line_rate_hz : 0.0;
  const double demod_hz = plan.band != nullptr ? plan.band->demod_hz : 0.0;
  const std::uint64_t valid = plan.band != nullptr ? static_cast<std::uint64_t>(plan.band->n_valid) : 0;
  return send(static_cast<std::uint32_t>(LiveKind::frames),
              payload_of(word, facts_.revision, static_cast<std::uint32_t>(request.shape.size()), shape, stamp.time_s,
                         request.reference_db, static_cast<std::uint32_t>(request.item), of.number,
                         static_cast<std::uint32_t>(request.first_row), static_cast<std::uint32_t>(request.rows),
                         static_cast<std::uint32_t>(facts_.grid.nx), std::uint32_t{0}, asked_.number,
                         plan.params.formation.own_values, rate_hz, demod_hz, valid));
}

bool MethodProcess::may_ask() {
  if (state_ != State::used) return miss(MethodLog::Missing::late, ended_);
  return !asked_.busy || miss(MethodLog::Missing::late, no_answer(asked_.limit_s));
}

// Sends the frame, whose array is in its place, and waits: with cores to spare a while in a spin, since waking a thread
// takes some 50 us. Returns false without values.
bool MethodProcess::ask(std::unique_lock<std::mutex>& lock, const DefinedMethod& of, const OwnRequest& request,
                        const FrameWord& place) {
  constexpr std::chrono::milliseconds kSpin{1};
  constexpr int kLook_ms = 20;
  const auto begun = std::chrono::steady_clock::now();
  const auto end = begun + std::chrono::duration<double>(request.limit_s);
  const auto spin_end = has_spare_cores() ? begun + kSpin : begun;
  ++asked_.number;
  answer_ = {};
  answer_.on_device = place.flags != 0;
  asked_.limit_s = request.limit_s;
  asked_.busy = send_frame(of, request, place);
  std::vector<pollfd> sockets = {{stream_.descriptor(), POLLIN, 0}};
  for (auto now = begun; !answer_.there && state_ == State::used && !request.given_up() && now < end;
       now = std::chrono::steady_clock::now()) {
    lock.unlock();
    answered_.wait(sockets, now < spin_end ? 0 : kLook_ms);
    if (sockets.front().revents != 0) take_messages([](const std::string&) {});  // a method in use keeps its name
    lock.lock();
  }
  if (!answer_.there && request.given_up()) return false;  // the stream ends
  if (!answer_.there)
    return miss(MethodLog::Missing::late, state_ == State::used ? no_answer(request.limit_s) : ended_);
  if (!answer_.failure.empty()) return miss(MethodLog::Missing::failed, answer_.failure);
  return has_values(of, request);
}

bool MethodProcess::has_values(const DefinedMethod& of, const OwnRequest& request) {
  const std::size_t expected = static_cast<std::size_t>(request.rows) * static_cast<std::size_t>(facts_.grid.nx);
  if (answer_.values != expected)
    return miss(MethodLog::Missing::failed, fmt::format("{} values; expected {}", answer_.values, expected));
  if ((answer_.item == OwnResult::labels) == of.labels().empty())
    return miss(MethodLog::Missing::failed, of.labels().empty() ? "a mask of a method without labels" : "no mask");
  if (answer_.item == OwnResult::pixels && of.input() == OwnInput::image)
    return miss(MethodLog::Missing::failed, "complex levels; expected float32 of dB");
  return true;
}

// Appends the values of the answer. The program may change them meanwhile: they are checked as copied.
bool MethodProcess::read_answer(const DefinedMethod& of, OwnAnswer& to) {
  if (answer_.item == OwnResult::labels) return read_labels(of, to);
  const auto n = static_cast<std::size_t>(answer_.values);
  const std::byte* const from = memory_.out->bytes().data();
  std::size_t wrong = 0;
  const auto is_number = [](float value) { return std::isfinite(value); };
  if (of.input() == OwnInput::image) {
    const std::size_t first = to.levels.size();
    to.levels.resize(first + n);
    float* const levels = to.levels.data() + first;
    std::memcpy(levels, from, n * sizeof(float));
    for (float& level : std::span(levels, n)) level = std::max(level, static_cast<float>(2.0 * kNoEcho_db));
    wrong = n - static_cast<std::size_t>(std::count_if(levels, levels + n, is_number));
  } else {
    const std::size_t first = to.pixels.size();
    to.pixels.resize(first + n);
    Complex* const pixels = to.pixels.data() + first;
    auto* const parts = reinterpret_cast<float*>(pixels);
    const bool complex = answer_.item == OwnResult::pixels;
    const std::size_t values = complex ? 2 * n : n;
    std::memcpy(parts, from, values * sizeof(float));
    wrong = values - static_cast<std::size_t>(std::count_if(parts, parts + values, is_number));
    for (std::size_t i = complex ? 0 : n; i-- > 0;) pixels[i] = {parts[i], 0.0F};
  }
  return wrong == 0 || miss(MethodLog::Missing::failed, no_numbers(wrong));
}

bool MethodProcess::read_labels(const DefinedMethod& of, OwnAnswer& to) {
  const auto n = static_cast<std::ptrdiff_t>(answer_.values);
  const auto* const from = reinterpret_cast<const std::uint8_t*>(memory_.out->bytes().data());
  const auto first = to.labels.insert(to.labels.end(), from, from + n);
  const std::uint8_t most = n > 0 ? *std::max_element(first, to.labels.end()) : std::uint8_t{0};
  return most <= of.labels().size() ||
         miss(MethodLog::Missing::failed, fmt::format("label {} in the mask; expected 0 to {} ({})", most,
                                                      of.labels().size(), fmt::join(of.labels(), ", ")));
}

namespace {

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

std::size_t bytes_of(const OwnRequest& request) {
  std::size_t bytes = bytes_of(request.item);
  for (const std::uint64_t side : request.shape) bytes *= static_cast<std::size_t>(side);
  return bytes;
}

}  // namespace

bool DefinedMethod::exchange(const OwnRequest& request, const Fill& fill, OwnAnswer& answer) {
  return of_->exchange(*this, request, fill, answer);
}

OwnResult DefinedMethod::exchange(const OwnRequest& request, const Fill& fill, SharedDeviceMemory& memory,
                                  OwnAnswer& answer) {
  return of_->exchange(*this, request, fill, memory, answer);
}

void DefinedMethod::refuse(unsigned values) { of_->take_back(values); }

// Notes the answer of a frame once its last rows are there.
void MethodProcess::note(const OwnRequest& request, double total_s) {
  if (request.first_row == 0) asked_.total_s = asked_.function_s = 0.0;
  asked_.total_s += total_s;
  asked_.function_s += answer_.function_s;
  if (request.first_row + request.rows == facts_.grid.nz) log_.note(asked_.total_s, asked_.function_s);
}

bool MethodProcess::exchange(const DefinedMethod& of, const OwnRequest& request, const Fill& fill, OwnAnswer& answer) {
  const std::scoped_lock turn(turn_);
  auto begun = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (!may_ask()) return false;
  send_facts(of.input(), request);
  const std::size_t bytes = bytes_of(request);
  const std::size_t out_bytes =
      sizeof(Complex) * static_cast<std::size_t>(request.rows) * static_cast<std::size_t>(facts_.grid.nx);
  if (!make_room(bytes, out_bytes))
    return miss(MethodLog::Missing::late, fmt::format("no shared memory for {} bytes", bytes + out_bytes));
  lock.unlock();
  fill(memory_.in.memory->bytes().first(bytes));
  lock.lock();
  if (of.input() == OwnInput::channels) begun = std::chrono::steady_clock::now();  // they are computed, not copied
  if (!ask(lock, of, request, {.bytes = bytes}) || !read_answer(of, answer)) return false;
  note(request, seconds_since(begun));
  return true;
}

void MethodProcess::take_back(unsigned values) {
  const std::scoped_lock lock(mutex_);
  log_.take_back(no_numbers(values));
}

OwnResult MethodProcess::exchange(const DefinedMethod& of, const OwnRequest& request, const Fill& fill,
                                  SharedDeviceMemory& memory, OwnAnswer& answer) {
  const std::scoped_lock turn(turn_);
  const auto begun = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (!may_ask()) return OwnResult::none;
  send_facts(of.input(), request);
  const SharedDeviceMemory::Names& names = memory.names();
  if (std::ranges::find(told_, names.id) == told_.end()) {
    constexpr std::size_t kOpen = 8;  // lanes
    told_.push_back(names.id);
    if (told_.size() > kOpen) told_.pop_front();
    send(kRoom, payload_of(std::uint32_t{2}, names.device, names.in_bytes, names.out_bytes, names.id, names.in,
                           names.out, names.filled));
  }
  const std::size_t bytes = bytes_of(request);
  const std::size_t mask_bytes = static_cast<std::size_t>(request.rows) * static_cast<std::size_t>(facts_.grid.nx);
  if (!of.labels().empty() && !make_room(1, mask_bytes)) {
    miss(MethodLog::Missing::late, fmt::format("no shared memory for {} bytes", mask_bytes));
    return OwnResult::none;
  }
  lock.unlock();
  fill(memory.in().first(bytes));
  lock.lock();
  const FrameWord place{.bytes = bytes, .block = static_cast<std::uint32_t>(names.id), .flags = 1};
  if (!ask(lock, of, request, place)) return OwnResult::none;
  try {
    memory.follow(answer_.event);
  } catch (const std::exception& error) {  // no event of the program
    miss(MethodLog::Missing::failed, error.what());
    return OwnResult::none;
  }
  if (answer_.item == OwnResult::labels && !read_labels(of, answer)) return OwnResult::none;
  note(request, seconds_since(begun));
  return answer_.item;
}

// Parameters hold the method, which holds this object: not the reverse.
std::shared_ptr<const OwnMethod> MethodProcess::give_method() {
  std::shared_ptr<const OwnMethod> method = given_.lock();
  if (method != nullptr) return method;
  auto made = std::make_shared<OwnMethod>(newest_->method);
  made->process = std::make_shared<DefinedMethod>(shared_from_this(), defined_, *newest_);
  method = std::move(made);
  given_ = method;
  return method;
}

UsedMethod MethodProcess::describe() {
  const std::scoped_lock lock(mutex_);
  UsedMethod used{.method = give_method(),
                  .program = program,
                  .input = std::string(kOwnInputs[static_cast<std::size_t>(newest_->input)]),
                  .connected = state_ == State::used,
                  .times = {},
                  .problem = {},
                  .place = newest_->place};
  log_.describe(used);
  return used;
}

}  // namespace echoloop
