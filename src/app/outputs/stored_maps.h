// Maps and signals of a recording's file: lists for `info`, the map that the user chose on an image's pixels, files of
// --map-out, --difference-out and --traces-out. Main or UI thread.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "core/contents.h"
#include "core/results/image.h"
#include "gui/overlay/map_overlay.h"
#include "gui/state/map_state.h"
#include "gui/state/ui_state.h"

namespace echoloop {

// Lines for a terminal, and {maps, signals, annotations, not_used, used}; null: of a format that reports none.
std::string contents_text(const SourceContents* contents);
nlohmann::json contents_json(const SourceContents* contents);

// Takes the settings map, map_opacity, map_min, map_max, map_on and map_frame (from 1) out of KEY=VALUE settings.
// Throws Error.
void take_map_settings(std::vector<std::string>& settings, MapChoice& map);

// Returns the settings that make this choice; none without a map.
std::vector<std::string> map_settings(const MapChoice& map);

// Returns the map of that name that has a place on the image. Throws Error listing the names.
const StoredMap& chosen_map(const SourceInfo& source, const std::string& name);

// Reads a frame of a map onto a grid, with the range of its colours: that of the file, or 2 % to 98 % of the values;
// levels and pictures from their form. Throws Error. Any thread.
MapView read_map_view(const std::string& file, const StoredMap& map, std::uint64_t frame, const Grid& grid);

// Returns the grid of a map over an image in the window: Cartesian, of square pixels.
Grid map_grid(const Grid& image);

// Returns the map of an image for saved images and figures. `from`: left limit on side B, share of the width.
MapOverlayPtr map_overlay(const MapViewPtr& map, const MapChoice& choice, const Image& image, double from = 0.5);

// Returns the chosen map over an image; null: none is chosen, or it has no frame at the image's time. Throws Error.
MapViewPtr map_over_image(const SourceInfo& source, const MapChoice& choice, const Image& image);

// A map on the pixels of an image.
struct MapImage {
  StoredMap map;
  std::uint64_t frame = 0;    // of the map
  std::vector<float> values;  // [nz][nx], NaN outside; empty: the map has no frame at the image's time
};
MapImage map_on_image(const SourceInfo& source, const MapChoice& choice, const Image& image);

void write_map(const std::filesystem::path& file, const MapImage& map, const Image& image);
void write_difference(const std::filesystem::path& file, const MapImage& map, const Image& image);
void write_traces(const std::filesystem::path& file, const SourceInfo& source);  // signal,time_s,value

}  // namespace echoloop
