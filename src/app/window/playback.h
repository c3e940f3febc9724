// Looking back, as the window sees it: frozen or live, which kept frame is on screen, playing at the acquisition's pace
// times a speed, and what the pipeline is asked to process again for it: live too, the newest frame, while two images
// are compared. UI thread only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/stream/session.h"
#include "app/window/window_opening.h"
#include "backend/reprocessor.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

// Side A of a comparison where it is a recording of its own: opened in the background as any recording is, its frames
// read on a thread of its own, so that a slow file holds up neither the window nor the stream. UI thread only.

class ComparedSource {
 public:
  ComparedSource() = default;
  ~ComparedSource() { forget(); }
  ComparedSource(const ComparedSource&) = delete;
  ComparedSource& operator=(const ComparedSource&) = delete;

  void open(const std::string& name);
  void open_again() { opener_.open_again(); }
  void use(OpenedSource opened);  // one that has been opened before
  // The result of open(), once it is there; without an error it is in use from now on.
  [[nodiscard]] std::optional<std::exception_ptr> take_result();
  void forget();

  [[nodiscard]] bool wanted() const { return opener_.busy() || opened_.has_value(); }
  [[nodiscard]] bool opening() const { return opener_.busy(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }  // that is being opened
  [[nodiscard]] double fraction() const { return opener_.fraction(); }
  [[nodiscard]] const OpenedSource* opened() const { return opened_ ? &*opened_ : nullptr; }

  // A's frame for B's, or the one before it while it is being read; empty while none has been. Throws what reading
  // threw.
  std::optional<ComparedFrame> frame_for(const FrameStamp& b);

 private:
  struct Reader;

  SourceOpener opener_;
  std::optional<OpenedSource> opened_;
  std::shared_ptr<Reader> reader_;  // null: none yet, or the source lends its frames
};

class Playback {
 public:
  // `other`: side A of a comparison while it is a recording of its own; null: it never is.
  explicit Playback(RfHistory& history, ComparedSource* other = nullptr) : history_(history), other_(other) {}

  [[nodiscard]] bool frozen() const { return frozen_; }
  // Frozen, the history stands still; the frame with number `sequence` (or else the newest) stays on screen.
  void freeze(Cine& cine, KeptFrames& kept, std::uint64_t sequence);
  void resume(Cine& cine, KeptFrames& kept, Session& session);
  void forget(Cine& cine, KeptFrames& kept);  // another source, or no session any more

  // Each window frame: moves the playhead of a loop that plays, and asks for what should be on screen. `params`: in the
  // panels. Throws what reading a frame of the other recording threw.
  void update(Cine& cine, KeptFrames& kept, const ImagingParams& params, Session& session, std::int64_t now_ns);

  void ask_again() { asked_.reset(); }  // something else changed that makes the image (the held level)

  // For measuring how soon the right pixels are on screen: requests made so far, and whether an image is what the last
  // one asked for.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] bool answered_by(const Image& image) const;

 private:
  struct Asked {
    std::size_t index = 0;
    std::uint64_t sequence = 0;
    ImagingParams params;
    std::optional<ImagingParams> compare;
    AcquisitionPtr other;  // of a frame of another recording
    std::uint64_t other_index = 0;
    friend bool operator==(const Asked&, const Asked&) = default;
  };

  void play(Cine& cine, const KeptFrames& kept, std::int64_t now_ns);
  void ask_for(const Cine& cine, KeptFrames& kept, std::size_t index, const ImagingParams& params, Session& session);

  RfHistory& history_;
  ComparedSource* other_;
  bool frozen_ = false;
  double position_s_ = 0.0;  // of a loop that plays, on the axis of KeptFrames::times_s
  std::size_t placed_ = 0;   // the index that position_s_ belongs to
  std::int64_t played_ns_ = 0;
  std::optional<Asked> asked_;
  bool comparing_live_ = false;
  std::uint64_t requests_ = 0;
};

// The kept frames up to `index`, oldest first: `frames` of them that follow each other, or why there are fewer.
struct Ensemble {
  std::vector<EnsembleFrame> frames;
  std::string why_not;
};
Ensemble ensemble_before(const RfHistory& history, std::size_t index, int frames);

// Moments of frames in seconds of acquisition before the newest one (core/results/image.h). Where frames were not
// kept (the image was frozen) or a source without a rate paused, one ordinary step is counted: playing does not wait
// there.
std::vector<float> cine_times_s(const std::vector<FrameStamp>& stamps, double frame_rate_hz);

}  // namespace echoloop
