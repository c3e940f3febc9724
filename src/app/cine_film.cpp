#include "app/cine_film.h"

#include <fmt/format.h>

#include <utility>

namespace echoloop {

CineFilm::CineFilm(FilmOrder order, std::vector<KeptFrame> frames, const ImagingParams& params)
    : job_(std::make_shared<FilmJob>(std::move(order))), frames_(std::move(frames)), params_(params) {}

void CineFilm::give_up(const std::string& why) {
  if (given_up_ || done()) return;
  given_up_ = true;
  why_ = why;
  job_->cancel();
}

void CineFilm::ask(Session& session) {
  if (given_up_ || done() || !session.running()) return;
  if (delivered_->failed) return give_up("a kept frame could not be processed");
  if (!session.fault().empty()) return give_up("the stream has stopped");
  const std::size_t delivered = delivered_->pictures;
  if (session.arrangements() != arrangement_) {  // what the old one was asked for will not come any more
    arrangement_ = session.arrangements();
    asked_ = delivered;
  }
  for (; let_go_ < delivered; ++let_go_) frames_[let_go_] = {};
  // The queue always has room for what is under way.
  for (; asked_ < frames_.size() && asked_ < job_->written() + FilmJob::kQueue; ++asked_) {
    const KeptFrame& kept = frames_[asked_];
    session.review({.frame = kept.frame,
                    .owner = kept.owner,
                    .params = params_,
                    .compare = {},
                    .deliver = [job = job_, to = delivered_](const Image* image, const FlowImage*) {
                      if (image == nullptr) {
                        to->failed = true;
                        return;
                      }
                      job->offer(*image, WhenFull::leave_out);
                      ++to->pictures;
                    }});
  }
  if (delivered == frames_.size() && !std::exchange(ended_, true)) job_->end();
}

double CineFilm::fraction() const {
  return frames_.empty() ? 0.0 : static_cast<double>(job_->written()) / static_cast<double>(frames_.size());
}

std::string CineFilm::progress() const {
  return fmt::format("Film {}: {} of {} pictures", job_->order().path.filename().string(), job_->written(),
                     frames_.size());
}

bool CineFilm::failed() const { return !why_.empty() || job_->failure() != nullptr; }

std::string CineFilm::result() const {
  const std::string name = job_->order().path.filename().string();
  if (!why_.empty()) return fmt::format("No film {}: {}", name, why_);
  if (given_up_) return fmt::format("No film {}: cancelled", name);
  try {
    if (job_->failure() != nullptr) std::rethrow_exception(job_->failure());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "Saved " + job_->summary();
}

}  // namespace echoloop
