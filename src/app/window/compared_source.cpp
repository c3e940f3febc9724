#include "app/window/compared_source.h"

#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "app/outputs/comparison.h"
#include "core/error.h"

namespace echoloop {
// Reads the frame that was asked for last.
struct ComparedSource::Reader {
  explicit Reader(std::shared_ptr<SeekableSource> from) : source(std::move(from)) {
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void run(const std::stop_token& stop) {
    while (true) {
      std::uint64_t index = 0;
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, stop, [this] { return wanted.has_value(); })) return;
        index = *std::exchange(wanted, std::nullopt);
      }
      Read read{.index = index};
      try {
        const auto memory = std::make_shared<std::vector<std::byte>>(source->acquisition()->frame_bytes());
        FrameMemory slot{.bytes = *memory, .owner = nullptr, .kind = HostMemory::pageable};
        read.samples = source->at(index, slot, stop);
        read.owner = memory;
        if (read.samples.data() != memory->data()) read.owner = source;
      } catch (...) {
        read.error = std::current_exception();
      }
      const std::scoped_lock lock(mutex);
      newest = std::move(read);
    }
  }

  // The newest frame that is there; the thread goes on with `index`, where that is another one.
  std::optional<ComparedFrame> read(std::uint64_t index, const AcquisitionPtr& acquisition, const FrameStamp& b) {
    const std::scoped_lock lock(mutex);
    if (newest && newest->error != nullptr) std::rethrow_exception(newest->error);
    if (asked != index) {
      wanted = asked = index;
      changed.notify_one();
    }
    if (!newest) return std::nullopt;
    return ComparedFrame{
        acquisition, {stamp_beside(newest->index, acquisition->frame_rate_hz, b), newest->samples}, newest->owner};
  }

  struct Read {
    std::uint64_t index = 0;
    std::span<const std::byte> samples = {};
    std::shared_ptr<const void> owner = {};
    std::exception_ptr error = {};
  };

  std::shared_ptr<SeekableSource> source;
  std::mutex mutex;
  std::condition_variable_any changed;
  // Under mutex.
  std::optional<std::uint64_t> wanted, asked;  // asked: the last one that was wanted
  std::optional<Read> newest;
  std::jthread thread;  // last: it uses all of the above
};

void ComparedSource::open(const std::string& name) {
  forget();
  opener_.open(name);
}

void ComparedSource::use(OpenedSource opened) {
  forget();
  opened_ = std::move(opened);
}

std::optional<std::exception_ptr> ComparedSource::take_result() {
  std::optional<SourceOpener::Result> result = opener_.take();
  if (!result) return std::nullopt;
  if (result->error == nullptr) opened_ = std::move(*result->opened);
  return result->error;
}

void ComparedSource::forget() {
  opener_.cancel();
  reader_.reset();  // waits for a frame that is being read
  opened_.reset();
}

std::optional<ComparedFrame> ComparedSource::frame_for(const FrameStamp& b) {
  if (!opened_) return std::nullopt;
  const std::shared_ptr<SeekableSource> source = as_seekable(opened_->source);
  if (source == nullptr) throw Error(opened_->name, "a source without frames to go back to", "a recording");
  const AcquisitionPtr& acquisition = source->acquisition();
  const std::uint64_t index = frame_beside(b, acquisition->frame_rate_hz, source->frame_count());
  if (source->lends_at_once()) {
    const FrameStamp stamp = stamp_beside(index, acquisition->frame_rate_hz, b);
    return ComparedFrame{acquisition, {stamp, source->at(index, {})}, source};
  }
  if (reader_ == nullptr) reader_ = std::make_shared<Reader>(source);
  return reader_->read(index, acquisition, b);
}

}  // namespace echoloop
