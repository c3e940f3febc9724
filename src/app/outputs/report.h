// Report of a run (--report).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/stream/session.h"
#include "backend/backend.h"
#include "core/acquisition.h"
#include "core/facts.h"
#include "core/results/image.h"
#include "core/sample_log.h"
#include "core/timing_trace.h"
#include "gui/state/stream_text.h"
#include "history/recorder.h"

namespace echoloop {

struct RunTotals {
  double seconds = 0.0;
  std::uint64_t shown = 0;
  std::uint64_t errors = 0;
};

nlohmann::json make_report(const Backend& backend, const Session& session, const std::string& source,
                           const ImagingParams& params, const TimingTrace& trace, const RunTotals& totals);

// Returns the faults of the source's samples: of all processed frames, and of the last one. `log` null: not checked.
nlohmann::json samples_json(const SampleLogPtr& log, const FrameStamp& last);

nlohmann::json recording_json(const RecorderStatus& status);

// Returns the end of a recording in one line: "scan.uff: recorded 1200 frames, 1200.0 MB"; with the problem, if any.
std::string recording_text(const RecorderStatus& status);

// Adds to each file of all frames in the report the command that reproduces it, or why there is none.
struct RepeatedRun {
  const std::string& named;  // source, as named by the user
  const AcquisitionPtr& acquisition;
  const ImagingParams& params;
  const Backend& backend;
  RingCounts counts;
};
void add_commands(nlohmann::json& report, const RepeatedRun& run);

// Provenance of every output file: enough to reproduce it.

nlohmann::json program_json(const Backend& backend, const std::string& source);  // version, backend, device, source
bool is_of_program(const std::filesystem::path& file);                           // a JSON file with all of these keys

nlohmann::json assumptions_json(const Acquisition& acquisition);  // [{text, set: key of --set or ""}]
// Returns "KEY=VALUE" of a fact that the user set, as in --set; and all given ones, for files.
std::string given_setting(const Acquisition& acquisition, const Assumption& given);
nlohmann::json given_facts_json(const Facts& facts);
nlohmann::json facts_json(const Acquisition& acquisition);        // the facts with a member (core/facts.h), SI units
nlohmann::json acquisition_json(const Acquisition& acquisition);  // SI units

// Returns the name for texts in files and commands: for a file the absolute path, independent of the run's folder.
std::string whole_name(const std::string& source);

FrameNumbers numbers_of(const std::string& source);  // as named by the user; without their count

// All frames of a run from the first one on; without parameters: as delivered by the source.
struct RepeatedFrames {
  bool on_cpu = false;        // made there
  const std::string& source;  // as named by the user
  const AcquisitionPtr& acquisition;
  std::uint64_t frames = 0;
  const ImagingParams* params = nullptr;
  bool complete = true;  // consecutive, each once, from the source's first one on
};
// Sets "command", the command line that reproduces an output, bit for bit on the same device, in any folder and without
// the files of the user's home; or "command_missing", the reason. `output`: its option.
void set_command(nlohmann::json& json, const RepeatedFrames& run, const std::string& output);
void set_command(nlohmann::json& json, const Backend& backend, const std::string& source, const Image& image,
                 const std::string& output);
void set_no_command(nlohmann::json& json, const std::string& why);
inline constexpr std::string_view kTornFrame = "torn: samples of an earlier frame are in it (missing event)";
// Returns either of the two for other texts: from a JSON that has them, and as set_command() sets them.
std::string command_text(const nlohmann::json& json);
std::string command_text(const Backend& backend, const std::string& source, const Image& image,
                         const std::string& output);
std::string shell_word(const std::string& word);  // quoted for a shell if needed

// Returns all of it, with the time of writing.
nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image);
// Adds the labels of the image's mask as "mask": [{label, name, area_mm2, pixels}].
void add_mask(nlohmann::json& json, const Image& image);

}  // namespace echoloop
