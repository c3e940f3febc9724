#include "gui/toolkit/view_settings.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "gui/state/dock_list.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

float width_from(const std::string& text) {
  std::istringstream in(text);
  float value = 0;
  in >> value;
  return in && std::isfinite(value) && value >= 0 && value < 10000 ? value : 0.0F;
}

float scale_from(const std::string& text) {
  const float value = width_from(text);
  return value >= kUiScales.front() && value <= kUiScales.back() ? value : 0.0F;
}

// Parses "x y width height", optionally followed by "full".
WindowPlace place_from(const std::string& text) {
  std::istringstream in(text);
  WindowPlace p;
  std::string full;
  in >> p.x >> p.y >> p.width >> p.height;
  constexpr int kMost = 100'000;
  const auto sane = [](int v) { return v > -kMost && v < kMost; };
  if (!in || !sane(p.x) || !sane(p.y) || p.width < 1 || !sane(p.width) || p.height < 1 || !sane(p.height)) return {};
  in >> full;
  p.full_screen = full == "full";
  return p;
}

bool is_one_line(const std::string& text) { return !text.empty() && text.find_first_of("\r\n") == std::string::npos; }

constexpr std::array<const char*, 5> kSaveFormats = {"png", "svg", "pdf", "image", "dicom"};
constexpr std::array<const char*, 6> kSaveSizes = {"1", "2", "3", "4", "print", "scale"};

template <class Enum, std::size_t N>
void take_word(Enum& to, const std::array<const char*, N>& words, const std::string& value) {
  for (std::size_t i = 0; i < N; ++i) {
    if (value == words[i]) to = static_cast<Enum>(i);
  }
}

void take_number(double& to, const std::string& text, const FigureRange& range) {
  std::istringstream in(text);
  double value = 0.0;
  if (in >> value && value >= range.least && value <= range.most) to = value;
}

void apply_saving(SaveChoice& saving, const std::string& key, const std::string& value) {
  if (key == "save_format") take_word(saving.format, kSaveFormats, value);
  if (key == "save_size") take_word(saving.size, kSaveSizes, value);
  if (key == "save_width_mm") take_number(saving.width_mm, value, kFigureWidth_mm);
  if (key == "save_mm_per_cm") take_number(saving.mm_per_cm, value, kFigureScale_mm_per_cm);
  if (key == "save_dpi") take_number(saving.dpi, value, kFigureDpi);
  if (key == "save_ground") saving.ground = value == "dark" ? PageGround::dark : PageGround::white;
  if (key == "save_source") saving.source = value == "beside" ? MethodSource::beside : MethodSource::left_out;
  if (key == "save_folder") saving.folder = value;
  if (key == "save_name") saving.name = value;
}

// Returns the prefixes of the keys of panels, with the states that they name.
template <class Settings>
auto panel_keys(Settings& settings) {
  return std::array{std::pair{std::string_view("panel_"), &settings.open},
                    std::pair{std::string_view("compact_panel_"), &settings.open_compact},
                    std::pair{std::string_view("view_panel_"), &settings.open_view}};
}

void apply(ViewSettings& settings, const std::string& key, const std::string& value) {
  apply_saving(settings.saving, key, value);
  if (key == "left_column") settings.widths.left = width_from(value);
  if (key == "right_column") settings.widths.right = width_from(value);
  if (key == "last_folder") settings.last_folder = value;
  for (auto* const files : {&settings.recent.recordings, &settings.recent.methods}) {
    const bool meant = key == (files == &settings.recent.methods ? "recent_method" : "recent");
    if (meant && files->size() < kMostRecent) files->emplace_back(value);
  }
  if (key == "last_preset") settings.last_preset = value;
  if (key == "window") settings.place = place_from(value);
  if (key == "mode") settings.mode = value == "view" ? WindowMode::view : WindowMode::engineer;
  if (key == "motion") settings.motion = value == "off" ? Motion::off : Motion::on;
  if (key == "try") settings.try_closed = value == "closed";
  if (key == "toured") settings.toured = value == "yes";
  if (key == "latency_plot") settings.plotted = value == "shown" ? Latency::shown : Latency::ready;
  if (key == "histogram") settings.histogram = value == "open";
  if (key == "dock_height") settings.dock_height = width_from(value);
  if (key == "dock_width") settings.widths.dock = width_from(value);
  if (key == "scale") settings.scale = scale_from(value);
  if (key == "dock" && value == dock_row(Dock::none).key_in_file) settings.dock = Dock::none;
  for (const DockRow& row : kDocks) {
    if (key == "dock" && value == row.key_in_file) settings.dock = row.dock;
  }
  if (key == "timeline_frames") {
    for (const int count : kTimelineFrames) {
      if (value == std::to_string(count)) settings.timeline_frames = count;
    }
  }
  for (const auto& [prefix, panels] : panel_keys(settings)) {
    if (!key.starts_with(prefix)) continue;
    const auto found = panels->find(std::string_view(key).substr(prefix.size()));
    if (found != panels->end()) found->second = value == "open";
  }
}

}  // namespace

