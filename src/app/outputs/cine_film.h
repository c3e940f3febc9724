// A video of kept frames: each goes on to a FilmJob, at its place by acquisition time. UI thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/outputs/cine_job.h"
#include "app/outputs/film_job.h"

namespace echoloop {

class CineFilm final : public CineJob {
 public:
  // `params` as in the panels.
  CineFilm(FilmOrder order, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable);

  [[nodiscard]] bool done() const override { return job_->done(); }
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;

 private:
  // The queue always has room for what is under way.
  [[nodiscard]] std::size_t may_ask() const override { return job_->drawn() + FilmJob::kQueue; }
  [[nodiscard]] Write writer(const Frame& frame) override;
  void end(End how) override { how == End::whole ? job_->end() : job_->cancel(); }
  [[nodiscard]] bool under_way() const override { return !done(); }
  [[nodiscard]] std::string name() const override { return job_->order().path.filename().string(); }
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] std::string saved() const override;

  std::shared_ptr<FilmJob> job_;
  std::uint64_t pictures_ = 0;    // of the video
  std::size_t without_flow_ = 0;  // though it was on
};

}  // namespace echoloop
