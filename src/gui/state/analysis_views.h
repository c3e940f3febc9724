// What the window knows of each analysis: its newest result, and counts. UI thread only.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/results/analysis_images.h"
#include "core/results/inspection.h"
#include "core/results/spectrogram.h"
#include "gui/state/object_view.h"

namespace echoloop {

struct FlowView {
  FlowCounts counts;                 // filled by the application
  const FlowImage* image = nullptr;  // filled by the window: the flow image on screen; null = none
  double age_s = 0.0;                // of the newest frame in it; filled by the window
};

struct SpectrogramView {
  SpectrogramCounts counts;            // filled by the application
  const Spectrogram* shown = nullptr;  // filled by the window: what the strip holds; null = none
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

struct InspectorView {
  // Set by the window.
  bool wanted = false;             // the inspector is open; looked at each frame
  int transmit = -1;               // whose channels; -1 = the middle one
  std::vector<int> pictures_seen;  // transmits whose images are in view
  // Filled by the application.
  std::shared_ptr<const Inspection> pixel;                     // null: nothing yet
  std::vector<std::shared_ptr<const TransmitImage>> pictures;  // by transmit; null: not yet
  AcquisitionPtr acquisition;                                  // of the frame that is inspected
  std::string refusal;                                         // why there is nothing
};

}  // namespace echoloop
