#include "source/live/live_intake.h"

#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::size_t kShareToReturn = 8;  // of the lendable blocks: the least worth a message

}  // namespace

// Replaces std::condition_variable_any, which wakes the waiting thread while holding a lock of its own: one more system
// call per frame on both sides.
template <class Holds>
bool LiveIntake::wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, const Holds& holds) {
  if (holds()) return true;
  bool held = false;
  lock.unlock();
  {
    const std::stop_callback wakes(stop, [this] {
      { const std::scoped_lock now(mutex_); }
      arrived_.notify_all();
    });
    lock.lock();
    arrived_.wait(lock, [&] { return stop.stop_requested() || holds(); });
    held = holds();
    lock.unlock();  // before the callback is destroyed, which may wait for it
  }
  lock.lock();
  return held;
}

void LiveIntake::set_server(std::function<void()> wake, Serve serve) {
  wake_ = std::move(wake);
  serve_ = std::move(serve);
}

void LiveIntake::sender_came(LiveTransport transport, std::string name) {
  const std::scoped_lock lock(mutex_);
  status_.sender = std::move(name);
  sender_.inlined = transport == LiveTransport::inlined;
  account_.begin_epoch();
  clock_.begin_epoch();
  ++status_.connections;
}

void LiveIntake::sender_gone() {
  const std::scoped_lock lock(mutex_);
  sender_.described = false;
  blocks_.recall();
}

void LiveIntake::describe(LiveScanPtr scan, std::uint32_t generation) {
  const std::scoped_lock lock(mutex_);
  blocks_.recall();  // blocks lent for the previous description are void
  sender_.described = true;
  generation_ = status_.generation = generation;
  if (scan_ == nullptr || !same_scan(*scan, *scan_)) {
    scan_ = std::move(scan);
    clock_.begin_epoch();
  }
  status_.description = scan_->text;
  status_.block_bytes = scan_->description.layout->frame_bytes();
  status_.blocks = LiveBlocks::count_for(scan_->description.layout->frame_bytes());
  if (scan_ == streamed_) blocks_.set_generation(generation);
  arrived_.notify_all();
}

LiveScanPtr LiveIntake::scan() const {
  const std::scoped_lock lock(mutex_);
  return scan_;
}

bool LiveIntake::described_again() const {
  const std::scoped_lock lock(mutex_);
  return changed() && (queue_.empty() || queue_.front().scan == scan_);
}

bool LiveIntake::is_alone() const {
  const std::scoped_lock lock(mutex_);
  return !sender_.described && queue_.empty();
}

// Returns the blocks to lend now; 0 while they are not worth a message. Under mutex_.
std::size_t LiveIntake::credits_due() const {
  if (!issues_credits_ || !stopped_.empty() || changed()) return 0;
  std::size_t count = blocks_.free(), most = blocks_.size();
  if (policy_ == RingPolicy::block) {
    most = std::min(most, allowance_.frames());
    count = std::min(count, most - std::min(most, blocks_.credited() + queue_.size()));
  }
  return count * kShareToReturn >= most ? count : 0;
}

bool LiveIntake::owes_credits() const {
  const std::scoped_lock lock(mutex_);
  return credits_due() > 0;
}

std::vector<LiveCredit> LiveIntake::credits() {
  const std::scoped_lock lock(mutex_);
  producer_.asked_for_credits = false;
  std::vector<LiveCredit> credits;
  for (std::size_t left = credits_due(); left > 0; --left) {
    const std::optional<LiveCredit> credit = blocks_.issue_credit();
    if (!credit.has_value()) break;
    credits.push_back(*credit);
  }
  return credits;
}

LiveIntake::Taken LiveIntake::take(const FrameWord& word) {
  const std::scoped_lock lock(mutex_);
  if (scan_ == nullptr || word.generation > generation_)
    return {{}, "generation " + std::to_string(word.generation) + ", which was not accepted"};
  if (word.generation < generation_) {
    account_.add_stale(word.sequence);
    return {};
  }
  std::optional<FrameMemory> memory = blocks_.take(word.block);
  if (!memory.has_value()) return {{}, "block " + std::to_string(word.block) + ", which is not lent"};
  const std::size_t bytes = scan_->description.layout->frame_bytes();
  std::string fault;
  if ((word.flags & ~kDoesNotFollow) != 0 || word.zero != 0) fault = "unknown flags";
  if (word.bytes != bytes) fault = std::to_string(word.bytes) + " bytes; expected " + std::to_string(bytes);
  if (fault.empty()) return {std::move(memory), {}};
  blocks_.give_back(std::move(*memory));
  return {{}, std::move(fault)};
}

