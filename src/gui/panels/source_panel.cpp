#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/units.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

// Phantoms in the Source panel, and the settings of the current one: probe, transmit angles and the rows of
// phantom_table(). The phantom is reopened when a slider is released. UI thread only.

constexpr double kLargestAngle_deg = 45.0;
constexpr int kMostAngles = 256;

double largest_angle_rad(const std::vector<double>& angles_rad) {
  double largest = 0.0;
  for (const double angle : angles_rad) largest = std::max(largest, std::abs(angle));
  return largest;
}

// Returns `n` plane-wave angles in equal steps from -largest to largest.
std::vector<double> angle_fan(int n, double largest_rad) {
  std::vector<double> angles_rad;
  for (int i = 0; i < n; ++i) {
    const double share = n > 1 ? 2.0 * i / (n - 1) - 1.0 : 0.0;
    angles_rad.push_back(std::round(share * largest_rad / kRadiansPerDegree * 1e6) * 1e-6 * kRadiansPerDegree);
  }
  return angles_rad;
}

bool probe_row(Ui& ui, Column& column, PhantomSettings& settings) {
  std::vector<std::string> facts;
  for (const ProbeModel& probe : probe_models()) {
    facts.push_back(
        fmt::format("{} elements, {} MHz", probe.n_elements, fixed(probe.center_hz / kHertzPerMegahertz, 2)));
  }
  std::vector<Choice> choices;
  int chosen = -1;
  for (const ProbeModel& probe : probe_models()) {
    if (probe.name == probe_of(settings).name) chosen = static_cast<int>(choices.size());
    choices.push_back({probe.name, facts[choices.size()]});
  }
  const bool changed = probe_of(settings).name != probe_of({.name = settings.name}).name;
  const Rect r = ui.labelled(column, "Probe", changed);
  const auto picked = ui.combo("phantom_probe", r, {}, choices, chosen,
                               {"Probe", "The simulated array: elements, pitch, centre frequency and depth.", {}});
  if (picked) settings.angles_rad.reset();  // each kind of probe has its own
  if (picked) settings.probe = probe_models()[static_cast<std::size_t>(*picked)].name;
  return picked.has_value();
}

bool angle_rows(Ui& ui, Column& column, PhantomSettings& settings) {
  const std::vector<double> normal_rad = angles_rad({.name = settings.name, .probe = settings.probe});
  const std::vector<double> now_rad = angles_rad(settings);
  const auto n = static_cast<int>(now_rad.size());
  const double largest_rad = largest_angle_rad(now_rad);
  const SliderLook count{
      .id = "phantom_angles",
      .label = "Transmit angles",
      .track_min = 1,
      .track_max = 31,
      .least = 1,
      .most = kMostAngles,
      .help =
          "Transmits of a frame: plane waves, or diverging waves of a phased array. More angles: better contrast, "
          "lower frame rate."};
  const SliderLook fan{.id = "phantom_largest_angle",
                       .label = "Largest angle",
                       .unit = "°",
                       .decimals = 1,
                       .track_min = 0,
                       .track_max = 45,
                       .least = 0,
                       .most = kLargestAngle_deg,
                       .help = "Waves are steered in equal steps between plus and minus this angle.",
                       .why_not = n < 2 ? "A single wave is not steered." : ""};
  bool changed = false;
  // A single wave has no largest angle: several waves start with the phantom's own.
  const double kept_rad = n > 1 ? largest_rad : largest_angle_rad(normal_rad);
  if (const auto wanted = slider(ui, column, count, n, static_cast<double>(normal_rad.size()))) {
    settings.angles_rad = angle_fan(static_cast<int>(std::lround(*wanted)), kept_rad);
    changed = true;
  }
  const double normal_deg = largest_angle_rad(normal_rad) / kRadiansPerDegree;
  if (const auto wanted = slider(ui, column, fan, largest_rad / kRadiansPerDegree, normal_deg)) {
    settings.angles_rad = angle_fan(n, *wanted * kRadiansPerDegree);
    changed = true;
  }
  return changed;
}

