#include "architecture/layering.h"

#include <algorithm>
#include <regex>

namespace echoloop::architecture {
namespace {

constexpr int kMaxLines = 515;  // most files are under 300

struct Layer {
  std::string_view folder;             // of src/; "" holds main.cpp
  std::vector<std::string_view> sees;  // allowed folders ("gui/": with all inside), or single headers, and its own
};

// A file belongs to the longest matching folder.
const std::vector<Layer> kLayers = {
    {"core", {}},
    {"dsp", {"core"}},
    {"backend", {"core", "dsp"}},
    {"backend/cpu", {"core", "dsp", "backend"}},
    {"backend/cuda", {"core", "dsp", "backend"}},
    {"measure", {"core"}},
    {"senders", {}},
    {"transport", {"core"}},
    {"formats/base", {"core", "transport/file_descriptor.h"}},
    {"formats/containers", {"core/error.h", "core/units.h", "formats/base/mapping.h"}},
    {"formats/readers", {"core", "formats/base", "formats/containers"}},
    {"formats/sandbox", {"core", "transport", "formats/base"}},
    {"formats/import", {"core", "formats/base", "formats/containers", "formats/readers"}},
    {"formats",
     {"core", "transport", "formats/base", "formats/containers", "formats/readers", "formats/import",
      "formats/sandbox"}},
    {"source", {"core", "formats/base/recording.h"}},
    {"source/live", {"core", "transport", "formats/live_description.h", "source"}},
    {"render", {"core"}},
    {"history", {"core", "render", "formats/base/acquisition_json.h", "transport/file_descriptor.h"}},
    // The window, from values to its content; state, overlay and figure are also built without a window.
    {"gui/state", {"core", "measure", "source/phantom_settings.h"}},
    {"gui/overlay", {"core", "measure", "render", "gui/state"}},
    {"gui/figure", {"core", "render", "history", "gui/state", "gui/overlay"}},
    {"gui/gl", {"core", "measure", "gui/state", "gui/overlay"}},
    {"gui/toolkit", {"core", "render", "gui/state", "gui/overlay", "gui/gl"}},
    {"gui/view", {"core", "render", "gui/state", "gui/overlay", "gui/gl", "gui/toolkit"}},
    {"gui/assistant", {"core", "render", "gui/state", "gui/overlay", "gui/gl", "gui/toolkit", "gui/view"}},
    {"gui/panels",
     {"core", "measure", "source/phantom_text.h", "gui/state", "gui/overlay", "gui/gl", "gui/toolkit", "gui/view"}},
    {"gui/docks",
     {"core", "source/phantom_text.h", "formats/base/format_table.h", "gui/state", "gui/overlay", "gui/figure",
      "gui/gl", "gui/toolkit", "gui/view", "gui/panels"}},
    {"gui/workspace",
     {"core", "gui/state", "gui/overlay", "gui/gl", "gui/toolkit", "gui/view", "gui/panels", "gui/docks"}},
    {"gui/cine", {"core", "gui/state", "gui/toolkit", "gui/view", "gui/panels", "gui/docks", "gui/workspace"}},
    {"gui", {"core", "measure", "render", "history", "source/phantom_text.h", "gui/"}},
    {"python", {"core", "backend", "formats", "formats/sandbox/reader_child.h"}},
    {"app/options",
     {"core", "gui/state", "gui/toolkit", "formats/open_recording.h", "history/film.h", "history/file_sinks.h"}},
    {"app/opening", {"core", "backend", "formats", "source/", "gui/state"}},
    {"app/doubts", {"core", "formats/base/echo_spectrum.h", "formats/base/library_recording.h"}},
    {"app/stream", {"core", "backend/", "history", "source", "app/options"}},
    {"app/outputs",
     {"core", "dsp", "backend/", "formats", "formats/base/echo_spectrum.h", "formats/sandbox/reader_child.h", "source/",
      "transport", "measure", "render", "history", "gui/", "app/options", "app/opening", "app/stream", "app/doubts"}},
    {"app/review",
     {"core", "dsp", "backend", "source", "measure", "history", "gui/state", "gui/overlay", "app/options",
      "app/opening", "app/stream", "app/outputs"}},
    {"app",
     {"core", "dsp", "backend/", "transport", "formats", "formats/base/format_table.h", "senders", "source/", "measure",
      "render", "history", "gui/", "app/options", "app/opening", "app/stream", "app/outputs"}},
    {"app/window",
     {"core", "dsp", "backend/", "formats", "formats/base/echo_spectrum.h", "formats/base/mapping.h", "source/",
      "measure", "render", "history", "gui/", "app", "app/options", "app/opening", "app/stream", "app/outputs",
      "app/review"}},
    {"",
     {"core", "app/", "formats/open_recording.h", "formats/base/format_table.h", "formats/sandbox/reader_main.h",
      "formats/sandbox/reader_child.h"}},
};

struct Library {
  std::string_view name;
  std::regex headers;
  std::vector<std::string_view> seen_by;          // prefixes of paths
  std::vector<std::string_view> but_not_by = {};  // exceptions to these
};

const std::vector<Library> kLibraries = {
    {"CUDA",
     std::regex("(cuda|cufft|cusolver|cublas|curand|cooperative_groups|device_launch|nvtx|cub/|thrust/).*"),
     {"backend/cuda/", "gui/gl/texture_cuda."}},
    {"Dear ImGui, GLFW, glad, OpenGL or EGL",
     std::regex("(imgui|imstb|GLFW/|glad/|GL/|EGL/|KHR/).*"),
     {"gui/"},
     {"gui/state/", "gui/overlay/", "gui/figure/"}},
    {"matio or HDF5",
     std::regex("(matio|hdf5|H5).*"),
     {"formats/containers/mat", "formats/containers/hdf5", "formats/readers/hdf5", "history/hdf5_"}},
    {"Eigen", std::regex("Eigen/.*"), {"backend/cpu/"}},
    {"libpng", std::regex("(png\\.h).*"), {"history/"}},
    {"DCMTK", std::regex("dcmtk/.*"), {"dicom_module."}},
    {"cairo or FreeType", std::regex("(cairo|ft2build|freetype).*"), {"history/page_canvas."}},
};

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return text.starts_with(prefix); });
}

