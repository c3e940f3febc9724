// What was measured on the image, as JSON, beside saved images and for --measurements. UI or main thread.
#pragma once

#include <nlohmann/json.hpp>

#include "gui/state/measured.h"

namespace echoloop {

// {"regions": [{number, pair, role, area_mm2, pixels, share_with_echo, mean_db, std_db, speckle_snr}],
//  "pairs": [{pair, contrast_db, cnr, gcnr}], "points": [...], "lines": [...]}
// The numbers of the Measure panel: mean_db is the level of the mean amplitude, std_db the standard deviation of the
// levels, `pixels` those with an echo, which all statistics are of. A region without a partner has pair 0, and role
// "none" where it has none. Points say which grid their widths are of. What is not known is null.
// Pairs and regions of a method's image that could be compared with delay-and-sum have slope_against_das,
// slope_intercept_db, slope_r2 and scatter: {pixels, das_db: [...], method_db: [...]}, at most kMostScatterPoints of
// them.
nlohmann::json measurements_json(const Measured& measured, const Marks& marks);

}  // namespace echoloop
