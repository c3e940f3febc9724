// Measured values of images, as text for a spreadsheet or a script, as JSON, and as one table. UI or main thread.
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

// Returns one long table after the comment lines, which begin with "# ": one row per number. Columns: table (now, A,
// B-A, trend, curve, scatter, histogram), object, quantity, unit, at, at_unit, value. `at` is empty for current values,
// seconds before now for a trend, millimetres along a curve, the centre of a histogram's bin in dB, the level by
// delay-and-sum of a pixel of a scatter plot. `comments`: lines about the source and the parameters. Unknown numbers
// are omitted. `a`: side A of a comparison, whose B is `measured`.
std::string measurements_csv(const Measured& measured, const std::string& comments, const Measured& a = {});

// Returns {"regions": [{number, pair, role, area_mm2, pixels, share_with_echo, mean_db, std_db, speckle_snr}],
// "pairs": [{pair, contrast_db, cnr, gcnr}], "points": [...], "lines": [...]}, the numbers of the Measure panel:
// mean_db is the level of the mean amplitude, std_db the standard deviation of the levels, `pixels` those with an echo,
// the basis of all statistics. A region without a partner has pair 0, and role "none" without a role. Points name the
// grid of their widths. Unknown values are null. Pairs and regions of a method's image compared with delay-and-sum have
// slope_against_das, slope_intercept_db, slope_r2 and scatter: {pixels, das_db: [...], method_db: [...]}, at most
// kMostScatterPoints of them.
nlohmann::json measurements_json(const Measured& measured, const Marks& marks);

struct MeasuredRecording {
  std::string source;     // as named by the user
  nlohmann::json values;  // as from measurements_json()
};
// Writes CSV or JSON, by the file's ending. Values of a pair are in the row of its target. Throws Error.
void write_measurement_table(const std::filesystem::path& file, const Marks& marks,
                             const std::vector<MeasuredRecording>& recordings);

// Marks as JSON: with saved images, in sessions, for --marks. Any thread.

// Returns [{number, kind, points_mm: [[x, z], ...]}], and if the kind has them: role, pair, length_mm, angle_deg,
// area_mm2. Points to the nanometre, as marks are measured.
nlohmann::json marks_json(const Marks& marks);

// Parses the output of marks_json(); ignores unknown keys. Throws Error in one line that names `what`.
Marks marks_from_json(const nlohmann::json& list, const std::string& what);

// Reads the array `marks` of a JSON file's object: of a saved image, a session, or a user's file. Throws Error.
Marks read_marks(const std::filesystem::path& file);

// Reads a JSON object from a file of at most 16 MB. Throws Error with `accepted` for anything else.
nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& accepted);

// Values of the marks on one image with its pixels on the host, for files. UI or main thread.

// Returns true if a file of this run needs the marks' values.
bool wants_measures(const OutputFiles& files, const Marks& marks);

// Measure as the Measure panel: from the image's pixels, and then with reprocessed results.
Measured measure_pixels(const Image& image, const Marks& marks);
void measure_again(Measured& measured, const Image& image, const Marks& marks, ImageAgain& again);
// Does both; waits for processing.
Measured measure_image(const Image& image, const Marks& marks, const PointsAgain& again);

// Returns a frame of a source that no thread uses; nullopt if its file was lost.
std::optional<KeptFrame> frame_again(Source& source, const FrameStamp& stamp);

std::string frame_comment(const FrameStamp& stamp, const std::string& source);  // one line
// Returns lines about source, frame and parameters for measurements_csv().
std::string measurement_comments(const Backend& backend, const std::string& source, const Image& image);

struct MeasuredRun {
  const Measured& measured;
  const Marks& marks;
  const Backend& backend;
  std::string source;                          // as named by the user
  const std::vector<Doubt>* doubts = nullptr;  // about its recording; null: not measured
  std::uint64_t frames_of_a = 0;               // of A's source; 0: endless
};
// Returns the comments on image A, for measurements_csv().
std::string comments_on_a(const MeasuredRun& a);

// Returns the description of a saved image, with marks, their values and parameters.
nlohmann::json marked_image_json(const MeasuredRun& run);

}  // namespace echoloop
