#include "app/outputs/cine_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/number.h"

namespace echoloop {

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
