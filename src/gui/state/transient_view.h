// What the view keeps as long as the window is open: neither written nor compared. UI thread only.
#pragma once

#include <array>
#include <optional>

#include "gui/state/marks.h"
#include "gui/state/timeline_state.h"
#include "source/phantom_settings.h"

namespace echoloop {

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
  PhantomEdit phantom;
};

}  // namespace echoloop
