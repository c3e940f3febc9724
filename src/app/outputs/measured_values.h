// What was measured on images, as text for a spreadsheet or a script, as JSON, and as one table. UI or main thread.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/state/marks.h"
#include "gui/state/measured.h"

namespace echoloop {

// One long table after the comment lines, which begin with "# ": a row a number. Columns:
// table (now, A, B-A, trend, curve, scatter, histogram), object, quantity, unit, at, at_unit, value. `at` is empty for
// what is now, seconds before now for a trend, millimetres along a curve, the middle of a histogram's bin in dB, the
// level by delay-and-sum of a pixel of a scatter plot. `comments`: lines about the source and the parameters. Numbers
// that are not known are left out. `a`: side A of a comparison, whose B is `measured`.
std::string measurements_csv(const Measured& measured, const std::string& comments, const Measured& a = {});

// {"regions": [{number, pair, role, area_mm2, pixels, share_with_echo, mean_db, std_db, speckle_snr}],
//  "pairs": [{pair, contrast_db, cnr, gcnr}], "points": [...], "lines": [...]}
// The numbers of the Measure panel: mean_db is the level of the mean amplitude, std_db the standard deviation of the
// levels, `pixels` those with an echo, which all statistics are of. A region without a partner has pair 0, and role
// "none" where it has none. Points say which grid their widths are of. What is not known is null.
// Pairs and regions of a method's image that could be compared with delay-and-sum have slope_against_das,
// slope_intercept_db, slope_r2 and scatter: {pixels, das_db: [...], method_db: [...]}, at most kMostScatterPoints of
// them.
nlohmann::json measurements_json(const Measured& measured, const Marks& marks);

struct MeasuredRecording {
  std::string source;     // as the user named it
  nlohmann::json values;  // as measurements_json() has them
};
// CSV or JSON, by the file's ending. Values of a pair are in the row of its target. Throws Error.
void write_measurement_table(const std::filesystem::path& file, const Marks& marks,
                             const std::vector<MeasuredRecording>& recordings);

}  // namespace echoloop
