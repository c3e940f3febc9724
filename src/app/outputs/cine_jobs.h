// Files that are made of kept frames in the background: complex pixels in one array, as --iq-out has those of a run; a
// video, by a FilmJob. Each frame is beamformed again by the stream's processing thread, between the live ones; only a
// few are asked for ahead. UI thread only.
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/outputs/film_job.h"
#include "app/outputs/iq_sequence.h"
#include "app/stream/session.h"

namespace echoloop {

class CineJob {
 public:
  virtual ~CineJob() = default;
  virtual void ask(Session& session) = 0;            // once a window frame
  virtual void give_up(const std::string& why) = 0;  // empty: it was cancelled
  [[nodiscard]] virtual bool done() const = 0;
  [[nodiscard]] virtual std::string result() const = 0;  // once done: one line
  [[nodiscard]] virtual bool failed() const = 0;
  [[nodiscard]] virtual bool complete() const = 0;  // no frame is missing
  [[nodiscard]] virtual double fraction() const = 0;
  [[nodiscard]] virtual std::string progress() const = 0;
  [[nodiscard]] virtual std::string busy() const = 0;  // why no other one can begin: a sentence
};

struct IqOrder {
  std::filesystem::path path;
  std::string named;  // the source, as the user named it
  const Backend& backend;
  ImagingParams params;
  std::size_t unreadable = 0;  // frames that belong into the file but cannot be read any more
};

class CineIq final : public CineJob {
 public:
  // `frames` in their order, at least one; the level of 0 dB is the one in use. Throws Error where there are no complex
  // pixels, or no file.
  CineIq(IqOrder order, std::vector<KeptFrame> frames);

  void ask(Session& session) override;
  void give_up(const std::string& why) override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] std::string result() const override;
  [[nodiscard]] bool failed() const override { return !problem().empty(); }
  [[nodiscard]] bool complete() const override { return order_.unreadable == 0 && !given_up_; }
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;
  [[nodiscard]] std::string busy() const override { return "Complex pixels are being saved."; }

 private:
  struct Delivered {
    std::atomic<std::size_t> frames{0};
    std::atomic<bool> failed{false};
  };

  void end();
  [[nodiscard]] std::string name() const { return order_.path.filename().string(); }
  [[nodiscard]] std::string problem() const;  // once done; empty: none

  IqOrder order_;
  std::vector<KeptFrame> frames_;  // those that have been delivered are let go
  std::size_t count_;
  std::shared_ptr<IqSequence> sequence_;
  std::shared_ptr<Delivered> delivered_ = std::make_shared<Delivered>();
  std::size_t asked_ = 0;
  std::uint64_t configuration_ = 0;  // that was asked
  std::shared_future<RecorderStatus> ending_;
  bool given_up_ = false;
  std::string why_;
};

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