double LiveIntake::frame_time_s(const FrameWord& word, std::int64_t now_ns) {
  if (scan_->description.device_hz > 0.0) return clock_.time_s(word.device_ticks, scan_->description.device_hz, now_ns);
  const bool stamped = scan_->clock != SenderClock::none && word.acquired_ns > 0;
  return clock_.time_s(static_cast<std::uint64_t>(stamped ? word.acquired_ns : now_ns), 1e9, now_ns);
}

void LiveIntake::put(const FrameWord& word, FrameMemory memory, std::int64_t clock_offset_ns) {
  const std::int64_t now = now_ns();
  const std::scoped_lock lock(mutex_);
  const NumberedFrame numbered = account_.add(word.sequence, word.lost_so_far);
  status_.duplicates = account_.duplicates();
  status_.lost = account_.lost();
  status_.missing = account_.missing();
  status_.stale = account_.stale();
  ++status_.frames;
  name_frames(numbered.sequence);
  const bool stamped = scan_->clock == SenderClock::monotonic && word.acquired_ns > 0;
  status_.newest_ns = stamped ? std::min(word.acquired_ns, now - clock_offset_ns) + clock_offset_ns : now;
  const double rate_hz = scan_->description.acquisition->frame_rate_hz;
  const bool by_device = scan_->description.device_hz > 0.0 || rate_hz <= 0.0;
  const FrameStamp stamp{
      .sequence = numbered.sequence,
      .source_index = numbered.sequence,
      .acquired_ns = 0,
      .time_s = by_device ? frame_time_s(word, now) : static_cast<double>(numbered.sequence) / rate_hz,
      .clock = by_device ? FrameClock::device : FrameClock::counted,
      .gap = numbered.gap,
      .sender = {.device_ticks = word.device_ticks, .lost = account_.lost(), .missing = account_.missing()}};
  queue_.push_back({.stamp = stamp, .memory = std::move(memory), .scan = scan_});
}

// Stores names with frames: those of the previous sender may still be on their way to the screen. Under mutex_.
void LiveIntake::name_frames(std::uint64_t first) {
  constexpr std::size_t kMost = 64;
  const std::string& described = scan_->description.name;
  const std::string& name = described.empty() ? status_.sender : described;
  std::vector<LiveName>& names = status_.names;
  if (!names.empty() && names.back().name == name) return;
  if (names.size() == kMost) names.erase(names.begin());
  names.push_back({.first = first, .name = name});
}

void LiveIntake::announce() { arrived_.notify_one(); }

void LiveIntake::drop(FrameMemory memory) { give_back(std::move(memory)); }

LiveIntake::ForSender LiveIntake::for_sender() const {
  const std::scoped_lock lock(mutex_);
  return {.policy = policy_,
          .paused = paused_,
          .stopped = stopped_,
          .received = status_.frames,
          .duplicates = status_.duplicates,
          .lost = status_.lost,
          .missing = status_.missing,
          .stale = status_.stale};
}

std::optional<Arrival> LiveIntake::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  FrameMemory unused = std::move(producer_.current.memory);  // of a frame for which no slot was free
  if (!std::exchange(producer_.fetched, true) && unused.owner != nullptr) blocks_.give_back(std::move(unused));
  unused = {};
  if (!has_news() && !sender_.inlined) {
    serve(lock, stop);
  } else if (credits_due() > 0 && !std::exchange(producer_.asked_for_credits, true)) {
    lock.unlock();
    wake_();
    lock.lock();
  }
  if (!wait(lock, stop, [this] { return has_news(); }))
    throw Error("live source", "the wait for a frame was ended", "a frame");
  const bool dropped = !queue_.empty() && queue_.front().dropped;
  if (!dropped && (queue_.empty() || queue_.front().scan != streamed_)) {
    const LiveScanPtr& next_scan = queue_.empty() ? scan_ : queue_.front().scan;
    issues_credits_ = false;
    streamed_ = next_scan;
    producer_.acquisition = streamed_->description.acquisition;
    return Arrival{.stamp = {.sequence = account_.next(), .source_index = account_.next()},
                   .acquisition = producer_.acquisition};
  }
  producer_.current = std::move(queue_.front());
  queue_.pop_front();
  allowance_.count_frame(now_ns());
  producer_.fetched = dropped;
  return Arrival{.stamp = producer_.current.stamp, .dropped = dropped};
}

