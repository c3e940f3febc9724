#include "app/outputs/cine_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/number.h"

namespace echoloop {

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

}  // namespace echoloop
