// Small described array for the sidecar tests: two plane waves, three elements, four samples.
#pragma once

#include <string>
#include <vector>

#include "formats/readers/description.h"
#include "formats/support.h"

namespace echoloop::test {

inline constexpr double kPitch = 0.5e-3;
inline constexpr double kSpeed = 1500.0;

inline Json plane_meta() {
  return {{"axes", {"transmit", "element", "time"}},
          {"t_zero", "origin"},
          {"fs_hz", 20e6},
          {"fc_hz", 5e6},
          {"c_m_s", kSpeed},
          {"t0_s", 2e-6},
          {"pitch_m", kPitch},
          {"tx", {{{"kind", "plane"}, {"angle_rad", 0.2}}, {{"kind", "plane"}, {"angle_rad", -0.1}}}}};
}

// Returns int16 (2 transmits, 3 elements, 4 samples): value 100 tx + 10 element + time.
inline std::vector<std::int16_t> plane_values() {
  std::vector<std::int16_t> values;
  for (int k = 0; k < 24; ++k) values.push_back(static_cast<std::int16_t>(100 * (k / 12) + 10 * (k / 4 % 3) + k % 4));
  return values;
}

inline std::string plane_npy() { return npy("<i2", false, "(2, 3, 4)", packed(plane_values())); }

inline Recording open_with(const Json& meta, const std::string& array) {
  const TemporaryFolder folder;
  folder.write("a.json", meta.dump());
  return open_recording(folder.write("a.npy", array));
}

inline std::string refusal_with(const Json& meta, const std::string& array) {
  const TemporaryFolder folder;
  folder.write("a.json", meta.dump());
  return refusal(folder.write("a.npy", array));
}

}  // namespace echoloop::test
