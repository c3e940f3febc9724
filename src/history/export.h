// Numbers in files: .npy images with their JSON, text. Every file is written under a temporary name and renamed when
// complete, so that no file is ever incomplete. Throws Error on failure (full disk, missing folder).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/results/image.h"
#include "core/results/live_images.h"
#include "render/canvas.h"

namespace echoloop {

// Writes `bytes` to `path` through a temporary file in the same folder.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text(const std::filesystem::path& path, const std::string& text);

// Writes float32 dB, shape [nz][nx], and under the same name with .json grid, parameters, and `about`.
void write_image_npy(const std::filesystem::path& path, const Image& image, const nlohmann::json& about);

nlohmann::json params_json(const ImagingParams& params);  // {key: value}, SI units, names of choices
nlohmann::json grid_json(const Grid& grid);

// Returns JSON as text for a file. File names need not be UTF-8, as JSON must be: invalid bytes become U+FFFD, so that
// a name never prevents the report of a run. Pure.

// indent -1: on one line
inline std::string json_text(const nlohmann::json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

// PNG files: images as displayed, 8 bit per channel, and levels in 16 bit, from which numbers can be recovered.

using PngTexts = std::vector<std::pair<std::string, std::string>>;  // keyword (Latin, at most 79 letters), text

// `rgb`: [height][width][3], top row first. Throws Error, as the others.
void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb);
// Writes also the printed size (pHYs) and texts.
void write_png(const std::filesystem::path& path, const RgbImage& picture, double dpi, const PngTexts& texts);
std::vector<std::byte> png_bytes(const RgbImage& picture);  // the file, without these

// Writes the image's levels at the grid's own pixels, 16 bit gray: 0 is -dynamic_range_db and less, 65535 is 0 dB and
// more, linear in between; NaN is 0. With the pixels' size (pHYs; x and z apart), the range in words, and `texts`.
void write_png16(const std::filesystem::path& path, const Image& image, const PngTexts& texts);

// Result files of the analyses of a run, one row each: --help, the check of output files, the run and its report read
// these rows. Constant data. [any thread]

// State of an analysis at the end of a run.
struct AnalysisEnd {
  nlohmann::json report;  // counts and the last result
  // Writes the last result, with `about` in the JSON. Throws as write_file(). Empty: no result.
  std::function<void(const std::filesystem::path& file, const nlohmann::json& about)> write = {};
};

struct AnalysisFileRow {
  const char* option;
  const char* type_name;  // of the file, in --help
  const char* ending;     // required ending of the file's name
  const char* beside;     // ending of the second file
  const char* help;
  const char* report;  // key in the run report
  bool (*is_on)(const ImagingParams&);
  const char* off;                                                     // the parameter that disables it
  const char* on;                                                      // how to enable it
  const char* missing;                                                 // reason for a missing result, and
  const char* needs;                                                   // requirements of a result
  AnalysisEnd (*end)(LiveImages& live, const AnalysisCounts& counts);  // gets the last result from `live`
};

std::span<const AnalysisFileRow* const> analysis_files();

// Returns the last result, even if a window has received it; number 0: none.
template <class T>
const T& last_of(Mailbox<T>& made) {
  made.take();
  return made.front();
}

// Returns `counts` with the last result, which must outlive the AnalysisEnd; null: none.
template <class Result>
AnalysisEnd end_with(nlohmann::json counts, const Result* last, nlohmann::json (*describe)(const Result&),
                     void (*write)(const std::filesystem::path&, const Result&, const nlohmann::json& about)) {
  AnalysisEnd end{.report = std::move(counts)};
  if (last == nullptr) return end;
  end.report["last"] = describe(*last);
  end.write = [last, write](const std::filesystem::path& file, const nlohmann::json& about) {
    write(file, *last, about);
  };
  return end;
}

}  // namespace echoloop
