// What the window knows of each analysis: its newest result, and counts. UI thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/results/analysis_images.h"
#include "core/results/inspection.h"
#include "gui/state/rect.h"
#include "measure/region.h"

namespace echoloop {

// What was found in the image on screen, largest objects first, and which of them is selected. Objects are numbered
// from 1, the largest. UI thread only.

// Of the Objects panel.
struct ObjectsPanelState {
  bool explained = false;  // how it works is read
  // The table.
  float offset = 0;  // pixels that it is scrolled by
  float most = 0;    // and can be
  float wheel = 0;   // that is meant for it
  Rect area;         // of its rows; empty: they are not drawn
  int shown = 0;     // the selected object that it was scrolled to
};

// Edited by the window.
struct ObjectPick {
  int selected = 0;  // number; 0 = none; the same object from image to image, as far as it can be followed
  int hovered = 0;   // number of the one under the pointer, on the image or in the table
  int hovered_on_picture = 0;
  ObjectsPanelState panel;
};

struct ObjectView {
  // Filled by the window: what belongs to the image on screen; null = nothing, then all below is empty.
  std::shared_ptr<const ObjectImage> image;
  double older_s = 0.0;             // than the image on screen
  std::vector<std::size_t> ranked;  // [number - 1]: the object's place in image->objects
  std::vector<int> numbers;         // [label - 1]: the object's number
  std::vector<LabelOutline> outlines;

  [[nodiscard]] const FoundObject& object(int number) const {
    return image->objects[ranked[static_cast<std::size_t>(number - 1)]];
  }
  [[nodiscard]] int count() const { return static_cast<int>(ranked.size()); }
};

// Fills image, ranked, numbers and outlines.
void show_objects(ObjectView& view, std::shared_ptr<const ObjectImage> found);

// The number of the object at a place; 0 = none there.
[[nodiscard]] int object_at(const ObjectView& view, PlanePoint at);

// The object that is most likely the one that was there in an earlier image: near and of like size; 0 = it is gone.
[[nodiscard]] int same_object(const ObjectView& view, const FoundObject& before);

// CSV: a row an object, the largest first, after comment lines, which begin with "# ": background and threshold.
// Columns: number, area_mm2, x_mm, z_mm, mean_db, pixels, and the box in pixels ix0, ix1, iz0, iz1. Empty without an
// image.
[[nodiscard]] std::string objects_csv(const ObjectView& view);

struct FlowView {
  FlowCounts counts;                       // filled by the application
  std::shared_ptr<const FlowImage> image;  // filled by the viewer: the flow image on screen; null = none
  double age_s = 0.0;                      // of the newest frame in it; filled by the viewer
};

struct SpectrogramView {
  SpectrogramCounts counts;                  // filled by the application
  std::shared_ptr<const Spectrogram> shown;  // filled by the viewer: what the strip holds; null = none
};

struct FoundSpeed {
  std::vector<float> phi;  // one a speed; empty: not computed
  double peak_m_s = 0.0;
  double prominence = 0.0;
  std::vector<std::string> warnings;  // sentences
};

// The axis that shows a curve, which is not empty: a little more than its values; of a flat one 2 % of them.
struct CurveAxis {
  double lowest, highest;
};
inline CurveAxis speed_curve_axis(const FoundSpeed& curve) {
  const auto [least, most] = std::ranges::minmax_element(curve.phi);
  const double lowest = *least, highest = *most;
  const double margin = 0.08 * std::max(highest - lowest, 0.02 * highest);
  return {lowest - margin, std::max(highest, lowest + 0.02 * highest) + margin};
}

struct FoundSpeeds {
  double first_m_s = 0.0, last_m_s = 0.0;  // searched
  double assumed_m_s = 0.0;                // of the image searched in
  std::string region;                      // "whole image", "region 3"
  std::string f_number;                    // a sentence where it is another than the image's; empty: it is not
  FoundSpeed elements, transmits;
  // The curve with fewer warnings, that over elements where both have equally many.
  [[nodiscard]] const FoundSpeed& chosen() const {
    return !transmits.phi.empty() && transmits.warnings.size() < elements.warnings.size() ? transmits : elements;
  }
};

struct SoundSpeedView {
  std::string why_not;             // no search now; empty: there can be one
  std::optional<double> fraction;  // done, 0 to 1; nothing: no search is running
  std::optional<FoundSpeeds> found;
};

// What is computed beside the images.
struct AnalysisViews {
  FlowView flow;
  ObjectView objects;
  SpectrogramView spectrogram;
  SoundSpeedView sound_speed;
};

enum class SoundSpeedAct { find, cancel, close };

// What the inspector shows. Filled by the application.
struct InspectorView {
  std::shared_ptr<const Inspection> pixel;                     // null: nothing yet
  std::vector<std::shared_ptr<const TransmitImage>> pictures;  // by transmit; null: not yet
  AcquisitionPtr acquisition;                                  // of the frame that is inspected
  std::string refusal;                                         // why there is nothing
};
struct InspectorEdits {
  bool wanted = false;             // the inspector is open; looked at each frame
  int transmit = -1;               // whose channels; -1 = the middle one
  std::vector<int> pictures_seen;  // transmits whose images are in view
};

// The M-mode as the window and the application tell each other. UI thread only.

class MModeColumns;

// From one moment and depth of the strip to another.
struct MModeCaliper {
  double time0_s = 0.0, depth0_m = 0.0;  // on the clock of MModeColumns
  double time1_s = 0.0, depth1_m = 0.0;
  friend bool operator==(const MModeCaliper&, const MModeCaliper&) = default;
};

// Frozen: kept frames that are beamformed again along the line.
struct MModeProgress {
  std::size_t done = 0, all = 0;
  bool under_way = false;
  bool failed = false;
};

struct MModeView {
  std::shared_ptr<const MModeColumns> columns;  // of the strip; null = none
  MModeProgress progress;                       // filled by the application
};
struct MModeEdits {
  bool wanted = false;                 // the strip is on screen or goes on beside another
  bool cancelled = false;              // no more kept frames are to be beamformed for this line
  std::vector<MModeCaliper> calipers;  // oldest first
  std::uint64_t lines = 0;             // counts up when the calipers of a line have gone with it
};

}  // namespace echoloop
