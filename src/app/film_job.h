// Pictures in, a film out, on a thread of its own: drawing and encoding never hold up the stream or the window. The
// pictures wait in a queue of a few; whoever offers one says what is to happen when it is full.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/flow_image.h"
#include "core/image.h"
#include "gui/film_picture.h"
#include "gui/ui_state.h"

namespace echoloop {

struct FilmOrder {
  std::filesystem::path path;
  std::string source;
  ImagingParams display;  // window, gamma and map of all pictures
  double rate_hz = 25.0;
  std::string note = {};  // burnt in: how the film's time differs from the frames'
  FilmFlow flow = FilmFlow::none;
  std::string named = {};  // the source, for the command that makes the first picture again; kept in the file
};

// Every picture, at the pace at which the frames were acquired, at most 60 a second: faster ones play slower, and the
// note says so. Fills rate_hz and note.
void pace_film(FilmOrder& order, const SourceInfo& source);

enum class WhenFull { wait, leave_out };

class FilmJob {
 public:
  explicit FilmJob(FilmOrder order);
  ~FilmJob();  // what has not ended leaves no file
  FilmJob(const FilmJob&) = delete;
  FilmJob& operator=(const FilmJob&) = delete;

  // An image with a host copy, and the flow over it (null: none), which are copied; any one thread.
  void offer(const Image& image, WhenFull when_full, const FlowImage* flow = nullptr);
  void end();     // no more come: the film will be completed; any thread
  void cancel();  // the film will not be; any thread

  void wait();                                                        // for the end, after end() or cancel()
  [[nodiscard]] bool done() const { return done_; }                   // completed, failed or cancelled; any thread
  [[nodiscard]] std::exception_ptr failure() const;                   // once done; null = none
  [[nodiscard]] std::uint64_t written() const { return written_; }    // pictures; any thread
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }  // any thread
  [[nodiscard]] const FilmOrder& order() const { return order_; }
  [[nodiscard]] nlohmann::json report() const;  // once done: path, frames, codec, ...
  [[nodiscard]] std::string summary() const;    // once done without failure: one line

  static constexpr std::size_t kQueue = 8;

 private:
  struct Waiting {
    Image image;
    std::vector<float> pixels;
    std::optional<FlowImage> flow;
  };

  void run();
  void write_film();
  bool take(Waiting& next);

  const FilmOrder order_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;              // under mutex_
  std::vector<std::vector<float>> spare_;  // under mutex_
  bool ending_ = false, stopped_ = false;  // under mutex_
  std::exception_ptr failure_;             // under mutex_
  std::string codec_;                      // under mutex_
  bool wordless_ = false;                  // under mutex_
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> written_{0}, left_out_{0};
  std::thread thread_;
};

}  // namespace echoloop