bool number_rows(Ui& ui, Column& column, PhantomSettings& settings) {
  const PhantomSettings normal = {.name = settings.name, .probe = settings.probe};
  bool changed = false;
  for (const PhantomSetting& row : phantom_table()) {
    if (!applies(row, settings)) continue;
    const std::string id = std::string("phantom_") + row.key;
    const SliderLook look{.id = id.c_str(),
                          .label = row.label,
                          .unit = row.unit,
                          .decimals = row.decimals,
                          .track_min = row.track_least,
                          .track_max = row.track_most,
                          .least = row.least,
                          .most = row.most,
                          .track = row.logarithmic ? Track::logarithmic : Track::linear,
                          .help = row.help};
    const auto wanted = slider(ui, column, look, row.get(settings) / row.per_unit, row.get(normal) / row.per_unit);
    if (!wanted) continue;
    row.set(settings, *wanted * row.per_unit);
    changed = true;
  }
  return changed;
}

// Draws the choice among phantoms(), as segments; in the mode View as a list with the name of any source.
void phantom_choice(PanelContext& c, Column& column) {
  std::vector<Choice> choices;
  for (const PhantomRow& row : phantoms()) choices.push_back({row.title});
  const auto chosen = std::ranges::find(phantoms(), c.model.source.phantom, &PhantomRow::name);
  const int index = chosen == phantoms().end() ? -1 : static_cast<int>(chosen - phantoms().begin());
  const Rect r = c.ui.row(column, theme::kRow, 6);
  const Tip tip{"Built-in phantom", "Simulated moving scene, streamed like data of a probe.", {}};
  const auto picked = c.view.mode == WindowMode::view
                          ? c.ui.combo("phantom", r, {c.model.source.name}, choices, index, tip)
                          : c.ui.segmented("phantom", r, choices, index, tip);
  if (picked) c.commands.send(command::OpenPhantom{std::string(phantoms()[static_cast<std::size_t>(*picked)].name)});
}

// Draws the settings of the current phantom.
void phantom_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  PhantomEdit& edit = c.view.transient.phantom;
  const std::string& opened_as = c.model.source.opened_as;
  if (c.model.source.phantom.empty() || !opened_as.starts_with(kPhantomPrefix)) {
    edit = {.open = edit.open};
    return;
  }
  if (edit.asked && !c.model.opening.progress.has_value()) edit = {.open = edit.open};
  const PhantomSettings running = parse_phantom(std::string_view(opened_as).substr(kPhantomPrefix.size()));
  const Rect r = ui.labelled(column, "Settings", phantom_text(running) != running.name);
  const std::string summary = std::string(probe_of(running).name) + ", " + counted(angles_rad(running).size(), "angle");
  if (ui.button("phantom_settings", r,
                {.label = ui.fitted(Type::body, r.width() - ui.px(12), summary), .active = edit.open},
                {"Phantom settings", "Probe, transmit angles, noise and motion of the simulated scene.", {}})) {
    edit.open = !edit.open;
  }
  if (!edit.open) return;
  PhantomSettings settings = edit.held.value_or(running);
  bool changed = probe_row(ui, column, settings);
  changed = angle_rows(ui, column, settings) || changed;
  changed = number_rows(ui, column, settings) || changed;
  if (changed) edit = {.open = true, .held = settings};
  if (!edit.held.has_value() || edit.asked || ui.holding()) return;
  c.commands.send(command::OpenPhantom{phantom_text(*edit.held)});
  edit.asked = true;
}

std::string transmit_words(const Acquisition& a) {
  if (a.data == DataKind::beamformed) return a.signal == SignalKind::iq ? "IQ" : "RF";
  const bool plane = std::all_of(a.transmits.begin(), a.transmits.end(),
                                 [](const Transmit& t) { return t.kind == TransmitKind::plane; });
  return counted(a.n_transmits(), plane ? "angle" : "transmit");
}

