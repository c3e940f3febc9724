#include "app/window/window_control.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/control_methods.h"
#include "app/control_params.h"
#include "app/outputs/report.h"
#include "gui/panels/cine_actions.h"
#include "gui/screen.h"
#include "gui/state/dock_list.h"
#include "history/export.h"

namespace echoloop {
namespace {

using json = nlohmann::json;

void require_now(std::string_view what, std::string_view why_not) {
  if (!why_not.empty()) throw ControlRefusal(kNotNow, std::string(what), std::string(why_not), "another state");
}

using Parts = WindowControl::Parts;

template <bool kFrozen>
json freeze(const Parts& p, const ControlCall& call) {
  require_now(kFrozen ? "freeze" : "resume", why_no_freeze(p.state));
  if ((p.state.run == RunState::frozen) != kFrozen) call.run.send(command::ToggleFreeze{});
  return json::object();
}

json show_frame(const Parts& p, std::size_t index) {
  cine_seek(p.state, p.state, p.commands, index);
  return {{"frame", p.state.cine.index}};
}

json cine_changed(const Parts& p) {
  p.commands.send(command::CineChanged{});
  return json::object();
}

json seek(const Parts& p, const ControlCall& call) {
  const KeptFrames& kept = p.state.kept;
  require_now("seek", why_no_past(p.state));
  if (!call.params.contains("time_s")) return show_frame(p, whole_of(call.params, "frame", 0, kept.frames - 1));
  const double time_s = number_of(call.params, "time_s", -kept.seconds, 0.0);
  return show_frame(p, nearest_frame(kept, kept.seconds > 0.0 ? 1.0 + time_s / kept.seconds : 1.0));
}

json step(const Parts& p, const ControlCall& call) {
  require_now("step", why_no_past(p.state));
  const auto at = static_cast<double>(p.state.cine.index);
  const double last = static_cast<double>(p.state.kept.frames) - 1.0;
  const double by = number_of(call.params, "frames", -at, last - at);
  return show_frame(p, static_cast<std::size_t>(at + std::trunc(by)));
}

json loop(const Parts& p, const ControlCall& call) {
  require_now("loop", why_no_play(p.state));
  const std::uint64_t first = whole_of(call.params, "first", 0, p.state.kept.frames - 1);
  p.state.cine.mark_out = whole_of(call.params, "last", first, p.state.kept.frames - 1);
  p.state.cine.mark_in = first;
  return cine_changed(p);
}

json speed(const Parts& p, const ControlCall& call) {
  p.state.cine.speed = number_of(call.params, "factor", 0.01, 10.0);
  return cine_changed(p);
}

json play(const Parts& p, const ControlCall& call) {
  require_now("play", why_no_play(p.state));
  p.state.cine.playing = optional_of(call.params, "on", true, "true or false");
  return cine_changed(p);
}

void cine(const Parts& p, CineAct act) {
  require_now("compare", why_no_act(p.state, p.state, act));
  cine_act(p.state, p.state, p.commands, act);
}

json compare(const Parts& p, const ControlCall& call) {
  if (optional_of(call.params, "on", true, "true or false") != p.state.cine.compare) cine(p, CineAct::compare);
  if (call.params.contains("path")) call.run.send(command::CompareWith{CompareSide::a, absolute_path(call.params)});
  return json::object();
}

json swap(const Parts& p, const ControlCall& /*call*/) {
  cine(p, CineAct::swap);
  return json::object();
}

json inspect(const Parts& p, const ControlCall& call) {
  constexpr double kFar_m = 10.0;
  const PlanePoint at{number_of(call.params, "x_m", -kFar_m, kFar_m), number_of(call.params, "z_m", -kFar_m, kFar_m)};
  if (p.viewer.settings().dock != Dock::inspector) p.viewer.screen().show_dock(p.state, Dock::inspector);
  p.state.view.inspected = at;
  return call.control.defer(call, timeout_of(call.params), "no answer of the inspector", [&state = p.state, at] {
    const auto& pixel = state.image.inspector.pixel;
    if (pixel == nullptr || pixel->asked.x_m != at.x_m || pixel->asked.z_m != at.z_m) return std::optional<json>();
    json channels = json::array();
    for (const InspectedChannel& c : pixel->channels)
      channels.push_back({{"sample", c.sample}, {"weight", c.weight}, {"re", c.value.real()}, {"im", c.value.imag()}});
    return std::optional<json>({{"x_m", pixel->at.x_m},
                                {"z_m", pixel->at.z_m},
                                {"transmit", pixel->transmit},
                                {"pixel_db", pixel->level.pixel_db},
                                {"sum_db", pixel->level.sum_db},
                                {"channels", std::move(channels)}});
  });
}

json screenshot(const Parts& p, const ControlCall& call) {
  const std::filesystem::path path = new_path(call.params, ".png");
  const RgbImage shot = p.viewer.screenshot();
  write_png(path, shot.width, shot.height, shot.rgb);
  return {{"path", path.string()}};
}

json panel(const Parts& p, const ControlCall& call) {
  const auto name = required<std::string>(call.params, "name", "inspector, m_mode or spectrogram");
  const auto row = std::ranges::find(kDocks, name, &DockRow::key_in_file);
  if (row == kDocks.end()) throw invalid_value("name", name, "inspector, m_mode or spectrogram");
  const bool open = p.viewer.settings().dock == row->dock;
  if (optional_of(call.params, "open", true, "true or false") != open) p.viewer.screen().show_dock(p.state, row->dock);
  return json::object();
}

json view(const Parts& p, const ControlCall& call) {
  const double zoom = number_of(call.params, "zoom", 1.0, kMaxZoom);
  const ImageLayout& layout = p.viewer.screen().image_layout();
  const auto place = [&](const char* key, double now_m) {
    return call.params.contains(key) ? number_of(call.params, key, -10.0, 10.0) : now_m;
  };
  p.state.view.pan_zoom = {.fitted = zoom == 1.0,
                           .centre = {place("x_m", layout.centre.x_m), place("z_m", layout.centre.z_m)},
                           .logical_px_per_m = zoom * layout.fitted_px_per_m / static_cast<double>(layout.scale)};
  return json::object();
}

struct Act {
  std::string_view method;
  json (*run)(const Parts&, const ControlCall&);
};

}  // namespace

WindowControl::WindowControl(const std::string& name, const Parts& parts)
    : Controlled(parts.state, parts.commands), parts_(parts), control_(name, *this, control_methods()) {}

bool WindowControl::look() {
  control_.look();
  return control_.quits();
}

OpenedSource WindowControl::opened() const {
  return {parts_.in_use.named, parts_.in_use.source, parts_.in_use.facts, parts_.state.source};
}

const std::vector<Doubt>* WindowControl::doubts() const {
  return parts_.in_use.doubts ? &*parts_.in_use.doubts : nullptr;
}

json WindowControl::report() const {
  const Session* const session = parts_.engine.session.get();
  require_now("report", session == nullptr ? "no stream" : "");
  const double seconds = static_cast<double>(now_ns() - session->started_ns()) * 1e-9;
  return make_report(backend(), *session, named(), parts_.state.params, trace(),
                     {.seconds = seconds, .shown = parts_.state.numbers.shown, .errors = parts_.state.numbers.errors});
}

SavedSession WindowControl::session() const {
  const SavedMoment moment = parts_.state.run == RunState::frozen ? SavedMoment::frozen : SavedMoment::live;
  return session_now(parts_.in_use, parts_.state, parts_.viewer, moment);
}

void WindowControl::observe() { parts_.viewer.screen().observe(parts_.state, parts_.state); }

void WindowControl::record(const RemoteEdit& by) { parts_.viewer.screen().record(parts_.state, parts_.state, by); }

std::string WindowControl::apply_history(HistoryAct act) {
  return parts_.viewer.screen().apply_history(parts_.state, parts_.state, act);
}

json WindowControl::act(const ControlCall& call, std::string_view method) {
  constexpr auto kActs = std::to_array<Act>({
      {"freeze", freeze<true>},
      {"resume", freeze<false>},
      {"seek", seek},
      {"step", step},
      {"loop", loop},
      {"speed", speed},
      {"play", play},
      {"compare", compare},
      {"swap", swap},
      {"inspect", inspect},
      {"panel", panel},
      {"screenshot", screenshot},
      {"view", view},
  });
  return std::ranges::find(kActs, method, &Act::method)->run(parts_, call);
}

}  // namespace echoloop
