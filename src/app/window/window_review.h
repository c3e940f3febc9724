// Frozen and live: which frame is on screen, playback of the history, and the requests for frames that are processed
// again: inspector, points on a fine grid, M-mode columns. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/window/fine_points.h"
#include "app/window/inspector_controller.h"
#include "app/window/m_mode_review.h"
#include "app/window/playback.h"
#include "app/window/window_parts.h"
#include "app/window/window_times.h"

namespace echoloop {

class WindowReview {
 public:
  // `compared`: side A of a comparison, while it is a recording of its own.
  // `apply_stream`: called where the stream's settings are to be adjusted() again.
  WindowReview(WindowParts& parts, ComparedSource& compared, std::function<void()> apply_stream);

  void toggle_freeze();
  void forget();         // another stream
  void follow();         // another stream of the same scanner: what is frozen stays
  void stream_failed();  // live again, without requests
  // Once a window frame, before drawing. `last`: whether the last window frame had a new image.
  void freeze_when_still(NewImage last);
  // After drawing. Throws the error of reading a frame of the compared recording.
  void update();
  // The frame of a session that is restored, frozen once it has come; nothing: none.
  void freeze_at(const std::optional<std::uint64_t>& frame) { frame_to_freeze_ = frame; }
  void freeze_restored_frame();

  void ask_again() { playback_.ask_again(); }  // the image changes for another reason than parameters
  [[nodiscard]] const Playback& playback() const { return playback_; }
  [[nodiscard]] bool frozen() const { return playback_.frozen(); }
  [[nodiscard]] bool frozen_by_user() const { return playback_.frozen() && !frozen_by_itself_; }
  [[nodiscard]] bool busy() const { return fine_points_.busy() || fine_points_a_.busy(); }
  // The stream's settings, as needed while frozen or until a session's frame has come.
  [[nodiscard]] StreamSettings adjusted(StreamSettings stream) const;
  // A recording of one frame, which would only be processed again and again: it is frozen, and processed again where
  // parameters change. Not where so many frames are asked for, or repetition, or where no frame is kept.
  [[nodiscard]] bool plays_once() const;

 private:
  void freeze(std::uint64_t sequence);
  void go_live();
  void look_at_work();

  WindowParts& parts_;
  const std::function<void()> apply_stream_;
  Playback playback_;
  InspectorController inspector_;
  FinePoints fine_points_, fine_points_a_;  // the latter of a comparison's side A
  MModeReview m_mode_review_;
  std::uint64_t requests_seen_ = 0;   // of playback_, at the last look_at_work()
  FormationParams wanted_;            // then
  std::uint64_t processed_seen_ = 0;  // frames, at the last freeze_when_still()
  bool frozen_by_itself_ = false;     // the source is paused or at its end: the image on screen is in the history
  std::optional<std::uint64_t> frame_to_freeze_;
};

}  // namespace echoloop