std::string facts(const SourceInfo& source) {
  const Acquisition& a = *source.acquisition;
  std::string text = fmt::format(
      "{} at {} MHz, {} at {} MHz, {}, {}.",
      counted(a.n_elements(), a.data == DataKind::beamformed ? "beamformed column" : "element"),
      fixed(a.center_hz / kHertzPerMegahertz, 2), counted_grouped(static_cast<std::uint64_t>(a.n_samples), "sample"),
      fixed(a.sampling_hz / kHertzPerMegahertz, 2), a.signal == SignalKind::iq ? "IQ" : "RF", transmit_words(a));
  text += " Probe: " + (a.probe.name.empty() ? "unnamed" : a.probe.name) + ".";
  if (!source.format.empty()) text += " Format: " + source.format + ".";
  if (source.frame_count > 0) text += " Frames: " + grouped(source.frame_count) + ".";
  if (source.scanner_times) {
    text += fmt::format(" Recorded from a scanner: {} lost at the sender, {} missing.",
                        counted_grouped(source.recorded_lost, "frame"), grouped(source.recorded_missing));
  }
  for (const Assumption& assumption : a.assumptions) text += " " + capitalized(assumption.text) + ".";
  return text;
}

void info_line(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const SourceInfo& source = c.model.source;
  if (source.acquisition == nullptr && c.model.scanner.has_value()) return;
  const Rect r = ui.row(column, 20, 4);
  if (source.acquisition == nullptr) {
    ui.text(Type::small, r, theme::kMuted, "No source");
    return;
  }
  const Acquisition& a = *source.acquisition;
  const auto words = [&](const std::string& elements) {
    return fmt::format("{} · {} MHz · {}", elements, fixed(a.center_hz / kHertzPerMegahertz, 2), transmit_words(a));
  };
  std::string frames;
  if (source.frame_count > 0) frames = " · " + counted_grouped(source.frame_count, "frame");
  const bool assumed = !a.assumptions.empty() && source.phantom.empty();
  const float room = r.width() - (assumed ? ui.px(14) : 0);  // minus the dot for assumptions
  const bool formed = a.data == DataKind::beamformed;
  const std::string elements = counted(a.n_elements(), formed ? "column" : "element");
  std::string line = words(formed ? elements + ", beamformed" : elements) + frames;
  if (ui.width(Type::small, line) > room)
    line = words(formed ? elements : fmt::format("{} el.", a.n_elements())) + frames;
  if (ui.width(Type::small, line) > room) line.resize(line.size() - frames.size());
  const float end = ui.text_fitted(Type::small, r.x0, r.x0 + room, r.y0, r.height(), theme::kText2, line);
  if (assumed) ui.disc(end + ui.px(8), r.cy(), 3, theme::kWarn);
  ui.hit("source_facts", r, {source.name, facts(source), {}});
}

void open_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, 6);
  const float half = std::round(0.5F * (r.width() - ui.px(8)));
  const Rect left{r.x0, r.y0, r.x0 + half, r.y1};
  const Rect right{r.x1 - half, r.y0, r.x1, r.y1};
  if (ui.button("open", left, {.label = "Open…", .shortcut = "Ctrl+O"},
                {"Open a recording", "Opens a file of channel data. Files can also be dropped on the window.",
                 why_no_files(c.model)})) {
    c.open_dialog = true;
  }
  const std::vector<RecentName> names = recent_names(c.model.opening.recent);
  std::vector<Choice> choices;
  for (const RecentName& recent : names) choices.push_back({recent.name, recent.folder});
  const std::string scanner(kScannerAddress);
  choices.push_back({"Wait for a scanner", scanner});
  const auto picked =
      ui.combo("recent", right, {"Recent"}, choices, -1,
               {"Recent", "Recently opened recordings; a scanner (waits for its sender).", why_no_files(c.model)});
  if (!picked) return;
  if (static_cast<std::size_t>(*picked) == names.size()) {
    c.commands.send(command::OpenScanner{scanner});
  } else {
    const std::filesystem::path chosen = c.model.opening.recent[static_cast<std::size_t>(*picked)];
    c.commands.send(command::OpenFile{chosen});
  }
}

