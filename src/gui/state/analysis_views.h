// Results of the analyses for the window: the newest result and counts of each. UI thread only.
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "core/acquisition.h"
#include "core/results/analysis_images.h"
#include "core/results/inspection.h"
#include "gui/state/rect.h"
#include "measure/region.h"

namespace echoloop {

// Objects found in the image on screen, largest first, and the selected one. Objects are numbered from 1, the largest.
// UI thread only.

// State of the Objects panel.
struct ObjectsPanelState {
  bool explained = false;  // explanation of the method is open
  // Table of the objects.
  float offset = 0;  // scroll offset, pixels
  float most = 0;    // largest offset
  float wheel = 0;   // mouse wheel over the table
  Rect area;         // rectangle of its rows; empty: they are not drawn
  int shown = 0;     // selected object that was last scrolled into view
};

// Edited by the window.
struct ObjectPick {
  int selected = 0;  // number; 0 = none; the same object from image to image, as far as it can be tracked
  int hovered = 0;   // number of the object under the pointer, on the image or in the table; 0 = none
  int hovered_on_picture = 0;
  ObjectsPanelState panel;
};

struct ObjectView {
  // Filled by the window: result for the image on screen; null = none, then all below is empty.
  std::shared_ptr<const ObjectImage> image;
  double older_s = 0.0;             // age relative to the image on screen
  std::vector<std::size_t> ranked;  // [number - 1]: index in image->objects
  std::vector<int> numbers;         // [label - 1]: number of the object
  std::vector<LabelOutline> outlines;

  [[nodiscard]] const FoundObject& object(int number) const {
    return image->objects[ranked[static_cast<std::size_t>(number - 1)]];
  }
  [[nodiscard]] int count() const { return static_cast<int>(ranked.size()); }
};

// Fills image, ranked, numbers and outlines.
void show_objects(ObjectView& view, std::shared_ptr<const ObjectImage> found);

// Returns the number of the object at a position; 0 = none.
[[nodiscard]] int object_at(const ObjectView& view, PlanePoint at);

// Returns the object that most likely was `before` in an earlier image: near and of similar size; 0 = none.
[[nodiscard]] int same_object(const ObjectView& view, const FoundObject& before);

// Returns a CSV: one row per object, largest first, after comment lines, which begin with "# ": background and
// threshold. Columns: number, area_mm2, x_mm, z_mm, mean_db, pixels, and the box in pixels ix0, ix1, iz0, iz1. Empty
// without an image.
[[nodiscard]] std::string objects_csv(const ObjectView& view);

struct FlowView {
  std::shared_ptr<const FlowImage> image;  // filled by the viewer: flow image on screen; null = none
  double age_s = 0.0;                      // age of its newest frame; filled by the viewer
};

struct SpectrogramView {
  std::shared_ptr<const Spectrogram> shown;  // filled by the viewer: contents of the strip; null = none
};

struct FoundSpeed {
  std::vector<float> phi;  // one value per speed; empty: not computed
  double peak_m_s = 0.0;
  double prominence = 0.0;
  std::vector<std::string> warnings;  // sentences
};

// Axis of a curve, which is not empty: its range plus a margin; 2 % of the value for a flat one.
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
  double first_m_s = 0.0, last_m_s = 0.0;  // range of the search
  double assumed_m_s = 0.0;                // speed of the image that was searched
  std::string region;                      // "whole image", "region 3"
  std::string f_number;                    // sentence if it differs from the image's; empty: it does not
  FoundSpeed elements, transmits;
  // Returns the curve with fewer warnings; that over elements if both have equally many.
  [[nodiscard]] const FoundSpeed& chosen() const {
    return !transmits.phi.empty() && transmits.warnings.size() < elements.warnings.size() ? transmits : elements;
  }
};

struct SoundSpeedView {
  std::string why_not;             // reason why no search is possible now; empty: one is possible
  std::optional<double> fraction;  // progress, 0 to 1; nullopt: no search is running
  std::optional<FoundSpeeds> found;
};

// Values for the window of analyses and of other results beside the images, one of each type, made when first written:
// FlowView, ObjectView, SpectrogramView, SoundSpeedView, AnalysisCounts, and those of further analyses.
class AnalysisViews {
 public:
  template <class View>
  [[nodiscard]] View& of() {
    std::any& value = values_[typeid(View)];
    if (!value.has_value()) value = View();
    return *std::any_cast<View>(&value);
  }
  template <class View>
  [[nodiscard]] const View& of() const {
    static const View none{};
    const auto found = values_.find(typeid(View));
    return found == values_.end() ? none : *std::any_cast<View>(&found->second);
  }

 private:
  std::map<std::type_index, std::any> values_;
};

enum class SoundSpeedAct { find, cancel, close };

// Contents of the inspector. Filled by the application.
struct InspectorView {
  std::shared_ptr<const Inspection> pixel;                     // null: none yet
  std::vector<std::shared_ptr<const TransmitImage>> pictures;  // by transmit; null: none yet
  AcquisitionPtr acquisition;                                  // acquisition of the inspected frame
  std::string refusal;                                         // reason for missing contents
};
struct InspectorEdits {
  bool wanted = false;             // the inspector is open; read every frame
  int transmit = -1;               // transmit whose channels are shown; -1 = the middle one
  std::vector<int> pictures_seen;  // transmits whose images are visible
};

// M-mode data exchanged between window and application. UI thread only.

class MModeColumns;

// Caliper between two points of the strip, each a time and a depth.
struct MModeCaliper {
  double time0_s = 0.0, depth0_m = 0.0;  // clock of MModeColumns
  double time1_s = 0.0, depth1_m = 0.0;
  friend bool operator==(const MModeCaliper&, const MModeCaliper&) = default;
};

// Progress of beamforming history frames along the line, while frozen.
struct MModeProgress {
  std::size_t done = 0, all = 0;
  bool under_way = false;
  bool failed = false;
};

struct MModeView {
  std::shared_ptr<const MModeColumns> columns;  // columns of the strip; null = none
  MModeProgress progress;                       // filled by the application
};
struct MModeEdits {
  bool wanted = false;                 // the strip is on screen or runs along with another
  bool cancelled = false;              // no more history frames are to be beamformed for this line
  std::vector<MModeCaliper> calipers;  // oldest first
  std::uint64_t lines = 0;             // increases when the calipers are removed with their line
};

}  // namespace echoloop
