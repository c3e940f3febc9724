#include "app/session.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/pinned_copy.h"

namespace echoloop {

double default_rate_hz(const Acquisition& acquisition) {
  // A recording at 10 kHz would be over before anybody saw it; 50 pictures a second show every frame of a short loop.
  constexpr double kFallbackHz = 50.0;
  return acquisition.frame_rate_hz > 0.0 ? std::min(acquisition.frame_rate_hz, kFallbackHz) : kFallbackHz;
}

namespace {

// Locked pages are lost to every other program: at most a quarter of the machine's memory.
std::size_t max_page_locked_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

}  // namespace

Session::Session(Backend& backend, std::shared_ptr<Source> source, Mailbox<Image>& images, TimingTrace& trace,
                 SessionOptions options)
    : backend_(backend), source_(std::move(source)), images_(images), trace_(trace), options_(std::move(options)) {
  start({}, 0, kAutoReference);
}

Session::~Session() {
  ring_->close();
  producer_.reset();
  pipeline_.reset();
}

HostMemory Session::host_memory() const {
  if (!source_->lends_frames()) return memory_.front()->kind();
  return page_lock_ != nullptr || feed_ != source_ ? HostMemory::pinned : HostMemory::pageable;
}

void Session::stop() {
  producer_->stop();
  pipeline_->stop();
  while (producer_->state() == ProducerState::running || !pipeline_->done()) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

double Session::rate_hz() const {
  return options_.stream.rate_hz > 0.0 ? options_.stream.rate_hz : default_rate_hz(*source_->acquisition());
}

void Session::start(const RingCounts& counts, std::uint64_t first_sequence, double held_reference_db) {
  const StreamSettings& stream = options_.stream;
  const std::size_t bytes = source_->acquisition()->frame_bytes();
  page_lock_.reset();
  memory_.clear();
  if (stream.host_memory == HostMemory::pageable) {
    feed_ = source_;
  } else {
    const std::span<const std::byte> lent = source_->lendable_memory();
    if (!lent.empty() && lent.size() <= max_page_locked_bytes()) page_lock_ = backend_.page_lock(lent);
    if (feed_ == nullptr || feed_ == source_) feed_ = with_pinned_frames(source_, backend_);
  }
  // Slots of a source that lends its frames hold no samples.
  std::vector<std::span<std::byte>> slots;
  for (int i = 0; i < stream.slots; ++i) {
    memory_.push_back(backend_.allocate_host(source_->lends_frames() ? 64 : bytes, stream.host_memory));
    slots.push_back(memory_.back()->bytes());
  }
  ring_ = std::make_unique<FrameRing>(std::move(slots), stream.policy, counts);
  pipeline_ = std::make_unique<Pipeline>(
      backend_, *ring_, source_->acquisition(), options_.params, images_, trace_,
      PipelineOptions{.lanes = stream.lanes,
                      .mode = stream.streams,
                      .max_frames = options_.max_frames > 0 ? options_.max_frames - counts.processed : 0,
                      .host_images = options_.host_images,
                      .held_reference_db = held_reference_db,
                      .on_image = options_.on_image});
  producer_ = std::make_unique<Producer>(
      *feed_, *ring_, trace_,
      ProducerOptions{
          .rate_hz = rate_hz(), .loop = stream.loop, .paused = stream.paused, .first_sequence = first_sequence});
}

void Session::set_params(const ImagingParams& params) {
  options_.params = params;
  pipeline_->set_params(params);
}

void Session::set_host_images(bool wanted) {
  options_.host_images = wanted;
  pipeline_->set_host_images(wanted);
}

void Session::set_stream(const StreamSettings& stream) {
  begin_stream(stream);
  while (!advance()) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void Session::begin_stream(const StreamSettings& stream) {
  const StreamSettings old = std::exchange(options_.stream, stream);
  remaking_ = remaking_ || old.slots != stream.slots || old.lanes != stream.lanes || old.streams != stream.streams ||
              old.host_memory != stream.host_memory;
  if (remaking_) {
    // A producer that waits for a slot gets one, because processing goes on; its frame is not lost.
    producer_->stop();
    return;
  }
  ring_->set_policy(stream.policy);
  producer_->set_rate(rate_hz());
  producer_->set_loop(stream.loop);
  producer_->set_paused(stream.paused);
}

bool Session::advance() {
  if (!remaking_) return true;
  if (producer_->state() == ProducerState::running) return false;
  ring_->close();  // what is in it will still be processed
  if (!pipeline_->done()) return false;
  remaking_ = false;
  const RingCounts counts = ring_->counts();
  const std::uint64_t next = producer_->next_sequence();
  const double level = pipeline_->held_reference_db();
  producer_.reset();
  pipeline_.reset();
  start(counts, next, level);
  return true;
}

bool Session::done() const {
  if (remaking_) return false;
  if (pipeline_->done()) return true;
  if (producer_->state() == ProducerState::running) return false;
  const RingCounts counts = ring_->counts();
  return counts.slots_ready == 0 && counts.in_flight == 0;
}

}  // namespace echoloop
