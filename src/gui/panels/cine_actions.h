// What the strip below the image does to the past: one rule for its buttons and for the keys. Pure edits of Cine,
// each followed by cine_changed. UI thread only.
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
// Why it has no effect at the moment, for tooltips; empty = it has one.
std::string_view why_no_freeze(const Model& model);
// Of a recording of one frame, which has been processed.
[[nodiscard]] bool is_still(const Model& model);
inline constexpr std::string_view kOneFrame = "One frame: nothing to play.";
// Why the history, which is looked at, cannot be played or stepped through.
std::string_view why_no_play(const Model& model);
std::string_view why_no_past(const Model& model);
std::string_view why_no_comparison(const Model& model);  // live too: of the newest frame that is kept
std::string_view why_no_record(const Model& model);
std::string_view why_no_picture(const Model& model, const Grid& shown);  // of an image to save; nx 0: none
std::string_view why_no_act(const Model& model, const Edits& edits, CineAct act);

// Nothing while why_no_act() has a reason.
void cine_act(const Model& model, Edits& edits, Commands& commands, CineAct act);
void cine_seek(const Model& model, Edits& edits, Commands& commands, std::size_t index);  // also stops playing
void freeze(const Model& model, Commands& commands);                                      // and live again

// Keeps index and marks within the kept frames and ends a comparison when the stream has stopped; once a frame.
void keep_cine_valid(const Model& model, Edits& edits, Commands& commands);

// The display of a comparison: an edit acts on both sides where these agree, a preset on B alone.
class SharedDisplay {
 public:
  void follow(const Model& model, Edits& edits);  // once a window frame

 private:
  ImagingParams a_, b_;  // in the last one
  std::uint64_t loads_ = 0;
};

// The right end of the track: "now", or "newest" where no image comes any more.
std::string_view newest_name(const Model& model);

// A frame's time before the newest, at most 0, in seconds; as text, with the decimals that tell neighbours apart; and
// where it lies on the track, 0 to 1.
double cine_time_s(const KeptFrames& kept, std::size_t index);
std::string cine_time_text(const KeptFrames& kept, std::size_t index);
double cine_share(const KeptFrames& kept, std::size_t index);
std::size_t nearest_frame(const KeptFrames& kept, double share);

// The bar of a comparison, between tool bar and image: wipe or side by side, which recording or settings A and B are
// of, their exchange. UI thread only.

inline constexpr float kCompareBar = 36;  // high, at scale 1

// The side that a recording is to be chosen for, by the dialog.
std::optional<CompareSide> draw_compare_bar(PanelContext& c, const Rect& bar);

// The letter of a side on its colour, 22 wide and 20 high at scale 1; (x, y): its upper left corner.
void draw_side_letter(const Painter& painter, CompareSide side, float x, float y);

}  // namespace echoloop