namespace {

OpenPanels initially_open(bool PanelRow::*open_in) {
  OpenPanels open;
  for (const PanelRow& row : panels()) open.emplace(row.key, row.*open_in);
  return open;
}

}  // namespace

OpenPanels open_panels() { return initially_open(&PanelRow::open); }
OpenPanels open_compact_panels() { return initially_open(&PanelRow::open_compact); }
OpenPanels open_view_panels() { return initially_open(&PanelRow::open_view); }

LayoutText layout_text(const ViewSettings& settings) {
  const auto open_or_folded = [](bool open) { return open ? "open" : "folded"; };
  const auto number = [](float value) {
    std::ostringstream text;
    text << value;
    return text.str();
  };
  LayoutText layout = {{"left_column", number(settings.widths.left)},
                       {"right_column", number(settings.widths.right)},
                       {"latency_plot", settings.plotted == Latency::shown ? "shown" : "ready"},
                       {"timeline_frames", std::to_string(settings.timeline_frames)},
                       {"dock", std::string(dock_row(settings.dock).key_in_file)},
                       {"mode", settings.mode == WindowMode::view ? "view" : "engineer"},
                       {"histogram", open_or_folded(settings.histogram)},
                       {"dock_height", number(settings.dock_height)},
                       {"dock_width", number(settings.widths.dock)}};
  for (const auto& [prefix, panels] : panel_keys(settings)) {
    for (const auto& [panel, open] : *panels) layout[std::string(prefix) + panel] = open_or_folded(open);
  }
  return layout;
}

void apply_layout(ViewSettings& settings, const LayoutText& layout) {
  const LayoutText known = layout_text(settings);
  if (!layout.empty()) settings.mode = WindowMode::engineer;  // unless it names another one
  for (const auto& [key, value] : layout) {
    if (known.contains(key)) apply(settings, key, value);
  }
}

ViewSettings load_view_settings(const std::filesystem::path& file, WindowMode first) {
  ViewSettings settings;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {  // reading a pipe would wait for its writer
    settings.mode = first;
    return settings;
  }
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos) apply(settings, line.substr(0, equals), line.substr(equals + 3));
  }
  return settings;
}

bool save_view_settings(const std::filesystem::path& file, const ViewSettings& settings) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path temporary = file.string() + ".new";
  {
    std::ofstream out(temporary);
    for (const auto& [key, value] : layout_text(settings)) out << key << " = " << value << "\n";
    if (settings.scale > 0) out << "scale = " << settings.scale << "\n";
    const WindowPlace& p = settings.place;
    if (p.width > 0) {
      out << "window = " << p.x << " " << p.y << " " << p.width << " " << p.height << (p.full_screen ? " full" : "")
          << "\n";
    }
    if (settings.motion == Motion::off) out << "motion = off\n";
    if (settings.try_closed) out << "try = closed\n";
    out << "toured = " << (settings.toured ? "yes" : "no") << "\n";
    const auto line = [&out](const char* key, const std::string& text) {
      if (is_one_line(text)) out << key << " = " << text << "\n";
    };
    const SaveChoice& saving = settings.saving;
    out << "save_format = " << kSaveFormats[static_cast<std::size_t>(saving.format)] << "\n";
    out << "save_size = " << kSaveSizes[static_cast<std::size_t>(saving.size)] << "\n";
    out << "save_width_mm = " << saving.width_mm << "\nsave_mm_per_cm = " << saving.mm_per_cm << "\n";
    out << "save_dpi = " << saving.dpi << "\n";
    out << "save_ground = " << (saving.ground == PageGround::dark ? "dark" : "white") << "\n";
    if (saving.source == MethodSource::beside) line("save_source", "beside");
    line("save_folder", saving.folder);
    line("save_name", saving.name);
    line("last_folder", settings.last_folder.string());
    line("last_preset", settings.last_preset);
    for (const auto& file : settings.recent.recordings) line("recent", file.string());
    for (const auto& file : settings.recent.methods) line("recent_method", file.string());
    if (!out.flush()) error = std::make_error_code(std::errc::no_space_on_device);
  }
  if (!error) std::filesystem::rename(temporary, file, error);
  if (!error) return true;
  std::filesystem::remove(temporary, error);
  return false;
}

}  // namespace echoloop
