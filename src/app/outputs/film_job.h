// Images in, a video out, on a thread of its own: drawing and encoding never delay the stream or the window. A short
// queue holds waiting images; each offer states what happens when it is full. Each image has a place on the video's
// clock and is shown until the next one: missing frames do not shorten the video.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/report.h"
#include "backend/backend.h"
#include "backend/frame_processor.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/figure/figure.h"
#include "gui/state/stream_text.h"
#include "gui/state/ui_state.h"
#include "history/file_sinks.h"
#include "history/film.h"
#include "history/recorder.h"
#include "source/source.h"

namespace echoloop {

// Receiver of every image of a running run: a video, an array. Each has a queue and a thread of its own.
enum class WhenFull { wait, leave_out };

struct ImageSinkRequest {
  const OutputOptions& options;
  const SourceInfo& source;
  const std::string& named;  // source, as named by the user
  const ImagingParams& params;
  WhenFull when_full;  // for a sink that is slower than the stream
};

struct EndedImages {
  const Image* last;  // null: no image
  const Backend& backend;
  const std::string& named;                    // source, as named by the user
  const std::vector<Doubt>* doubts = nullptr;  // about the recording; null: not measured
};

class ImageSink {
 public:
  virtual ~ImageSink() = default;
  virtual void take(const Image& image) = 0;  // with a host copy; processing thread
  // Returns the receiver of complex pixels that replaces take(Image); null: images are received.
  [[nodiscard]] virtual PixelSink* pixels() { return nullptr; }
  // Waits until the file is complete. Returns the exit status; counts the errors. Throws Error as write_text(). The
  // members below are valid afterwards.
  virtual int finish(const EndedImages& run, RunTotals& totals) = 0;
  [[nodiscard]] virtual nlohmann::json report() const = 0;
  [[nodiscard]] virtual std::exception_ptr failure() const { return nullptr; }  // reason for a missing file
  [[nodiscard]] virtual std::string summary() const { return {}; }              // without failure: one line
};

// File of images, written by a FilmJob on its thread. Throws Error.
class ImageWriter {
 public:
  virtual ~ImageWriter() = default;  // without finish() leaves no file
  // Returns false for an image that does not fit into the file, which is omitted.
  virtual bool add(const Image& image, const FlowImage* flow) = 0;
  // Shows the last image for one more frame. Returns false if the file has no such frames.
  virtual bool hold() = 0;
  virtual void finish(const std::string& comment) = 0;
  [[nodiscard]] virtual std::string codec() const = 0;  // also after finish()
  [[nodiscard]] virtual bool lacks_font() const { return false; }
  [[nodiscard]] virtual double rate_hz(double ordered_hz) const { return ordered_hz; }  // after finish()
};

struct FilmOrder;
using ImageWriterMaker = std::unique_ptr<ImageWriter> (*)(const FilmOrder& order, const Image& first);
std::unique_ptr<ImageWriter> make_video(const FilmOrder& order, const Image& first);

struct FilmOrder {
  std::filesystem::path path;
  std::string source;
  ImagingParams display;  // window, gamma and map of all images
  double rate_hz = 25.0;
  std::string note = {};  // burnt in: difference of the film's time from the frames'
  FilmFlow flow = FilmFlow::none;
  FrameNumbers numbers = {};  // for the caption
  SampleLogPtr samples = {};  // of the source, for the caption
  // Source of the command that reproduces the video, stored in the file. `named`: source, as named by the user.
  std::string named = {};           // empty: no command
  std::string why_no_command = {};  // empty: a run from its first frame on has a command
  std::string option = "--video";
  ImageWriterMaker make = make_video;
};

// Sets one image per frame of the source at the acquisition's rate, at most 60 per second: faster ones play slower,
// with a note. Sets rate_hz and note.
void pace_film(FilmOrder& order, const SourceInfo& source);

class FilmJob {
 public:
  explicit FilmJob(FilmOrder order);
  ~FilmJob();  // leaves no file unless done
  FilmJob(const FilmJob&) = delete;
  FilmJob& operator=(const FilmJob&) = delete;

  // Copies an image with a host copy, and the flow over it (null: none); any one thread. `place`: first frame of the
  // video that shows it, counted from any number; the previous image is held until then. Without a place, it is the
  // frame's number: one image per frame of the source. Where numbers go back the video continues.
  void offer(const Image& image, WhenFull when_full, const FlowImage* flow = nullptr);
  void offer_at(std::uint64_t place, const Image& image, WhenFull when_full, const FlowImage* flow = nullptr);
  void end();     // completes the film; any thread
  void cancel();  // discards the film; any thread

