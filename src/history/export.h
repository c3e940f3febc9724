// Numbers on disk: .npy images with their JSON, text. Every file is written under a temporary name
// and renamed when complete, so that nothing is ever half written. Errors (full disk, no such folder) are one Error
// each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/results/flow_image.h"
#include "core/results/image.h"
#include "core/results/spectrogram.h"
#include "core/results/structure_image.h"

namespace echoloop {

// Writes `bytes` to `path` by way of a temporary file beside it.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, const std::string& text);

// float32 dB, shape [nz][nx], and beside it the same name with .json: grid, parameters, and what `about` holds.
void write_image_npy(const std::filesystem::path& path, const Image& image, const nlohmann::json& about);

// float32, shape [2][nz][nx]: power in dB, velocity in m/s; of a low-rank picture [3], the picture in dB last. The JSON
// beside it: as write_image_npy(), with what made the flow picture and a summary of where it shows flow.
void write_flow_npy(const std::filesystem::path& path, const FlowImage& flow, const nlohmann::json& about);
nlohmann::json flow_json(const FlowImage& flow);  // prf, aliasing limit, components, times, summary

// JSON: background, threshold, histogram and the table of objects, lengths in mm; beside it the same name with .npy:
// labels, int32, shape [nz][nx].
void write_structure_files(const std::filesystem::path& path, const StructureImage& structure,
                           const nlohmann::json& about);
nlohmann::json structure_json(const StructureImage& structure);  // backgrounds, threshold, number of objects, times
// float32 dB, shape [column][velocity bin], oldest column first; gaps are not numbers. The JSON beside it: axes,
// envelope and mean (null where there are none), gate, and what `about` holds.
void write_spectrogram_npy(const std::filesystem::path& path, const Spectrogram& spectrogram,
                           const nlohmann::json& about);
nlohmann::json spectrogram_json(
    const Spectrogram& spectrogram);  // gate, window, PRF, aliasing limit, the curves' extremes

nlohmann::json params_json(const ImagingParams& params);  // {key: value}, SI units, names for choices
nlohmann::json grid_json(const Grid& grid);

}  // namespace echoloop