// Serves the sockets on the producer thread instead of waiting for the server thread. Unlocks `lock` meanwhile.
void LiveIntake::serve(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  lock.unlock();
  serve_(stop, [this] {
    const std::scoped_lock now(mutex_);
    return has_news() || sender_.inlined;
  });
  lock.lock();
}

void LiveIntake::give_back(FrameMemory memory) {
  const std::scoped_lock lock(mutex_);
  blocks_.give_back(std::move(memory));
}

std::span<const std::byte> LiveIntake::fetch(FrameMemory& slot) {
  LiveLayout& layout = *producer_.current.scan->description.layout;
  const bool again = std::exchange(producer_.fetched, true);  // injected: duplicate frame
  if (again) {
    std::memcpy(slot.bytes.data(), producer_.current.memory.bytes.data(), slot.bytes.size());
    return slot.bytes;
  }
  if (!layout.in_place()) {
    layout.convert(producer_.current.memory.bytes, slot.bytes);
    give_back(std::exchange(producer_.current.memory, slot));
  } else {
    bool exchanged = false;
    {
      const std::scoped_lock lock(mutex_);
      exchanged = blocks_.can_exchange(slot);
    }
    if (exchanged) {
      give_back(std::exchange(slot, producer_.current.memory));
    } else {
      std::memcpy(slot.bytes.data(), producer_.current.memory.bytes.data(), slot.bytes.size());
      give_back(std::exchange(producer_.current.memory, slot));
    }
  }
  check(slot.bytes);
  return slot.bytes;
}

// Counts faults in some transmits of one frame now and then, as the check runs at the speed of memory, which the stream
// needs itself. Invalid samples are counted in every frame, by the backend.
void LiveIntake::check(std::span<const std::byte> samples) {
  constexpr std::int64_t kApart_ns = 100'000'000;
  constexpr std::size_t kMostBytes = 1 << 20;
  const Acquisition& a = *producer_.acquisition;
  const std::int64_t now = now_ns();
  if (producer_.checked_ns != 0 && now - producer_.checked_ns < kApart_ns) return;
  producer_.checked_ns = now;
  const std::size_t n = a.transmits.size(), bytes = a.frame_bytes() / n;
  const std::size_t count = std::clamp<std::size_t>(kMostBytes / std::max<std::size_t>(bytes, 1), 1, n);
  const std::size_t first = std::min(producer_.checked_next, n - count);
  producer_.checked_next = first + count < n ? first + count : 0;
  SampleFaults faults = check_samples(samples.subspan(first * bytes, count * bytes), a);
  faults.of(SampleFault::invalid) = {};
  const std::scoped_lock lock(mutex_);
  status_.checked.add(faults);
}

void LiveIntake::note_invalid(const SampleFaultCount& invalid) {
  SampleFaults faults;
  faults.of(SampleFault::invalid) = invalid;
  const std::scoped_lock lock(mutex_);
  status_.checked.add(faults);
}

AcquisitionPtr LiveIntake::wait_for_scan(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!wait(lock, stop, [this] { return scan_ != nullptr; }))
    throw Error("live source", "waiting was stopped before a sender came", "a sender");
  streamed_ = scan_;
  producer_.acquisition = streamed_->description.acquisition;
  return producer_.acquisition;
}

std::string LiveIntake::name() const {
  const std::scoped_lock lock(mutex_);
  return streamed_ == nullptr ? std::string() : streamed_->description.name;
}

double LiveIntake::device_hz() const {
  const std::scoped_lock lock(mutex_);
  return streamed_ == nullptr ? 0.0 : streamed_->description.device_hz;
}

void LiveIntake::make_blocks(const std::function<FrameMemory(std::size_t)>& allocate) {
  std::size_t bytes = 0;
  {
    const std::scoped_lock lock(mutex_);
    bytes = streamed_->description.layout->frame_bytes();
    blocks_.drop_free();
  }
  std::vector<FrameMemory> made = blocks_.allocate(bytes, allocate);  // takes seconds for large frames
  const std::scoped_lock lock(mutex_);
  blocks_.use(std::move(made), bytes, generation_);
}

