// What the view keeps as long as the window is open: neither written nor compared. UI thread only.
#pragma once

#include <array>
#include <optional>

#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/state/timeline_state.h"
#include "source/phantom_settings.h"

namespace echoloop {

// Of the Objects panel.
struct ObjectsState {
  bool explained = false;  // how it works is read
  // The table.
  float offset = 0;  // pixels that it is scrolled by
  float most = 0;    // and can be
  float wheel = 0;   // that is meant for it
  Rect area;         // of its rows; empty: they are not drawn
  int shown = 0;     // the selected object that it was scrolled to
};

// The settings of a phantom while they are edited in the Source panel.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited; shown until that phantom is open, or refused
  bool asked = false;                        // it was released, and the phantom is being opened
};

inline constexpr int kToolKinds = 3;  // of drawing tools: lines, regions, places

// Of spectral Doppler.
struct StripLook {
  double span_s = 4.0;  // acquisition time across the strip
  bool curves = true;   // drawn over it
};

struct TransientView {
  bool latency_since_start = false;  // instead of the last 10 s
  bool lecture = false;              // Timeline and Stream fill the window
  bool m_mode_beside = false;        // the M-mode goes on beside spectral Doppler, for the presentation
  double m_mode_span_s = 4.0;        // acquisition time across the strip
  StripLook doppler;
  bool tgc_open = false;  // its sliders are visible
  // The tool of each kind that was used last.
  std::array<MarkTool, kToolKinds> tool_of_kind = {MarkTool::distance, MarkTool::circle, MarkTool::point};
  TimelineState timeline;
  ObjectsState objects;
  PhantomEdit phantom;
};

}  // namespace echoloop
