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
  used.times.p99_ms = percentile(total, 0.99);
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
    take_answer(message.kind, in);
  } else if (message.kind == static_cast<std::uint32_t>(LiveKind::bye)) {
    if (!log_.has_problem()) log_.say(ended_);
    close();
  } else if ((message.kind & kMayBeSkipped) == 0) {
    throw BadMessage("a message of unknown kind " + std::to_string(message.kind));
  }
}

// Answers come in the order of the arrays.
void MethodProcess::take_answer(std::uint32_t kind, PayloadReader& in) {
  const auto of = std::ranges::find_if(course_.asked, [](const Asked& asked) { return !asked.answer.there; });
  if (of == course_.asked.end() || in.number<std::uint64_t>() != of->number) throw BadMessage("an answer to no array");
  const Clock::time_point now = Clock::now();
  Answer& answer = of->answer;
  answer.there = true;
  answer.total_s = std::chrono::duration<double>(now - std::max(of->handed, course_.answered)).count();
  course_.answered = now;
  answer.function_s = in.number<double>();
  if (kind == kFailed) {
    answer.failure = in.text(kMostLine);
    if (answer.failure.empty()) answer.failure = "an exception without a text";
  } else {
    answer.item = static_cast<OwnResult>(in.number<std::uint32_t>());
    in.number<std::uint32_t>();
    answer.values = in.number<std::uint64_t>();
    if (answer.item < OwnResult::amplitudes || answer.item > OwnResult::labels)
      throw BadMessage("a result of an unknown type");
    if (of->on_device) answer.event = in.number<std::array<std::byte, 64>>();
  }
  if (of->wanted != Wanted::yes) course_.asked.erase(of);
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

// Returns a block that no array is in, large enough, of which the program knows; nullopt: the memory is not there.
std::optional<std::size_t> MethodProcess::make_room(std::size_t in_bytes, std::size_t out_bytes) {
  std::size_t block = 0;
  while (std::ranges::any_of(course_.asked, [&](const Asked& asked) { return asked.block == block; })) ++block;
  if (block >= memory_.size()) memory_.resize(block + 1);
  Memory& memory = memory_[block];
  if (in_bytes <= memory.in_bytes && out_bytes <= memory.out_bytes) return block;
  Memory next{.in = SealedMemory::make(in_bytes),
              .out_file = FileDescriptor(::memfd_create("echoloop-method", MFD_CLOEXEC | MFD_ALLOW_SEALING)),
              .out = nullptr,
              .in_bytes = in_bytes,
              .out_bytes = out_bytes};
  if (next.in.memory == nullptr || next.out_file.get() < 0 || !seal(next.out_file.get(), out_bytes)) return {};
  next.out = SharedMemory::map(next.out_file.get(), out_bytes);
  if (next.out == nullptr) return {};
  memory = std::move(next);
  const auto number = static_cast<std::uint32_t>(block);
  send(kRoom, payload_of(std::uint32_t{0}, number, std::uint64_t{in_bytes}), memory.in.file.get());
  send(kRoom, payload_of(std::uint32_t{1}, number, std::uint64_t{out_bytes}), memory.out_file.get());
  return block;
}

void MethodProcess::tell_of(const SharedDeviceMemory::Names& names) {
  if (std::ranges::find(told_, names.id) != told_.end()) return;
  constexpr std::size_t kOpen = 8;  // lanes
  told_.push_back(names.id);
  if (told_.size() > kOpen) told_.pop_front();
  send(kRoom, payload_of(std::uint32_t{2}, names.device, names.in_bytes, names.out_bytes, names.id, names.in, names.out,
                         names.filled));
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

bool MethodProcess::send_frame(const DefinedMethod& of, const OwnRequest& request, const FrameWord& place,
                               const Asked& asked) {
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
  return send(
      static_cast<std::uint32_t>(LiveKind::frames),
      payload_of(word, facts_.revision, static_cast<std::uint32_t>(request.shape.size()), shape, stamp.time_s,
                 request.reference_db, static_cast<std::uint32_t>(request.item), of.number,
                 static_cast<std::uint32_t>(request.first_row), static_cast<std::uint32_t>(request.rows),
                 static_cast<std::uint32_t>(facts_.grid.nx), static_cast<std::uint32_t>(asked.block.value_or(0)),
                 asked.number, plan.params.formation.own_values, rate_hz, demod_hz, valid));
}

bool MethodProcess::may_ask() {
  if (state_ != State::used) return miss(MethodLog::Missing::late, ended_);
  const auto stuck = std::ranges::find(course_.asked, Wanted::late, &Asked::wanted);
  return stuck == course_.asked.end() || miss(MethodLog::Missing::late, no_answer(stuck->limit_s));
}

OwnAsk MethodProcess::hand(const DefinedMethod& of, const OwnRequest& request, const OwnProcess::Fill& fill,
                           SharedDeviceMemory* memory) {
  const std::scoped_lock turn(turn_);
  std::unique_lock lock(mutex_);
  if (!may_ask()) return {};
  send_facts(of.input(), request);
  const int height = facts_.grid.nz, last = request.first_row + request.rows;
  Asked asked{.number = course_.number + 1,
              .on_device = memory != nullptr,
              .values = static_cast<std::size_t>(request.rows) * static_cast<std::size_t>(facts_.grid.nx),
              .rows = {.begin = request.first_row == 0, .end = last == height},
              .limit_s = request.limit_s,
              .handed = Clock::now(),
              .answer = {}};
  const std::size_t bytes = bytes_of(request);
  if (memory != nullptr) tell_of(memory->names());
  const bool labels = !of.labels().empty();
  if (memory == nullptr || labels) {
    const std::size_t in = memory == nullptr ? bytes : 1, out = asked.values * (labels ? 1 : sizeof(Complex));
    const std::optional<std::size_t> block = make_room(in, out);
    if (!block) {
      miss(MethodLog::Missing::late, fmt::format("no shared memory for {} bytes", in + out));
      return {};
    }
    asked.block = *block;
  }
  lock.unlock();
  fill(memory != nullptr ? memory->in().first(bytes) : memory_[*asked.block].in.memory->bytes().first(bytes));
  lock.lock();
  if (of.input() == OwnInput::channels) asked.handed = Clock::now();  // they are computed, not copied
  FrameWord place{.bytes = bytes};
  if (memory != nullptr) {
    place.block = static_cast<std::uint32_t>(memory->names().id);
    place.flags = 1;
  }
  course_.number = asked.number;
  send_frame(of, request, place, asked);
  course_.asked.push_back(std::move(asked));
  return {course_.number, memory};
}

// Waits for the answer, with cores to spare a while in a spin, since waking a thread takes some 50 us. Returns false if
// interrupted.
bool MethodProcess::wait_for(std::unique_lock<std::mutex>& lock, const Asked& asked,
                             const OwnProcess::Interrupted& interrupted) {
  constexpr std::chrono::milliseconds kSpin{1};
  constexpr int kLook_ms = 2;
  const Clock::duration limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(asked.limit_s));
  const Clock::time_point spin_end = has_spare_cores() ? Clock::now() + kSpin : Clock::time_point{};
  std::vector<pollfd> sockets = {{stream_.descriptor(), POLLIN, 0}};
  while (!asked.answer.there && state_ == State::used) {
    const Clock::time_point now = Clock::now();
    if (now >= std::max(asked.handed, course_.answered) + limit) return true;
    if (interrupted && interrupted()) return false;
    lock.unlock();
    answered_.wait(sockets, now < spin_end ? 0 : kLook_ms);
    if (sockets.front().revents != 0) take_messages([](const std::string&) {});  // a method in use keeps its name
    lock.lock();
  }
  return true;
}

std::optional<OwnResult> MethodProcess::take(const DefinedMethod& of, const OwnAsk& ask,
                                             const OwnProcess::Interrupted& interrupted, OwnAnswer& answer) {
  std::unique_lock lock(mutex_);
  const auto at = std::ranges::find(course_.asked, ask.number, &Asked::number);
  if (at == course_.asked.end()) return OwnResult::none;
  if (!wait_for(lock, *at, interrupted)) return {};
  if (!at->answer.there && state_ == State::used) {
    at->wanted = Wanted::late;  // until it comes
    miss(MethodLog::Missing::late, no_answer(at->limit_s));
    return OwnResult::none;
  }
  const OwnResult result = is_taken(of, *at, ask.memory, answer) ? at->answer.item : OwnResult::none;
  course_.asked.erase(at);
  return result;
}

bool MethodProcess::is_taken(const DefinedMethod& of, const Asked& asked, SharedDeviceMemory* memory, OwnAnswer& to) {
  const Answer& answer = asked.answer;
  if (!answer.there) return miss(MethodLog::Missing::late, ended_);
  if (!answer.failure.empty()) return miss(MethodLog::Missing::failed, answer.failure);
  if (!has_values(of, asked)) return false;
  try {
    if (memory != nullptr) memory->follow(answer.event);
  } catch (const std::exception& error) {  // no event of the program
    return miss(MethodLog::Missing::failed, error.what());
  }
  const bool labels = answer.item == OwnResult::labels;
  if (labels ? !read_labels(of, asked, to) : memory == nullptr && !read_answer(of, asked, to)) return false;
  note(asked);
  return true;
}

void MethodProcess::drop(const OwnAsk& ask) {
  const std::scoped_lock lock(mutex_);
  const auto at = std::ranges::find(course_.asked, ask.number, &Asked::number);
  if (at == course_.asked.end()) return;
  if (at->answer.there)
    course_.asked.erase(at);
  else
    at->wanted = Wanted::no;
}

bool MethodProcess::has_values(const DefinedMethod& of, const Asked& asked) {
  const Answer& answer = asked.answer;
  if (answer.values != asked.values)
    return miss(MethodLog::Missing::failed, fmt::format("{} values; expected {}", answer.values, asked.values));
  if ((answer.item == OwnResult::labels) == of.labels().empty())
    return miss(MethodLog::Missing::failed, of.labels().empty() ? "a mask of a method without labels" : "no mask");
  if (answer.item == OwnResult::pixels && of.input() == OwnInput::image)
    return miss(MethodLog::Missing::failed, "complex levels; expected float32 of dB");
  return true;
}

// Appends the values of the answer. The program may change them meanwhile: they are checked as copied.
bool MethodProcess::read_answer(const DefinedMethod& of, const Asked& asked, OwnAnswer& to) {
  const std::size_t n = asked.values;
  const std::byte* const from = memory_[*asked.block].out->bytes().data();
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
    const bool complex = asked.answer.item == OwnResult::pixels;
    const std::size_t values = complex ? 2 * n : n;
    std::memcpy(parts, from, values * sizeof(float));
    wrong = values - static_cast<std::size_t>(std::count_if(parts, parts + values, is_number));
    for (std::size_t i = complex ? 0 : n; i-- > 0;) pixels[i] = {parts[i], 0.0F};
  }
  return wrong == 0 || miss(MethodLog::Missing::failed, no_numbers(wrong));
}

