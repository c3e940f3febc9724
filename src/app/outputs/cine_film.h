// A video of kept frames: each goes on to a FilmJob, at its place by acquisition time, and only a few are asked for
// ahead, so that neither waits for the other. UI thread only.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/outputs/cine_job.h"
#include "app/outputs/film_job.h"
#include "app/stream/session.h"

namespace echoloop {

class CineFilm final : public CineJob {
 public:
  struct Frame {
    KeptFrame kept;
    std::uint64_t place = 0;              // FilmFrame::place
    std::vector<EnsembleFrame> ensemble;  // whose flow lies over it; empty: none
  };
  // `frames` in their order, `params` as in the panels; the level of 0 dB is the one in use. `unreadable`: frames that
  // belong into the video but cannot be read any more.
  CineFilm(FilmOrder order, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable);

  void ask(Session& session) override;
  void give_up(const std::string& why) override;
  [[nodiscard]] bool done() const override { return job_->done(); }
  [[nodiscard]] std::string result() const override;
  [[nodiscard]] bool failed() const override;
  [[nodiscard]] bool complete() const override { return unreadable_ == 0; }
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;
  [[nodiscard]] std::string busy() const override { return "A video is being saved."; }

 private:
  struct Delivered {
    std::atomic<std::size_t> pictures{0};
    std::atomic<bool> failed{false};
  };

  std::shared_ptr<FilmJob> job_;
  std::shared_ptr<Delivered> delivered_ = std::make_shared<Delivered>();
  std::vector<Frame> frames_;   // those that have been delivered are let go
  std::uint64_t pictures_ = 0;  // of the video
  ImagingParams params_;
  std::size_t asked_ = 0, let_go_ = 0;
  std::uint64_t configuration_ = 0;  // that was asked
  std::size_t without_flow_ = 0;     // though it was on
  std::size_t unreadable_ = 0;
  bool ended_ = false, given_up_ = false;
  std::string why_;
};

}  // namespace echoloop
