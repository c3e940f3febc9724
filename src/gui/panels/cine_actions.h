// Actions of the strip below the image on the history: one rule for its buttons and for the keys. Pure edits of Cine,
// each followed by command::CineChanged. UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/grid.h"
#include "gui/panels/panels.h"
#include "gui/state/ui_state.h"

namespace echoloop {

enum class CineAct {
  first,
  back,
  forward,
  last,
  play,
  mark_in,
  mark_out,
  reset_in,
  reset_out,
  compare,
  swap,
  match_levels
};

inline constexpr std::string_view kFreezeFirst = "Freeze first (Space).";
// Return the reason why the action has no effect now, for tooltips; empty = it is available.
std::string_view why_no_freeze(const Model& model);
// Returns true for a processed recording of one frame.
[[nodiscard]] bool is_still(const Model& model);
inline constexpr std::string_view kOneFrame = "One frame: nothing to play.";
// Return the reason why the displayed history cannot be played or stepped through; empty = it can.
std::string_view why_no_play(const Model& model);
std::string_view why_no_past(const Model& model);
std::string_view why_no_comparison(const Model& model);  // also for a live image: the newest kept frame
std::string_view why_no_record(const Model& model);
std::string_view why_no_picture(const Model& model, const Grid& shown);  // for saving an image; nx 0: none
std::string_view why_no_act(const Model& model, const Edits& edits, CineAct act);

// Performs `act`; no effect if why_no_act() returns a reason.
void cine_act(const Model& model, Edits& edits, Commands& commands, CineAct act);
void cine_seek(const Model& model, Edits& edits, Commands& commands, std::size_t index);  // also stops playing
void freeze(const Model& model, Commands& commands);                                      // freezes or resumes live

// Keeps index and marks within the kept frames; ends a comparison when the stream has stopped; once per window frame.
void keep_cine_valid(const Model& model, Edits& edits, Commands& commands);

// Common display of a comparison: an edit changes both sides where they agree, a preset B only.
class SharedDisplay {
 public:
  void follow(const Model& model, Edits& edits);  // once per window frame

 private:
  ImagingParams a_, b_;  // values of the previous call
  std::uint64_t loads_ = 0;
};

// Returns the name of the right end of the track: "now", or "newest" if no new images arrive.
std::string_view newest_name(const Model& model);

// Return a frame's time relative to the newest, at most 0, in seconds; the same as text, with enough decimals to
// distinguish neighbours; and its position on the track, 0 to 1.
double cine_time_s(const KeptFrames& kept, std::size_t index);
std::string cine_time_text(const KeptFrames& kept, std::size_t index);
double cine_share(const KeptFrames& kept, std::size_t index);
std::size_t nearest_frame(const KeptFrames& kept, double share);

// Bar of a comparison, between tool bar and image: wipe or side by side, choice of recording or settings for A and B,
// their exchange. UI thread only.

inline constexpr float kCompareBar = 36;  // height at scale 1

// Returns the side for which the dialog should choose a recording.
std::optional<CompareSide> draw_compare_bar(PanelContext& c, const Rect& bar);

// Draws the letter of a side on its colour, 22 wide and 20 high at scale 1; (x, y): upper left corner.
void draw_side_letter(const Painter& painter, CompareSide side, float x, float y);

}  // namespace echoloop