// Draws a button for the facts that the samples contradict; it opens their card.
void doubts_row(PanelContext& c, Column& column) {
  const DoubtsView& doubts = c.model.opening.doubts;
  Ui& ui = c.ui;
  if (!doubts.cards.empty()) {
    const Rect r = ui.row(column, theme::kRow, 6);
    std::string help;
    for (const DoubtCard& card : doubts.cards) help += card.text + " ";
    if (ui.button("doubts", r, {.label = counted(doubts.cards.size(), "doubt") + " about the facts…"},
                  {"Facts that the samples contradict", help, {}}))
      c.commands.send(command::Doubts{DoubtAct::show});
    ui.disc(r.x0 + ui.px(14), r.cy(), 4, theme::kWarn);
  }
  if (doubts.n_dismissed == 0) return;
  ui.text(Type::small, ui.row(column, 20, 2), theme::kMuted, counted(doubts.n_dismissed, "doubt") + " dismissed");
}

// Draws a button that opens `file`, labelled with its action; no button without a file, no automatic opening.
void file_row(PanelContext& c, Column& column, const char* id, const std::string& verb,
              const std::filesystem::path& file, const std::string& help) {
  if (file.empty()) return;
  Ui& ui = c.ui;
  const Rect r = ui.row(column, theme::kRow, 6);
  const std::string title = verb + " " + file.filename().string();
  const std::string label = ui.fitted(Type::body, r.width() - ui.px(20), title);
  if (ui.button(id, r, {.label = label}, {title, help, why_no_files(c.model)})) {
    c.commands.send(command::OpenFile{std::filesystem::path(file)});
  }
}

void rate_slider(PanelContext& c, Column& column) {
  StreamSettings& stream = c.edits.stream;
  const double own = c.model.source.rate_hz > 0.0 ? c.model.source.rate_hz : 1.0;
  const double top_hz = std::max(2000.0, 2.0 * own);  // the right end is "max"
  const double now = stream.rate_hz > 0.0 ? std::min(stream.rate_hz, top_hz) : own;
  const SliderLook look{.id = "frame_rate",
                        .label = "Frame rate",
                        .unit = now >= top_hz ? "" : "Hz",
                        .decimals = now < 99.95 ? 1 : 0,
                        .track_min = 1.0,
                        .track_max = top_hz,
                        .least = 0.1,
                        .most = top_hz,
                        .track = Track::logarithmic,
                        .help = "Frame rate of the source. Right end: as fast as processing allows.",
                        .why_not = c.model.source.acquisition == nullptr ? kNoAcquisition : std::string_view(),
                        .text_at_most = "max",
                        .unknown = c.model.source.acquisition == nullptr};
  const auto wanted = slider(c.ui, column, look, now, own);
  if (!wanted) return;
  stream.rate_hz = *wanted >= top_hz ? kRateMax : *wanted == own ? 0.0 : *wanted;
  c.commands.send(command::StreamChanged{});
}

