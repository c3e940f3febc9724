// Playback of the history in the window: frozen or live, the history frame on screen, playback at the acquisition's
// rate times a speed, and the frames that the pipeline must process again for it: the newest one also live, while two
// images are compared. UI thread only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/stream/session.h"
#include "backend/reprocessor.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

// Side A of a comparison with another recording: opened in the background like any recording, its frames read on its
// own thread, so that a slow file delays neither the window nor the stream. UI thread only.
class ComparedSource {
 public:
  ComparedSource() = default;
  ~ComparedSource() { forget(); }
  ComparedSource(const ComparedSource&) = delete;
  ComparedSource& operator=(const ComparedSource&) = delete;

  void open(const std::string& name);
  void open_again() { opener_.open_again(); }
  void use(OpenedSource opened);  // an already opened one
  // Returns the result of open(), if finished; without an error it is in use from now on.
  [[nodiscard]] std::optional<std::exception_ptr> take_result();
  void forget();

  [[nodiscard]] bool wanted() const { return opener_.busy() || opened_.has_value(); }
  [[nodiscard]] bool opening() const { return opener_.busy(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }  // source being opened
  [[nodiscard]] double fraction() const { return opener_.fraction(); }
  [[nodiscard]] const OpenedSource* opened() const { return opened_ ? &*opened_ : nullptr; }

  // Returns A's frame for B's, or the previous one while it is being read; empty before the first. Rethrows errors of
  // reading.
  std::optional<ComparedFrame> frame_for(const FrameStamp& b);

 private:
  struct Reader;

  SourceOpener opener_;
  std::optional<OpenedSource> opened_;
  std::shared_ptr<Reader> reader_;  // null: none yet, or the source lends its frames
};

class Playback {
 public:
  // `other`: side A of a comparison with another recording; null: never another one.
  explicit Playback(RfHistory& history, ComparedSource* other = nullptr) : history_(history), other_(other) {}

  [[nodiscard]] bool frozen() const { return frozen_; }
  // Freezes the history; the frame with number `sequence` (otherwise the newest) remains on screen.
  void freeze(Cine& cine, KeptFrames& kept, std::uint64_t sequence);
  void resume(Cine& cine, KeptFrames& kept, Session& session);
  void forget(Cine& cine, KeptFrames& kept);  // another source, or no session

  // Each window frame: moves the playhead of a playing loop, and requests the frame to show. `params`: in the panels.
  // Throws errors of reading a frame of the other recording.
  void update(Cine& cine, KeptFrames& kept, const ImagingParams& params, Session& session, std::int64_t now_ns);

  void ask_again() { asked_.reset(); }  // something else affects the image (the held level)

  // Number of requests so far, and whether an image answers the last one; to measure the delay until the right pixels
  // are on screen.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] bool answered_by(const Image& image) const;

 private:
  struct Asked {
    std::size_t index = 0;
    std::uint64_t sequence = 0;
    ImagingParams params;
    std::optional<ImagingParams> compare;
    AcquisitionPtr other;  // for a frame of another recording
    std::uint64_t other_index = 0;
    friend bool operator==(const Asked&, const Asked&) = default;
  };

  void play(Cine& cine, const KeptFrames& kept, std::int64_t now_ns);
  void ask_for(const Cine& cine, KeptFrames& kept, std::size_t index, const ImagingParams& params, Session& session);

  RfHistory& history_;
  ComparedSource* other_;
  bool frozen_ = false;
  double position_s_ = 0.0;  // of a playing loop, on the axis of KeptFrames::times_s
  std::size_t placed_ = 0;   // index of position_s_
  std::int64_t played_ns_ = 0;
  std::optional<Asked> asked_;
  bool comparing_live_ = false;
  std::uint64_t requests_ = 0;
};

// The frames of the history up to `index`, oldest first: `frames` consecutive ones, or the reason for fewer.
struct Ensemble {
  std::vector<EnsembleFrame> frames;
  std::string why_not;
};
Ensemble ensemble_before(const RfHistory& history, std::size_t index, int frames);

// Returns times of frames in seconds of acquisition before the newest one (core/results/image.h). Gaps, where the image
// was frozen or a source without a rate paused, count as one usual step: playback does not wait there.
std::vector<float> cine_times_s(const std::vector<FrameStamp>& stamps, double frame_rate_hz);

}  // namespace echoloop
