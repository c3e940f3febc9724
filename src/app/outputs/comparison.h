// Two images of one figure, A and B, in a window and without: the parameters of A, the levels of B that are matched to
// A's, and what a file says about both. B is the image of the stream; A is its frame with other parameters, or a frame
// of another recording.
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
#include "app/outputs/measured_values.h"
#include "app/stream/session.h"
#include "core/results/image.h"
#include "gui/state/dock_list.h"

namespace echoloop {

// B's parameters for A's recording: what follows from a recording and was not set by the user follows from A's.
ImagingParams params_beside(const ImagingParams& b, const ImagingParams& defaults_of_b, const Acquisition& of_a);

// The frame of A, `frames` at `rate_hz`, that goes with B's: the one of the same time, A beginning again at its end.
// Where a rate is not known (0): the one of the same number. `frames` 0: A has no end.
std::uint64_t frame_beside(const FrameStamp& b, double rate_hz, std::uint64_t frames);
FrameStamp stamp_beside(std::uint64_t index, double rate_hz, const FrameStamp& b);  // of that frame

// Weights are no levels.
bool can_match(const Image& b, const Image& a);
// B, drawn through the map that gives it the histogram of A's levels; `pixels` holds them. Both with a host copy.
Image matched_levels(const Image& b, const Image& a, std::vector<float>& pixels);

enum class LevelMatch { none, to_a };

// What a figure of A and B was made of.
struct ComparedFigure {
  MeasuredRun a, b;                     // sources as the user named them
  LevelMatch match = LevelMatch::none;  // of the levels of B
  std::filesystem::path file, marks;    // the figure, as the command writes it; the file of its marks
  FigureSize size = {};
  PageGround ground = PageGround::white;
  std::string why_no_command = {};  // empty: the command makes the figure again
};

// set_command() of B's image with A beside it.
void set_compared_command(nlohmann::json& json, const MeasuredRun& a, const MeasuredRun& b, const std::string& output);

// --measurements: CSV or JSON, by the file's ending; with the values of A where two images are compared (null: none).
void write_measurements(const std::filesystem::path& file, const MeasuredRun& run, const MeasuredRun* a);

// The description of B, with that of A as "a", and with the command that makes the figure.
nlohmann::json compared_figure_json(const ComparedFigure& figure);

// Of a run without a window (--compare, --compare-set). Main thread only.
struct SideA {
  std::optional<OpenedSource> recording;  // nothing: A is of B's frame
  ImagingParams params;
};
// Opens A's recording. `params`: of B. Throws Error where A cannot be.
SideA open_side_a(const CompareOptions& compare, const OpenedSource& b, const ImagingParams& params);

struct ImageA {
  Image image;  // with a host copy, in `db`
  std::vector<float> db;
  std::string named;              // its source, as the user named it
  SampleLogPtr samples;           // of its source
  std::uint64_t frame_count = 0;  // of its source; 0: no end
  std::optional<KeptFrame> kept;
  bool match_levels = false;  // of B in the figure
};
// On the session's lanes; waits. `image`: B. Throws Error.
std::unique_ptr<const ImageA> make_image_a(const SideA& a, const CompareOptions& compare, Session& session,
                                           const OpenedSource& b, const Image& image);

// What `echoloop info` says about a source: probe, transmits, sampling, and what its reader had to assume.

std::string describe_source(const OpenedSource& opened);  // lines of text for a researcher
std::string describe_source_json(const OpenedSource& opened);

}  // namespace echoloop
