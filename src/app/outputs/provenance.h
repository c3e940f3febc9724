// What every file that leaves the program says about where it comes from: enough to make it again.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "backend/backend.h"
#include "core/results/image.h"

namespace echoloop {

nlohmann::json program_json(const Backend& backend, const std::string& source);  // version, backend, device, source
bool is_of_program(const std::filesystem::path& file);                           // a JSON file with all of these

nlohmann::json assumptions_json(const Acquisition& acquisition);  // [{text, set: key of --set or ""}]
nlohmann::json acquisition_json(const Acquisition& acquisition);  // SI units

// The command line that makes this image again, pixel for pixel on the same device. `source`: as the user named it.
std::string reproducing_command(const std::string& source, const Image& image);
std::string shell_word(const std::string& word);  // as a shell reads it: in quotes when it needs them

// All of it, with the moment of writing.
nlohmann::json image_json(const Backend& backend, const std::string& source, const Image& image);

}  // namespace echoloop
