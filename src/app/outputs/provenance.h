// What every file that leaves the program says about where it comes from: enough to make it again.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "backend/backend.h"
#include "core/acquisition.h"
#include "core/results/image.h"
#include "gui/state/stream_text.h"

namespace echoloop {

nlohmann::json program_json(const Backend& backend, const std::string& source);  // version, backend, device, source
bool is_of_program(const std::filesystem::path& file);                           // a JSON file with all of these

nlohmann::json assumptions_json(const Acquisition& acquisition);  // [{text, set: key of --set or ""}]
nlohmann::json acquisition_json(const Acquisition& acquisition);  // SI units

// As texts in files and commands name it: of a file the path from the root, whatever the folder of the run.
std::string whole_name(const std::string& source);

FrameNumbers numbers_of(const std::string& source);  // as the user named it; without their count

// All frames of a run from the first one on; without parameters: as they come from the source.
struct RepeatedFrames {
  const Backend& backend;
  const std::string& source;  // as the user named it
  const AcquisitionPtr& acquisition;
  std::uint64_t frames = 0;
  const ImagingParams* params = nullptr;
  bool complete = true;  // one after another, each once, the source's first one first
};
// Sets "command", the command line that makes an output again, bit for bit on the same device, in any folder and
// without the files of the user's home; or "command_missing", the reason that none does. `output`: its option.
void set_command(nlohmann::json& json, const RepeatedFrames& run, const std::string& output);
void set_command(nlohmann::json& json, const Backend& backend, const std::string& source, const Image& image,
                 const std::string& output);
void set_no_command(nlohmann::json& json, const std::string& why);
// For other texts: either of the two; of a JSON that has them, and as set_command() sets them.
std::string command_text(const nlohmann::json& json);
std::string command_text(const Backend& backend, const std::string& source, const Image& image,
                         const std::string& output);
std::string shell_word(const std::string& word);  // as a shell reads it: in quotes when it needs them

// All of it, with the moment of writing.
nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image);

}  // namespace echoloop