  void wait();                                                        // waits for the end, after end() or cancel()
  [[nodiscard]] bool done() const { return done_; }                   // completed, failed or cancelled; any thread
  [[nodiscard]] std::exception_ptr failure() const;                   // once done; null = none
  [[nodiscard]] std::uint64_t written() const { return written_; }    // images of the video; any thread
  [[nodiscard]] std::uint64_t drawn() const { return drawn_; }        // distinct images among them; any thread
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
    std::uint64_t place = 0;
    bool on_cpu = true;
  };

  void run();
  void write_film();
  [[nodiscard]] std::unique_ptr<ImageWriter> begin(const Image& first);
  [[nodiscard]] nlohmann::json command(const Image& last) const;
  void hold(ImageWriter& file, std::uint64_t pictures);
  bool take(Waiting& next);
  [[nodiscard]] bool stopped() const;

  const FilmOrder order_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;                          // under mutex_
  std::vector<std::vector<float>> spare_;              // under mutex_
  bool ending_ = false, stopped_ = false;              // under mutex_
  std::exception_ptr failure_;                         // under mutex_
  std::string codec_;                                  // under mutex_
  double rate_hz_;                                     // under mutex_
  nlohmann::json command_ = nlohmann::json::object();  // under mutex_
  bool complete_ = true;     // so far: every image of a run from its first one on, each once; on thread_
  bool on_cpu_ = true;       // where the last image was made; on thread_
  bool mixed_ = false;       // so far: not all of them there; on thread_
  bool lacks_font_ = false;  // under mutex_
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> written_{0}, drawn_{0}, left_out_{0};
  std::thread thread_;
};

// Arrays [frame][nz][nx] for NumPy that grow while a stream runs, written by a Recorder on its thread; the stream waits
// for a slower disk.
class ArrayFile {
 public:
  // Throws Error if the file cannot be made.
  ArrayFile(const std::filesystem::path& file, NpyItems items);

  // Returns the memory of the next frame's values; put() adds them. [processing thread]
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  void put(const Image& image);

  RecorderStatus end();  // waits until the file is complete; the members below are valid afterwards
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] nlohmann::json frames_json() const;  // number, first, last
  // Sets the command for all frames, with the option of the file, in place of the last image's. `params`: of all.
  void add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                   const std::string& option) const;
  // Writes the description of the file next to it.
  void describe(nlohmann::json about) const;

 private:
  FrameMemory memory_;
  FrameStamp first_, last_;
  bool torn_ = false;  // one of the images
  Recorder recorder_{nullptr};
};

// Prints one line about the end of a file; returns the exit status and counts an error.
int say_ended(const RecorderStatus& ended, RunTotals& totals);

// --iq-out: complex pixels of every frame of a run, before detection, in an array for NumPy [frame][nz][nx]; grid,
// parameters and conventions in F.json. The window saves history frames in the same way.
class IqSequence final : public ImageSink, public PixelSink {
 public:
  // Pixels of `grid`, the beamformed one. Throws Error if the file cannot be made.
  IqSequence(const std::filesystem::path& file, const Grid& grid);

  [[nodiscard]] bool wanted() const override { return true; }
  void take(const KeptPixels& pixels) override;
  void take(const Image& /*image*/) override {}
  [[nodiscard]] PixelSink* pixels() override { return this; }
  // Completes the file, writes its description, from the last frame, and prints one line about the end.
  int finish(const EndedImages& run, RunTotals& totals) override;
  [[nodiscard]] nlohmann::json report() const override { return recording_json(file_.status()); }
  [[nodiscard]] RecorderStatus status() const { return file_.status(); }
  // Same as finish(), without output; discard() without a file. Any one thread, after the last frame.
  RecorderStatus end(const Backend& backend, const std::string& named);
  RecorderStatus discard();

 private:
  RecorderStatus end(EndedImages run);

  Grid grid_;
  ArrayFile file_;
  Image last_;  // without levels
};

// Throws Error if images with these parameters have no complex pixels. `asked`: the option, or the window's command.
void require_pixels(const ImagingParams& params, const std::string& asked);

// Returns the grid of these pixels, the beamformed one.
Grid pixel_grid(const ImagingParams& params, const Acquisition& acquisition);

}  // namespace echoloop
