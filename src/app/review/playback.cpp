#include "app/review/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "app/outputs/comparison.h"
#include "core/error.h"
#include "core/results/image.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr double kPauseS = 0.5;  // longer steps between frames are pauses

}  // namespace

Ensemble ensemble_before(const RfHistory& history, std::size_t index, int frames) {
  Ensemble e;
  std::optional<FrameStamp> after;
  AcquisitionPtr acquisition;
  for (std::size_t i = index + 1; i > 0 && e.frames.size() < static_cast<std::size_t>(frames); --i) {
    std::optional<KeptFrame> kept = history.at(i - 1);
    if (!kept.has_value()) break;
    const FrameStamp stamp = kept->frame.stamp;
    if (acquisition != nullptr && kept->acquisition != acquisition) {
      e.why_not =
          fmt::format("The frames before are of another description. Only {} of this one; an ensemble needs {}.",
                      counted(e.frames.size(), "frame"), frames);
      return e;
    }
    acquisition = kept->acquisition;
    const bool next = !after.has_value() || stamp.sequence + 1 == after->sequence;
    const bool goes_on = !after.has_value() || stamp.source_index + 1 == after->source_index;
    if (!next || !goes_on) {
      e.why_not =
          fmt::format("{} Only {} consecutive frames up to the displayed frame; an ensemble needs {}.",
                      next ? "The recording restarts within the history." : "Frames are missing in the history.",
                      e.frames.size(), frames);
      return e;
    }
    after = stamp;
    e.frames.push_back({.frame = kept->frame, .owner = std::move(kept->owner)});
  }
  if (e.frames.size() < static_cast<std::size_t>(frames)) {
    e.why_not = fmt::format("Only {} up to the displayed frame; an ensemble needs {}.",
                            counted(e.frames.size(), "history frame"), frames);
  }
  std::ranges::reverse(e.frames);
  return e;
}

std::vector<float> cine_times_s(const std::vector<FrameStamp>& stamps, double frame_rate_hz) {
  if (stamps.empty()) return {};
  const auto time_s = [&](std::size_t i) { return stream_time_s(stamps[i], frame_rate_hz); };
  std::vector<double> steps_s;
  for (std::size_t i = 1; i < stamps.size(); ++i) steps_s.push_back(std::max(0.0, time_s(i) - time_s(i - 1)));
  std::vector<double> sorted = steps_s;
  double ordinary_s = 0.0;
  if (!sorted.empty()) {
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    ordinary_s = std::min(*middle, kPauseS);
  }
  const double pause_s = std::max(kPauseS, 3.0 * ordinary_s);
  std::vector<float> times(stamps.size());
  double time = 0.0;
  for (std::size_t i = stamps.size() - 1; i > 0; --i) {
    time -= steps_s[i - 1] > pause_s ? ordinary_s : steps_s[i - 1];
    times[i - 1] = static_cast<float>(time);
  }
  return times;
}

void Playback::freeze(Cine& cine, KeptFrames& kept, std::uint64_t sequence) {
  history_.hold();
  frozen_ = true;
  const std::vector<FrameStamp> stamps = history_.stamps();
  kept.frame_rate_hz = history_.frame_rate_hz();
  kept.times_s = cine_times_s(stamps, kept.frame_rate_hz);
  kept.levels_db = history_.levels_db();
  kept.stamps = stamps;
  kept.frames = stamps.size();
  kept.seconds = stamps.empty() ? 0.0 : -static_cast<double>(kept.times_s.front());
  cine.mark_in = 0;
  cine.mark_out = cine.index = stamps.empty() ? 0 : stamps.size() - 1;
  for (std::size_t i = stamps.size(); i > 0; --i) {
    if (stamps[i - 1].sequence != sequence) continue;
    cine.index = i - 1;
    break;
  }
  cine.playing = false;
  played_ns_ = 0;
  asked_.reset();
}

void Playback::resume(Cine& cine, KeptFrames& kept, Session& session) {
  session.end_review();
  forget(cine, kept);
}

void Playback::forget(Cine& cine, KeptFrames& kept) {
  history_.release();
  frozen_ = comparing_live_ = false;
  cine.playing = false;
  kept.times_s.clear();
  kept.stamps.clear();
  kept.levels_db.clear();
  asked_.reset();
}

