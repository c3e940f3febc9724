// The text after "sim:" that names a phantom and, if wanted, its settings: NAME[,KEY=VALUE...].
#pragma once

#include <string_view>

#include "source/phantom.h"

namespace echoloop {

// Keys: probe, angles_deg (numbers separated by /), noise_db, attenuation_db_cm_mhz, rate_hz, sound_speed_m_s, seed;
// the flow phantom also peak_mm_s, pulsation, angle_deg, radius_mm, motion_mm_s (see FlowSettings).
// Throws Error naming key, value and what is accepted; make_phantom() checks the ranges. [any thread]
PhantomSettings parse_phantom(std::string_view text);

}  // namespace echoloop
