#include "app/outputs/cine_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/number.h"

namespace echoloop {

namespace {

// Frames under way, and those that wait for the disk: the processing thread never does.
constexpr std::size_t kAhead = 4;

}  // namespace

CineIq::CineIq(IqOrder order, std::vector<KeptFrame> frames)
    : order_(std::move(order)), frames_(std::move(frames)), count_(frames_.size()) {
  require_pixels(order_.params, order_.path.filename().string());
  sequence_ = std::make_shared<IqSequence>(order_.path, pixel_grid(order_.params, *frames_.front().acquisition));
}

void CineIq::ask(Session& session) {
  if (given_up_ || ending_.valid() || !session.running()) return;
  if (delivered_->failed) return give_up("a history frame could not be processed");
  if (!session.fault().empty()) return give_up("the stream has stopped");
  const std::size_t delivered = delivered_->frames;
  if (session.configurations() != configuration_) {  // what the old one was asked for will not come any more
    configuration_ = session.configurations();
    asked_ = delivered;
  }
  const std::size_t waiting = sequence_->status().waiting;
  for (; asked_ < frames_.size() && asked_ + waiting < delivered + kAhead; ++asked_) {
    const KeptFrame& kept = frames_[asked_];
    session.review({.frame = kept.frame,
                    .owner = kept.owner,
                    .params = order_.params,
                    .compare = {},
                    .deliver =
                        [to = delivered_](const Image* image, const FlowImage*) {
                          if (image == nullptr) {
                            to->failed = true;
                          } else {
                            ++to->frames;
                          }
                        },
                    .pixels = sequence_,
                    .acquisition = kept.acquisition});
  }
  if (delivered == count_) end();
}

// On a thread of its own: the disk may take its time.
void CineIq::end() {
  frames_.clear();
  ending_ = std::async(std::launch::async,
                       [sequence = sequence_, &backend = order_.backend, named = order_.named, whole = !given_up_] {
                         if (!whole) return sequence->discard();
                         return sequence->end(backend, named);
                       });
}

void CineIq::give_up(const std::string& why) {
  if (given_up_ || ending_.valid()) return;
  given_up_ = true;
  why_ = why;
  end();
}

bool CineIq::done() const {
  return ending_.valid() && ending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

double CineIq::fraction() const { return static_cast<double>(delivered_->frames) / static_cast<double>(count_); }

std::string CineIq::progress() const {
  return fmt::format("Complex pixels: {} of {}, {}", delivered_->frames.load(), counted(count_, "frame"), name());
}

std::string CineIq::problem() const {
  if (!why_.empty() || given_up_) return why_;
  try {
    return ending_.get().problem;
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string CineIq::result() const {
  if (given_up_ && why_.empty()) return fmt::format("Complex pixels {} cancelled", name());
  if (const std::string why = problem(); !why.empty()) return fmt::format("Complex pixels {} failed: {}", name(), why);
  const RecorderStatus& ended = ending_.get();
  std::string text = fmt::format("Saved {}: {}, {:.1f} MB", ended.path.string(), counted(ended.frames, "frame"),
                                 static_cast<double>(ended.bytes) * 1e-6);
  if (order_.unreadable > 0)
    text += fmt::format("; {} skipped: the recording cannot be read there", counted(order_.unreadable, "frame"));
  return text;
}

CineFilm::CineFilm(FilmOrder order, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable)
    : job_(std::make_shared<FilmJob>(std::move(order))),
      frames_(std::move(frames)),
      params_(params),
      unreadable_(unreadable) {
  if (!frames_.empty()) pictures_ = frames_.back().place - frames_.front().place + 1;
  if (params.color_flow.mode == FlowMode::off) return;
  without_flow_ = static_cast<std::size_t>(
      std::ranges::count_if(frames_, [](const Frame& frame) { return frame.ensemble.empty(); }));
}

void CineFilm::give_up(const std::string& why) {
  if (given_up_ || done()) return;
  given_up_ = true;
  why_ = why;
  job_->cancel();
}

void CineFilm::ask(Session& session) {
  if (given_up_ || done() || !session.running()) return;
  if (delivered_->failed) return give_up("a history frame could not be processed");
  if (!session.fault().empty()) return give_up("the stream has stopped");
  const std::size_t delivered = delivered_->pictures;
  if (session.configurations() != configuration_) {  // what the old one was asked for will not come any more
    configuration_ = session.configurations();
    asked_ = delivered;
  }
  for (; let_go_ < delivered; ++let_go_) frames_[let_go_] = {};
  // The queue always has room for what is under way.
  for (; asked_ < frames_.size() && asked_ < job_->drawn() + FilmJob::kQueue; ++asked_) {
    const auto& [kept, place, ensemble] = frames_[asked_];
    session.review({.frame = kept.frame,
                    .owner = kept.owner,
                    .params = params_,
                    .compare = {},
                    .deliver =
                        [job = job_, to = delivered_, place = place](const Image* image, const FlowImage* flow) {
                          if (image == nullptr) {
                            to->failed = true;
                            return;
                          }
                          job->offer_at(place, *image, WhenFull::leave_out, flow);
                          ++to->pictures;
                        },
                    .ensemble = ensemble,
                    .acquisition = kept.acquisition});
  }
  if (delivered == frames_.size() && !std::exchange(ended_, true)) job_->end();
}

double CineFilm::fraction() const {
  return pictures_ == 0 ? 0.0 : static_cast<double>(job_->written()) / static_cast<double>(pictures_);
}

std::string CineFilm::progress() const {
  return fmt::format("Video: {} of {}, {}", job_->written(), counted(pictures_, "image"),
                     job_->order().path.filename().string());
}

bool CineFilm::failed() const { return !why_.empty() || job_->failure() != nullptr; }

std::string CineFilm::result() const {
  const std::string name = job_->order().path.filename().string();
  if (!why_.empty()) return fmt::format("Video {} failed: {}", name, why_);
  if (given_up_) return fmt::format("Video {} cancelled", name);
  try {
    if (job_->failure() != nullptr) std::rethrow_exception(job_->failure());
  } catch (const std::exception& error) {
    return error.what();
  }
  std::string text = "Saved " + job_->summary();
  if (unreadable_ > 0)
    text += fmt::format("; {} skipped: the recording cannot be read there", counted(unreadable_, "frame"));
  if (without_flow_ > 0) {
    text += fmt::format("; {} without flow: fewer than {} consecutive frames up to {}", without_flow_,
                        params_.color_flow.frames, without_flow_ == 1 ? "this image" : "these images");
  }
  return text;
}

}  // namespace echoloop