void LiveIntake::resume() {
  {
    const std::scoped_lock lock(mutex_);
    issues_credits_ = true;
    if (!std::exchange(stopped_, {}).empty()) drop_queue();
  }
  wake_();
}

// Drops frames that came before and during a stop, which would fill the slots at once: counts them and frees their
// memory. Under mutex_.
void LiveIntake::drop_queue() {
  for (Queued& queued : queue_)
    if (!std::exchange(queued.dropped, true)) blocks_.give_back(std::exchange(queued.memory, {}));
}

void LiveIntake::refused(const std::string& line) {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = line;
  }
  wake_();
}

void LiveIntake::set_policy(RingPolicy policy) {
  {
    const std::scoped_lock lock(mutex_);
    policy_ = policy;
  }
  wake_();
}

void LiveIntake::set_taking(Taking taking) {
  const bool paused = taking == Taking::paused;
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(paused_, paused) == paused) return;
  }
  wake_();
}

LiveStatus LiveIntake::status() const {
  const std::scoped_lock lock(mutex_);
  LiveStatus status = status_;
  SampleFaultCount& invalid = status.checked.of(SampleFault::invalid);
  if (invalid.samples > 0 && streamed_ != nullptr)  // the backend tests every frame
    invalid.checked = std::max(invalid.samples, status.frames * streamed_->description.acquisition->frame_values());
  return status;
}

double LiveClock::time_s(std::uint64_t ticks, double ticks_per_s, std::int64_t now_ns) {
  const double by_host_s =
      last_ns_ == 0 ? 0.0 : static_cast<double>(std::max<std::int64_t>(now_ns - last_ns_, 0)) * 1e-9;
  const auto passed = static_cast<std::int64_t>(ticks - std::exchange(last_ticks_, ticks));  // modulo 2^64
  const double by_clock_s = static_cast<double>(passed) / ticks_per_s;
  const bool follows = std::exchange(begun_, true) && by_clock_s >= 0.0 && by_clock_s <= kLongest_s;
  last_ns_ = now_ns;
  last_s_ += follows ? by_clock_s : by_host_s;
  return last_s_;
}

NumberedFrame LiveAccount::begin(std::uint64_t sequence, std::uint64_t lost_so_far) {
  // The first epoch keeps the sender's numbers. Stale frames at the end of the previous epoch have numbers as well.
  const std::uint64_t stale = epochs_ > 0 ? std::exchange(stale_, 0) : 0;
  if (epochs_ > 0) offset_ = next_ + offset_ + stale - sequence;
  all_stale_ += stale;
  begun_ = true;
  ++epochs_;
  first_ = sequence;
  next_ = sequence + 1;
  lost_ = lost_so_far;
  return {.kind = NumberedFrame::Kind::new_epoch, .sequence = sequence + offset_, .gap = {.stale = stale}};
}

NumberedFrame LiveAccount::add(std::uint64_t sequence, std::uint64_t lost_so_far) {
  if (!begun_) return begin(sequence, lost_so_far);
  const std::uint64_t left_out = sequence - next_, back = next_ - sequence;  // one of them is the distance
  if (left_out > kFarthestAhead && back > kFarthestBack) return begin(sequence, lost_so_far);
  if (left_out > kFarthestAhead) {
    ++duplicates_;
    return {.kind = NumberedFrame::Kind::duplicate,
            .sequence = next_ - std::min(back, next_ - first_) + offset_,
            .gap = {}};
  }
  const bool grew = !is_before(lost_so_far, lost_);
  const std::uint64_t lost = grew ? std::min(lost_so_far - lost_, left_out) : 0;
  if (grew) lost_ = lost_so_far;
  next_ = sequence + 1;
  const std::uint64_t stale = std::min(std::exchange(stale_, 0), left_out - lost);
  all_lost_ += lost;
  all_stale_ += stale;
  all_missing_ += left_out - lost - stale;
  return {.kind = NumberedFrame::Kind::follows, .sequence = sequence + offset_, .gap = {.lost = lost, .stale = stale}};
}

void LiveAccount::add_stale(std::uint64_t sequence) {
  if (begun_ && sequence - next_ <= kFarthestAhead) ++stale_;
}

}  // namespace echoloop
