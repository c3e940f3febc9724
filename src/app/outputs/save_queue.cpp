#include "app/outputs/save_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/units.h"

namespace echoloop {

SaveQueue::SaveQueue() : thread_([this] { run(); }) {}

SaveQueue::~SaveQueue() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SaveQueue::add(Write write) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(write));
  }
  changed_.notify_all();
}

std::optional<SaveQueue::Result> SaveQueue::take() {
  const std::scoped_lock lock(mutex_);
  if (written_.empty()) return std::nullopt;
  Result result = std::move(written_.front());
  written_.pop_front();
  return result;
}

bool SaveQueue::busy() const {
  const std::scoped_lock lock(mutex_);
  return writing_ || !waiting_.empty() || !written_.empty();
}

void SaveQueue::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void SaveQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Write write = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    Result result;
    try {
      result.text = write();
    } catch (const std::exception& error) {
      result = {.text = error.what(), .failed = true};
    }
    lock.lock();
    writing_ = false;
    written_.push_back(std::move(result));
    changed_.notify_all();
  }
}

CineJob::CineJob(std::string what, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable)
    : what_(std::move(what)), frames_(std::move(frames)), params_(params), unreadable_(unreadable) {}

void CineJob::ask(Session& session) {
  if (given_up_ || !under_way() || !session.running()) return;
  if (delivered_->failed) return give_up("a history frame could not be processed");
  if (!session.fault().empty()) return give_up("the stream has stopped");
  if (session.configurations() != configuration_) {  // answers for the old one will not come
    configuration_ = session.configurations();
    asked_ = delivered();
  }
  for (; let_go_ < delivered(); ++let_go_) frames_[let_go_] = {};
  for (; asked_ < frames_.size() && asked_ < may_ask(); ++asked_) {
    const Frame& frame = frames_[asked_];
    session.review({.frame = frame.kept.frame,
                    .owner = frame.kept.owner,
                    .params = params_,
                    .compare = {},
                    .deliver =
                        [write = writer(frame), to = delivered_](const Image* image, const FlowImage* flow) {
                          if (image == nullptr) {
                            to->failed = true;
                            return;
                          }
                          write(*image, flow);
                          ++to->frames;
                        },
                    .pixels = pixels(),
                    .ensemble = frame.ensemble,
                    .acquisition = frame.kept.acquisition});
  }
  if (delivered() == frames_.size() && !std::exchange(ended_, true)) end(End::whole);
}

void CineJob::give_up(const std::string& why) {
  if (given_up_ || !under_way()) return;
  given_up_ = true;
  why_ = why;
  end(End::given_up);
}

bool CineJob::failed() const { return given_up_ ? !why_.empty() : !problem().empty(); }

std::string CineJob::busy() const { return what_ + ": " + name() + " is being saved."; }

std::string CineJob::result() const {
  if (given_up_) return fmt::format("{} {} {}", what_, name(), why_.empty() ? "cancelled" : "failed: " + why_);
  if (const std::string line = problem(); !line.empty()) return line;
  if (unreadable_ == 0) return saved();
  return fmt::format("{}; {} skipped: the recording cannot be read there", saved(), counted(unreadable_, "frame"));
}

CineFilm::CineFilm(FilmOrder order, std::vector<Frame> of, const ImagingParams& params, std::size_t unreadable)
    : CineJob("Video", std::move(of), params, unreadable), job_(std::make_shared<FilmJob>(std::move(order))) {
  if (!frames().empty()) pictures_ = frames().back().place - frames().front().place + 1;
  if (params.color_flow.mode == FlowMode::off) return;
  without_flow_ = static_cast<std::size_t>(
      std::ranges::count_if(frames(), [](const Frame& frame) { return frame.ensemble.empty(); }));
}

CineJob::Write CineFilm::writer(const Frame& frame) {
  return [job = job_, place = frame.place](const Image& image, const FlowImage* flow) {
    job->offer_at(place, image, WhenFull::leave_out, flow);
  };
}

double CineFilm::fraction() const {
  return pictures_ == 0 ? 0.0 : static_cast<double>(job_->written()) / static_cast<double>(pictures_);
}

std::string CineFilm::progress() const {
  return fmt::format("Video: {} of {}, {}", job_->written(), counted(pictures_, "image"), name());
}

std::string CineFilm::problem() const try {
  if (job_->failure() != nullptr) std::rethrow_exception(job_->failure());
  return {};
} catch (const std::exception& error) {
  return error.what();
}

std::string CineFilm::saved() const {
  std::string text = "Saved " + job_->summary();
  if (without_flow_ > 0) {
    text += fmt::format("; {} without flow: fewer than {} consecutive frames up to {}", without_flow_,
                        params().color_flow.frames, without_flow_ == 1 ? "this image" : "these images");
  }
  return text;
}

CineIq::CineIq(IqOrder order, std::vector<Frame> of)
    : CineJob("Complex pixels", std::move(of), order.params, order.unreadable), order_(std::move(order)) {
  require_pixels(params(), name());
  sequence_ = std::make_shared<IqSequence>(order_.path, pixel_grid(params(), *frames().front().kept.acquisition));
}

// Limits frames in work, and those that wait for the disk, so that the processing thread never waits.
std::size_t CineIq::may_ask() const {
  constexpr std::size_t kAhead = 4;
  return delivered() + kAhead - std::min(sequence_->status().waiting, kAhead);
}

// Runs on a thread of its own, as the disk may be slow.
void CineIq::end(End how) {
  ending_ =
      std::async(std::launch::async, [sequence = sequence_, &backend = order_.backend, named = order_.named, how] {
        return how == End::whole ? sequence->end(backend, named) : sequence->discard();
      });
}

bool CineIq::done() const {
  return ending_.valid() && ending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

double CineIq::fraction() const { return static_cast<double>(delivered()) / static_cast<double>(frames().size()); }

std::string CineIq::progress() const {
  return fmt::format("Complex pixels: {} of {}, {}", delivered(), counted(frames().size(), "frame"), name());
}

std::string CineIq::problem() const {
  std::string why;
  try {
    why = ending_.get().problem;
  } catch (const std::exception& error) {
    why = error.what();
  }
  return why.empty() ? why : fmt::format("Complex pixels {} failed: {}", name(), why);
}

std::string CineIq::saved() const {
  const RecorderStatus& ended = ending_.get();
  return fmt::format("Saved {}: {}, {:.1f} MB", ended.path.string(), counted(ended.frames, "frame"),
                     static_cast<double>(ended.bytes) * 1e-6);
}

}  // namespace echoloop