bool is_inside(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

const Layer* layer_of(std::string_view path) {
  const Layer* found = nullptr;
  for (const Layer& layer : kLayers) {
    const bool fits = layer.folder.empty() ? path.find('/') == path.npos : is_inside(path, layer.folder);
    if (fits && (!found || layer.folder.size() > found->folder.size())) found = &layer;
  }
  return found;
}

bool sees(const Layer& from, std::string_view header) {
  const Layer* to = layer_of(header);
  return to == &from || std::any_of(from.sees.begin(), from.sees.end(), [&](std::string_view seen) {
           return seen == header || (to && seen == to->folder) || (seen.ends_with('/') && header.starts_with(seen));
         });
}

// Returns true for our headers, named by their path from src/; names without a folder are local or generated.
bool is_ours(std::string_view header) { return header.find('/') != header.npos && layer_of(header) != nullptr; }

std::string judge(std::string_view path, const Layer& layer, std::string_view header, bool in_quotes) {
  for (const Library& library : kLibraries) {
    if (!is_ours(header) && std::regex_match(std::string(header), library.headers) &&
        (!starts_with_any(path, library.seen_by) || starts_with_any(path, library.but_not_by))) {
      return std::string(library.name) + " headers are only for " + std::string(library.seen_by.front());
    }
  }
  if (header.find("..") != header.npos) return "headers are named from src/, without '..'";
  if (is_ours(header)) {
    return sees(layer, header) ? "" : std::string(layer.folder.empty() ? "main" : layer.folder) + " does not see it";
  }
  const bool of_c = header == "math.h" || header == "stddef.h";  // for code of every device, core/hd.h
  if (layer.folder == "core" && !in_quotes && !of_c && header.find_first_of("./") != header.npos) {
    return "core uses the standard library only";
  }
  return "";
}

}  // namespace

std::vector<std::string> violations(std::string_view path, std::string_view text) {
  static const std::regex include_line(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::vector<std::string> found;
  const Layer* layer = layer_of(path);
  if (!layer) return {std::string(path) + ": lies in no folder of the design"};

  int n_lines = 0;
  while (!text.empty()) {
    ++n_lines;
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::smatch parts;
    if (!std::regex_match(line, parts, include_line)) continue;
    const std::string reason = judge(path, *layer, parts[2].str(), parts[1] == "\"");
    if (!reason.empty()) {
      found.push_back(std::string(path) + ":" + std::to_string(n_lines) + ": " + parts[2].str() + ": " + reason);
    }
  }
  if (n_lines > kMaxLines && !path.starts_with("senders/")) {  // files copied by users are single
    found.push_back(std::string(path) + ": " + std::to_string(n_lines) + " lines; at most " +
                    std::to_string(kMaxLines));
  }
  return found;
}

}  // namespace echoloop::architecture
