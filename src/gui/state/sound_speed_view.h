// The search for the speed of sound as the panel shows it. Plain values; filled by the application. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace echoloop {

struct FoundSpeed {
  std::vector<float> phi;  // one a speed; empty: not computed
  double peak_m_s = 0.0;
  std::vector<std::string> warnings;  // sentences
};

struct FoundSpeeds {
  double first_m_s = 0.0, last_m_s = 0.0;  // searched
  double assumed_m_s = 0.0;                // of the image searched in
  std::string region;                      // "whole image", "region 3"
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

enum class SoundSpeedAct { find, cancel, close };

}  // namespace echoloop
