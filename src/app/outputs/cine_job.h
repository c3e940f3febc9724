// A file that is made of kept frames in the background: a video, complex pixels. Each frame is beamformed again by the
// stream's processing thread, between the live ones; only a few are asked for ahead. UI thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/stream/session.h"

namespace echoloop {

class CineJob {
 public:
  struct Frame {
    KeptFrame kept;
    std::uint64_t place = 0;                   // FilmFrame::place
    std::vector<EnsembleFrame> ensemble = {};  // whose flow lies over it; empty: none
  };
  virtual ~CineJob() = default;

  void ask(Session& session);                                       // once a window frame
  void give_up(const std::string& why);                             // empty: it was cancelled
  [[nodiscard]] virtual bool done() const = 0;                      // completed, failed or given up
  [[nodiscard]] std::string result() const;                         // once done: one line
  [[nodiscard]] bool failed() const;                                // once done
  [[nodiscard]] bool complete() const { return unreadable_ == 0; }  // no frame is missing
  [[nodiscard]] virtual double fraction() const = 0;
  [[nodiscard]] virtual std::string progress() const = 0;
  [[nodiscard]] std::string busy() const;  // why no other one can begin: a sentence

 protected:
  // `what`: "Video". `frames` in their order, at least one; the level of 0 dB is the one in use. `unreadable`: frames
  // that belong into the file but cannot be read any more.
  CineJob(std::string what, std::vector<Frame> frames, const ImagingParams& params, std::size_t unreadable);
  [[nodiscard]] const ImagingParams& params() const { return params_; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }  // those delivered are empty
  [[nodiscard]] std::size_t delivered() const { return delivered_->frames; }

  using Write = std::function<void(const Image&, const FlowImage*)>;
  enum class End { whole, given_up };

 private:
  [[nodiscard]] virtual std::size_t may_ask() const = 0;  // for so many frames from the first on
  [[nodiscard]] virtual Write writer(const Frame& /*frame*/) {
    return [](const Image&, const FlowImage*) {};
  }
  [[nodiscard]] virtual std::shared_ptr<PixelSink> pixels() { return nullptr; }  // that are written
  virtual void end(End how) = 0;                                                 // no frame comes any more
  [[nodiscard]] virtual bool under_way() const = 0;                              // it can be given up
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string problem() const = 0;  // once done: a line; empty: none
  [[nodiscard]] virtual std::string saved() const = 0;    // likewise, without a problem

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
  std::uint64_t configuration_ = 0;  // that was asked
  bool ended_ = false, given_up_ = false;
  std::string why_;
};

}  // namespace echoloop
