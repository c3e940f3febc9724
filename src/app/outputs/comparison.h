// Two images of one figure, A and B, with or without a window: the parameters of A, the levels of B matched to A's, and
// the description of both in a file. B is the image of the stream; A is its frame with other parameters, or a frame of
// another recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/opening/source_kinds.h"
#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/outputs/measured_values.h"
#include "app/stream/session.h"
#include "core/results/image.h"
#include "gui/state/dock_list.h"

namespace echoloop {

// Returns B's parameters for A's recording: those not set by the user that follow from a recording follow from A's.
ImagingParams params_beside(const ImagingParams& b, const ImagingParams& defaults_of_b, const Acquisition& of_a);

// Returns the frame of A, `frames` at `rate_hz`, at the time of B's, with A repeated from its end. With an unknown rate
// (0): the one of the same number. `frames` 0: A is endless.
std::uint64_t frame_beside(const FrameStamp& b, double rate_hz, std::uint64_t frames);
FrameStamp stamp_beside(std::uint64_t index, double rate_hz, const FrameStamp& b);  // of that frame

// Returns false for weights, which are no levels.
bool can_match(const Image& b, const Image& a);
// Returns B drawn with the map that gives it the histogram of A's levels; held in `pixels`. Both with a host copy.
Image matched_levels(const Image& b, const Image& a, std::vector<float>& pixels);

enum class LevelMatch { none, to_a };

// Sources of a figure of A and B.
struct ComparedFigure {
  MeasuredRun a, b;                     // sources as the user named them
  LevelMatch match = LevelMatch::none;  // of the levels of B
  std::filesystem::path file, marks;    // the figure, as in the command; the file of its marks
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string why_no_command = {};  // empty: the command reproduces the figure
};

// Sets set_command() of B's image with A.
void set_compared_command(nlohmann::json& json, const MeasuredRun& a, const MeasuredRun& b, const std::string& output);

// Writes --measurements: CSV or JSON, by the file's ending; with A's values if two images are compared (null: none).
void write_measurements(const std::filesystem::path& file, const MeasuredRun& run, const MeasuredRun* a);

// Returns the description of B, with that of A as "a", and the command that reproduces the figure.
nlohmann::json compared_figure_json(const ComparedFigure& figure);

// Image A of a run without a window (--compare, --compare-set). Main thread only.
struct SideA {
  std::optional<OpenedSource> recording;  // nullopt: A is from B's frame
  ImagingParams params;
};
// Opens A's recording. `params`: of B. Throws Error if A is not possible.
SideA open_side_a(const CompareOptions& compare, const OpenedSource& b, const ImagingParams& params);

struct ImageA {
  Image image;  // with a host copy, in `db`
  std::vector<float> db;
  std::string named;              // its source, as the user named it
  SampleLogPtr samples;           // of its source
  std::uint64_t frame_count = 0;  // of its source; 0: endless
  std::optional<KeptFrame> kept;
  bool match_levels = false;  // of B in the figure
};
// Makes image A on the session's lanes; waits. `image`: B. Throws Error.
std::unique_ptr<const ImageA> make_image_a(const SideA& a, const CompareOptions& compare, Session& session,
                                           const OpenedSource& b, const Image& image);

// Output of `echoloop info` about a source: probe, transmits, sampling, and assumptions of its reader.

// Return lines of text for a researcher, and JSON, with the doubts about the facts.
std::string describe_source(const OpenedSource& opened, const std::vector<Doubt>& doubts);
std::string describe_source_json(const OpenedSource& opened, const std::vector<Doubt>& doubts);

}  // namespace echoloop
