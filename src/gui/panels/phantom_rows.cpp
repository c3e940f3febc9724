#include "gui/panels/phantom_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/probe_table.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "source/phantom_list.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

constexpr double kLargestAngle_deg = 45.0;
constexpr int kMostAngles = 256;

double largest_angle_rad(const std::vector<double>& angles_rad) {
  double largest = 0.0;
  for (const double angle : angles_rad) largest = std::max(largest, std::abs(angle));
  return largest;
}

// `n` plane waves in equal steps from -largest to largest.
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
    if (probe.name == settings.probe) chosen = static_cast<int>(choices.size());
    choices.push_back({probe.name, facts[choices.size()]});
  }
  const Rect r = ui.labelled(column, "Probe", settings.probe != PhantomSettings().probe);
  const auto picked = ui.combo("phantom_probe", r, {}, choices, chosen,
                               {"Probe", "The simulated array: elements, pitch, centre frequency and depth.", {}});
  if (picked) settings.probe = probe_models()[static_cast<std::size_t>(*picked)].name;
  return picked.has_value();
}

bool angle_rows(Ui& ui, Column& column, PhantomSettings& settings) {
  const std::vector<double> normal_rad = PhantomSettings().angles_rad;
  const auto n = static_cast<int>(settings.angles_rad.size());
  const double largest_rad = largest_angle_rad(settings.angles_rad);
  const SliderLook count{.id = "phantom_angles",
                         .label = "Transmit angles",
                         .track_min = 1,
                         .track_max = 31,
                         .least = 1,
                         .most = kMostAngles,
                         .help = "Plane waves of a frame. More angles: better contrast, lower frame rate."};
  const SliderLook fan{.id = "phantom_largest_angle",
                       .label = "Largest angle",
                       .unit = "°",
                       .decimals = 1,
                       .track_min = 0,
                       .track_max = 20,
                       .least = 0,
                       .most = kLargestAngle_deg,
                       .help = "Plane waves are steered in equal steps between plus and minus this angle.",
                       .why_not = n < 2 ? "A single plane wave is not steered." : ""};
  bool changed = false;
  // A single wave keeps no angle: going back to several begins with the phantom's own.
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

}  // namespace

void phantom_choice(PanelContext& c, Column& column) {
  std::vector<Choice> choices;
  for (const PhantomRow& row : phantoms()) choices.push_back({row.title});
  const auto chosen = std::ranges::find(phantoms(), c.state.source.phantom, &PhantomRow::name);
  const int index = chosen == phantoms().end() ? -1 : static_cast<int>(chosen - phantoms().begin());
  const Rect r = c.ui.row(column, theme::kRow, 6);
  const Tip tip{"Built-in phantom", "Simulated moving scene, streamed like data of a probe.", {}};
  const auto picked = c.ui.segmented("phantom", r, choices, index, tip);
  if (picked) call(c.commands.open_phantom, std::string(phantoms()[static_cast<std::size_t>(*picked)].name));
}

void phantom_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  PhantomEdit& edit = c.view.transient.phantom;
  const std::string& opened_as = c.state.source.opened_as;
  if (c.state.source.phantom.empty() || !opened_as.starts_with(kPhantomPrefix)) {
    edit = {.open = edit.open};
    return;
  }
  if (edit.asked && !c.state.opening.progress.has_value()) edit = {.open = edit.open};
  const PhantomSettings running = parse_phantom(std::string_view(opened_as).substr(kPhantomPrefix.size()));
  const Rect r = ui.labelled(column, "Settings", phantom_text(running) != running.name);
  const std::string summary = fmt::format("{}, {} angle{}", running.probe, running.angles_rad.size(),
                                          running.angles_rad.size() == 1 ? "" : "s");
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
  call(c.commands.open_phantom, phantom_text(*edit.held));
  edit.asked = true;
}

}  // namespace echoloop
