// A figure on disk, as PNG, SVG or PDF by the ending of its name. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gui/figure/figure.h"

namespace echoloop {

enum class FigureFormat { png, svg, pdf };

// Throws Error for another ending, and for PDF where this program cannot write it.
FigureFormat figure_format(const std::filesystem::path& path);

// Throws Error where the figure would be too large for the file.
void require_figure_size(const std::filesystem::path& path, const Figure& figure);

struct FigureAbout {
  std::string title;
  std::string command = {};                                // that makes the image again
  std::vector<std::pair<std::string, std::string>> texts;  // kept in a PNG: keyword, text
};
// Throws Error.
void write_figure(const std::filesystem::path& path, const Figure& figure, const FigureAbout& about);

}  // namespace echoloop
