// What was measured on images, as text for a spreadsheet or a script, as JSON, and as one table. UI or main thread.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/patch_request.h"
#include "app/stream/session.h"
#include "backend/backend.h"
#include "gui/state/marks.h"
#include "source/source.h"

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

// What was drawn to measure, as JSON: beside saved images, in sessions, for --marks. Any thread.

// [{number, kind, points_mm: [[x, z], ...]}], and where the kind has them: role, pair, length_mm, angle_deg, area_mm2.
// Points to the nanometre, as marks are measured.
nlohmann::json marks_json(const Marks& marks);

// What marks_json() wrote; keys that it does not need are passed over. Throws Error in one line that names `what`.
Marks marks_from_json(const nlohmann::json& list, const std::string& what);

// The array `marks` of a JSON file's object: the file beside a saved image, a session, or one's own. Throws Error.
Marks read_marks(const std::filesystem::path& file);

// A JSON object from a file of at most 16 MB. Throws Error that says `accepted` for anything else.
nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& accepted);

// The marks' numbers on one image whose pixels are on the host: for files. UI or main thread.

// Whether a file of this run needs the marks' numbers.
bool wants_measures(const OutputFiles& files, const Marks& marks);

// As the Measure panel has them: of the image's pixels, and then with what processing has made again.
Measured measure_pixels(const Image& image, const Marks& marks);
void measure_again(Measured& measured, const Image& image, const Marks& marks, ImageAgain& again);
// Both; waits for processing.
Measured measure_image(const Image& image, const Marks& marks, const PointsAgain& again);

// A frame of a source that no thread asks any more; nothing when its file was lost.
std::optional<KeptFrame> frame_again(Source& source, const FrameStamp& stamp);

std::string frame_comment(const FrameStamp& stamp, const std::string& source);  // its line
// Lines about source, frame and parameters for measurements_csv().
std::string measurement_comments(const Backend& backend, const std::string& source, const Image& image);

struct MeasuredRun {
  const Measured& measured;
  const Marks& marks;
  const Backend& backend;
  std::string source;                          // as the user named it
  const std::vector<Doubt>* doubts = nullptr;  // about its recording; null: not measured
  std::uint64_t frames_of_a = 0;               // of A: of its source; 0: no end
};
// Of the image that B's is compared with, for measurements_csv().
std::string comments_on_a(const MeasuredRun& a);

// The description of a saved image, with marks, their values and parameters.
nlohmann::json marked_image_json(const MeasuredRun& run);

}  // namespace echoloop