bool MethodProcess::read_labels(const DefinedMethod& of, const Asked& asked, OwnAnswer& to) {
  const auto n = static_cast<std::ptrdiff_t>(asked.values);
  const auto* const from = reinterpret_cast<const std::uint8_t*>(memory_[*asked.block].out->bytes().data());
  const auto first = to.labels.insert(to.labels.end(), from, from + n);
  const std::uint8_t most = n > 0 ? *std::max_element(first, to.labels.end()) : std::uint8_t{0};
  return most <= of.labels().size() ||
         miss(MethodLog::Missing::failed, fmt::format("label {} in the mask; expected 0 to {} ({})", most,
                                                      of.labels().size(), fmt::join(of.labels(), ", ")));
}

OwnAsk DefinedMethod::hand(const OwnRequest& request, const Fill& fill, SharedDeviceMemory* memory) {
  return of_->hand(*this, request, fill, memory);
}

std::optional<OwnResult> DefinedMethod::take(const OwnAsk& ask, const Interrupted& interrupted, OwnAnswer& answer) {
  return of_->take(*this, ask, interrupted, answer);
}

void DefinedMethod::drop(const OwnAsk& ask) { of_->drop(ask); }

void DefinedMethod::refuse(unsigned values) { of_->take_back(values); }

// Notes the answer of a frame once its last rows are there.
void MethodProcess::note(const Asked& asked) {
  if (asked.rows.begin) course_.total_s = course_.function_s = 0.0;
  course_.total_s += asked.answer.total_s;
  course_.function_s += asked.answer.function_s;
  if (asked.rows.end) log_.note(course_.total_s, course_.function_s);
}

void MethodProcess::take_back(unsigned values) {
  const std::scoped_lock lock(mutex_);
  log_.take_back(no_numbers(values));
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
