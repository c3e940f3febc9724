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

FrameNumbers numbers_of(const std::string& source);  // as the user named it; without their count

// The command line that makes an output again, bit for bit on the same device, in any folder and without the files of
// the user's home; or the reason that none does. `source`: as the user named it.
struct Repeat {
  std::string command;  // without the option of its output; empty: `why_not`
  std::string why_not = {};
  // For texts: the command, or the reason as "no command: ...".
  [[nodiscard]] std::string text() const { return command.empty() ? "no command: " + why_not : command; }
};
Repeat repeat_image(const std::string& source, const Image& image);
// All frames of a run from the first one on; without parameters: as they come from the source.
struct RepeatedFrames {
  const std::string& source;
  const AcquisitionPtr& acquisition;
  std::uint64_t frames = 0;
  const ImagingParams* params = nullptr;
  bool complete = true;  // one after another, each once, the source's first one first
};
Repeat repeat_frames(const RepeatedFrames& run);
// As "command", with the option of its output, or else "command_missing".
void add_command(nlohmann::json& json, const Repeat& repeat, const Backend& backend, const std::string& output);
std::string shell_word(const std::string& word);  // as a shell reads it: in quotes when it needs them

// All of it, with the moment of writing.
nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image);

}  // namespace echoloop