// Draws facts that the file lacks and the user may enter. Applied on mouse release: the recording is restarted.
void fact_sliders(PanelContext& c, Column& column) {
  if (c.model.source.acquisition == nullptr) return;
  const Acquisition& a = *c.model.source.acquisition;
  for (const FactRow* const row : given_facts()) {
    const FactRow::Given& spec = row->given;
    const bool assumed = std::any_of(a.assumptions.begin(), a.assumptions.end(),
                                     [&](const Assumption& assumption) { return assumption.fact == row->name; });
    if (!assumed) continue;
    const auto edited = c.edits.facts.given.find(row->name);
    const double now = edited == c.edits.facts.given.end() ? fact_of(a, *row) : edited->second.number;
    const SliderLook look{.id = row->name,
                          .label = spec.label,
                          .unit = row->unit.symbol,
                          .decimals = 2,
                          .track_min = spec.track_least / row->unit.si,
                          .track_max = spec.track_most / row->unit.si,
                          .least = spec.least / row->unit.si,
                          .most = spec.most / row->unit.si,
                          .track = spec.logarithmic ? Track::logarithmic : Track::linear,
                          .help = spec.help,
                          .text_at_least = now == 0.0 && spec.logarithmic ? "unknown" : ""};
    const double shown = now / row->unit.si;
    const auto reader = c.model.assumed.find(row->name);  // reset value of the slider
    const bool known = reader != c.model.assumed.end();
    const double normal = known ? reader->second.number / row->unit.si : shown;
    const auto wanted = slider(c.ui, column, look, shown, normal);
    if (!wanted || (*wanted == normal && edited == c.edits.facts.given.end())) continue;
    if (known && *wanted == normal) {
      c.edits.facts.given.erase(edited);
    } else {
      c.edits.facts.given[row->name] = *wanted * row->unit.si;
    }
    c.edits.facts.edited = true;
  }
  if (c.edits.facts.edited && !c.ui.holding()) {
    c.edits.facts.edited = false;
    c.commands.send(command::FactsChanged{});
  }
}

}  // namespace

std::vector<RecentName> recent_names(std::span<const std::filesystem::path> recent) {
  std::vector<RecentName> names;
  for (const auto& path : recent) {
    const auto same = [&path](const std::filesystem::path& other) { return other.filename() == path.filename(); };
    const bool alone = std::ranges::count_if(recent, same) == 1;
    names.push_back({path.filename().string(), alone ? "" : path.parent_path().filename().string()});
  }
  return names;
}

void source_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  ui.header("panel_source", column, "Source", open ? "" : c.model.source.name, open);
  if (!open) return;
  column.y += ui.px(4);
  const bool view = c.view.mode == WindowMode::view;
  phantom_choice(c, column);
  if (!view) phantom_rows(c, column);
  open_row(c, column);
  scanner_rows(c, column);
  const auto& opening = c.model.opening;
  file_row(c, column, "continue", "Continue with", opening.continue_with,
           "Last recording: " + opening.continue_with.string());
  file_row(c, column, "repair", "Repair", opening.unfinished,
           "Unfinished recording: " + opening.unfinished.string() + ". Completes the file and opens it.");
  if (!view) info_line(c, column);
  track_rows(c, column);
  doubts_row(c, column);
  fact_sliders(c, column);
  if (!view) property_rows(c, column);
  map_rows(c, column);
  if (view) return;
  if (!c.model.source.live) rate_slider(c, column);  // a scanner sets its own rate
  Rect r = ui.row(column, theme::kRow, 2);
  StreamSettings& stream = c.edits.stream;
  const bool live = c.model.source.live;
  const std::string_view pause = live ? "Ask sender to pause" : "Pause source";
  const float words = ui.px(40) + ui.width(Type::body, pause);  // with its box, and a gap after them
  const float middle = r.x0 + std::round(std::max(0.52F * r.width(), words));
  if (ui.check_box("pause", {r.x0, r.y0, middle, r.y1}, pause, stream.paused,
                   {pause,
                    live ? "The sender learns that the stream is paused. Frames that it still sends fill its blocks."
                         : "Pauses the source; the image stays on screen.",
                    {}})) {
    stream.paused = !stream.paused;
    c.commands.send(command::StreamChanged{});
  }
  if (live) return;
  const std::string_view why = c.model.source.frame_count == 0 ? "Only for recordings; phantoms are unlimited."
                               : is_still(c.model)             ? kOneFrame
                                                               : "";
  if (ui.check_box("loop", {middle, r.y0, r.x1, r.y1}, "Loop", stream.loop && why.empty(),
                   {"Loop", "Repeats the recording after the last frame.", why})) {
    stream.loop = !stream.loop;
    c.commands.send(command::StreamChanged{});
  }
}

}  // namespace echoloop
