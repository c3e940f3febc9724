// Files saved by the user, written one after another on a thread, so that the window never waits for drawing, encoding
// or a disk. Contents are copied at the time of the command.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/outputs/film_job.h"
#include "app/stream/session.h"

namespace echoloop {

class SaveQueue {
 public:
  // Returns the report line; throws Error. [save thread]
  using Write = std::function<std::string()>;
  struct Result {
    std::string text;
    bool failed = false;
  };

  SaveQueue();
  ~SaveQueue();  // waits for all files
  SaveQueue(const SaveQueue&) = delete;
  SaveQueue& operator=(const SaveQueue&) = delete;

  void add(Write write);            // UI thread
  std::optional<Result> take();     // of the files in order, each once; nullopt: none; UI thread
  [[nodiscard]] bool busy() const;  // results are pending; UI thread
  void finish();                    // waits until all files are written; UI thread

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Write> waiting_;   // under mutex_
  bool writing_ = false;        // under mutex_
  std::deque<Result> written_;  // under mutex_
  bool quit_ = false;           // under mutex_
  std::thread thread_;
};

// File made of history frames in the background: a video, complex pixels. The stream's processing thread beamforms each
// frame again, between the live ones; few are requested ahead. UI thread only.
class CineJob {
 public:
  struct Frame {
    KeptFrame kept;
    std::uint64_t place = 0;                   // FilmFrame::place
    std::vector<EnsembleFrame> ensemble = {};  // frames of the flow overlay; empty: none
  };
  virtual ~CineJob() = default;

  void ask(Session& session);                                       // once per window frame
  void give_up(const std::string& why);                             // empty: cancelled
  [[nodiscard]] virtual bool done() const = 0;                      // completed, failed or cancelled
  [[nodiscard]] std::string result() const;                         // once done: one line
  [[nodiscard]] bool failed() const;                                // once done
  [[nodiscard]] bool complete() const { return unreadable_ == 0; }  // no frame is missing
  [[nodiscard]] virtual double fraction() const = 0;
  [[nodiscard]] virtual std::string progress() const = 0;
  [[nodiscard]] std::string busy() const;  // why no other job can begin: a sentence

 protected:
  // `what`: "Video". `frames` in order, at least one; the level of 0 dB is the current one. `unreadable`: frames of the
  // file that can no longer be read.
  CineJob(std::string what, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable);
  [[nodiscard]] const ImagingParams& params() const { return params_; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }  // delivered ones are empty
  [[nodiscard]] std::size_t delivered() const { return delivered_->frames; }

  using Write = std::function<void(const Image&, const FlowImage*)>;
  enum class End { whole, given_up };

 private:
  [[nodiscard]] virtual std::size_t may_ask() const = 0;  // number of frames from the first on that may be requested
  [[nodiscard]] virtual Write writer(const Frame& /*frame*/) {
    return [](const Image&, const FlowImage*) {};
  }
  [[nodiscard]] virtual std::shared_ptr<PixelSink> pixels() { return nullptr; }  // receiver to write to
  virtual void end(End how) = 0;                                                 // after the last frame
  [[nodiscard]] virtual bool under_way() const = 0;                              // can be cancelled
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string problem() const = 0;  // once done: a line; empty: none
  [[nodiscard]] virtual std::string saved() const = 0;    // once done without a problem: a line

  struct Delivered {
    std::atomic<std::size_t> frames{0};
    std::atomic<bool> failed{false};
  };
  std::string what_;
  std::vector<Frame> frames_;
  ImagingParams params_;
  std::size_t unreadable_;
  std::shared_ptr<Delivered> delivered_ = std::make_shared<Delivered>();
  std::size_t asked_ = 0, let_go_ = 0;
  std::uint64_t configuration_ = 0;  // of the requests
  bool ended_ = false, given_up_ = false;
  std::string why_;
};

// Video of history frames: each goes to a FilmJob, at its place by acquisition time. UI thread only.
class CineFilm final : public CineJob {
 public:
  // `params` as in the panels.
  CineFilm(FilmOrder order, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable);

  [[nodiscard]] bool done() const override { return job_->done(); }
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;

 private:
  // The queue always has room for requested frames.
  [[nodiscard]] std::size_t may_ask() const override { return job_->drawn() + FilmJob::kQueue; }
  [[nodiscard]] Write writer(const Frame& frame) override;
  void end(End how) override { how == End::whole ? job_->end() : job_->cancel(); }
  [[nodiscard]] bool under_way() const override { return !done(); }
  [[nodiscard]] std::string name() const override { return job_->order().path.filename().string(); }
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] std::string saved() const override;

  std::shared_ptr<FilmJob> job_;
  std::uint64_t pictures_ = 0;    // of the video
  std::size_t without_flow_ = 0;  // although it was on
};

// Complex pixels of history frames in one array, as --iq-out for a run. UI thread only.
struct IqOrder {
  std::filesystem::path path;
  std::string named;  // source, as named by the user
  const Backend& backend;
  ImagingParams params;
  std::size_t unreadable = 0;
};

class CineIq final : public CineJob {
 public:
  // Throws Error if there are no complex pixels, or the file cannot be made.
  CineIq(IqOrder order, std::vector<Frame> frames);

  [[nodiscard]] bool done() const override;
  [[nodiscard]] double fraction() const override;
  [[nodiscard]] std::string progress() const override;

 private:
  [[nodiscard]] std::size_t may_ask() const override;
  [[nodiscard]] std::shared_ptr<PixelSink> pixels() override { return sequence_; }
  void end(End how) override;
  [[nodiscard]] bool under_way() const override { return !ending_.valid(); }
  [[nodiscard]] std::string name() const override { return order_.path.filename().string(); }
  [[nodiscard]] std::string problem() const override;
  [[nodiscard]] std::string saved() const override;

  IqOrder order_;
  std::shared_ptr<IqSequence> sequence_;
  std::shared_future<RecorderStatus> ending_;
};

}  // namespace echoloop
