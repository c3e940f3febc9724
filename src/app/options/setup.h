// Everything that can be set in the window, as one value: what a reset takes away, and gives back when it is undone.
// UI thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/acquisition_facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "gui/state/marks.h"
#include "gui/state/pan_zoom.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop {

struct Setup {
  std::string source;  // as it is opened
  Facts facts;
  ImagingParams params;
  StreamSettings stream;
  std::optional<StreamSettings> chosen_queue;  // policy and slots that no user chose; nothing: a user did
  Marks marks;
  PanZoom pan_zoom;
  std::optional<PlanePoint> inspected;
  std::filesystem::path preset;  // the active one; empty: none
  double speed = 1.0;            // of playing kept frames
  ViewSettings view;
};

}  // namespace echoloop