void Playback::play(Cine& cine, const KeptFrames& kept, std::int64_t now_ns) {
  const double passed_s = played_ns_ == 0 ? 0.0 : static_cast<double>(now_ns - played_ns_) * 1e-9;
  played_ns_ = now_ns;
  const std::vector<float>& times = kept.times_s;
  const auto time_of = [&times](std::size_t index) { return static_cast<double>(times[index]); };
  if (!cine.playing || cine.index != placed_) position_s_ = time_of(cine.index);  // moved by the user
  if (cine.playing) {
    position_s_ += passed_s * cine.speed;
    const double begin_s = time_of(cine.mark_in);
    // Both marks belong to the loop: its last frame lasts as long as the one before it.
    const double last_s = cine.mark_out > cine.mark_in ? time_of(cine.mark_out) - time_of(cine.mark_out - 1) : 0.0;
    const double end_s = time_of(cine.mark_out) + last_s;
    if (position_s_ >= end_s)
      position_s_ = end_s > begin_s ? begin_s + std::fmod(position_s_ - begin_s, end_s - begin_s) : begin_s;
    if (position_s_ < begin_s) position_s_ = begin_s;
    const auto after = std::upper_bound(times.begin(), times.end(), static_cast<float>(position_s_));
    cine.index = after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin() - 1);
    cine.index = std::clamp(cine.index, cine.mark_in, cine.mark_out);
  }
  placed_ = cine.index;
}

void Playback::update(Cine& cine, KeptFrames& kept, const ImagingParams& params, Session& session,
                      std::int64_t now_ns) {
  const HistoryExtent extent = history_.extent();
  kept.bytes = extent.bytes;
  kept.budget_bytes = history_.budget_bytes();
  if (!frozen_) {
    kept.frames = extent.frames;
    kept.seconds = extent.seconds;
    const bool compare = cine.compare && extent.frames > 0;
    if (comparing_live_ && !compare) {
      session.end_review();
      asked_.reset();
    }
    comparing_live_ = compare;
    if (!compare) return;
    return ask_for(cine, kept, extent.frames - 1, params, session);
  }
  comparing_live_ = false;
  if (kept.frames == 0) return;
  cine.mark_out = std::min(cine.mark_out, kept.frames - 1);
  cine.mark_in = std::min(cine.mark_in, cine.mark_out);
  cine.index = std::min(cine.index, kept.frames - 1);
  play(cine, kept, now_ns);
  ask_for(cine, kept, cine.index, params, session);
}

void Playback::ask_for(const Cine& cine, KeptFrames& kept, std::size_t index, const ImagingParams& params,
                       Session& session) {
  const std::optional<KeptFrame> found = history_.at(index);
  if (!found.has_value()) return;
  Asked wanted;
  wanted.index = index;
  wanted.sequence = found->frame.stamp.sequence;
  wanted.params = without_display(params);
  const bool other = cine.compare && other_ != nullptr && other_->wanted();
  std::optional<ComparedFrame> beside;
  if (other && other_->opened() != nullptr) {
    beside = other_->frame_for(found->frame.stamp);
    if (!beside) return;  // no frame read yet
    wanted.other = beside->acquisition;
    wanted.other_index = beside->frame.stamp.source_index;
  }
  if (cine.compare && (!other || beside)) wanted.compare = without_display(cine.a);
  if (wanted == asked_) return;
  Ensemble ensemble;
  if (frozen_ && params.color_flow.mode != FlowMode::off)
    ensemble = ensemble_before(history_, index, params.color_flow.frames);
  kept.why_no_flow = ensemble.why_not;
  if (!ensemble.why_not.empty()) ensemble.frames.clear();
  session.review({.frame = found->frame,
                  .owner = found->owner,
                  .params = wanted.params,
                  .compare = wanted.compare,
                  .ensemble = std::move(ensemble.frames),
                  .compared = std::move(beside),
                  .acquisition = found->acquisition,
                  .turn = frozen_ && !cine.playing ? ReviewTurn::at_once : ReviewTurn::next,
                  .coarse = asked_.has_value() && !same_pixels(asked_->params, wanted.params)});
  asked_ = wanted;
  ++requests_;
}

bool Playback::answered_by(const Image& image) const {
  if (!asked_.has_value() || image.stamp.sequence != asked_->sequence) return false;
  ImagingParams made_with = image.params;
  made_with.level.reference_db = asked_->params.level.reference_db;  // the image has the level in use
  return made_with == asked_->params;
}

// Reads the frame requested last.
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

  // Returns the newest frame read; the thread reads `index` next, if that differs.
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
  std::optional<std::uint64_t> wanted, asked;  // asked: the last one requested
  std::optional<Read> newest;
  std::jthread thread;  // last member: it uses all of the above
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
  reader_.reset();  // waits for a frame being read
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
