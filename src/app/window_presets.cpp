// WindowApp's presets: loading, saving, what others write in their files, and the default of a probe.
#include <fmt/format.h>

#include <utility>

#include "app/window_app.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::string quoted(const std::string& name) { return '"' + name + '"'; }

PresetProbe probe_of(const Acquisition& a) { return {a.probe.name, a.probe.kind, a.center_hz}; }

// The default that fits best: one that names the probe before one that fits its kind.
const ShelfItem* default_for(const PresetShelf& shelf, const Acquisition& acquisition) {
  const ShelfItem* best = nullptr;
  for (const ShelfItem& item : shelf.items()) {
    if (!item.preset.is_default || !belongs_to(item.preset, acquisition)) continue;
    if (best == nullptr || (best->preset.probe.name.empty() && !item.preset.probe.name.empty())) best = &item;
  }
  return best;
}

}  // namespace

void WindowApp::describe_presets() {
  Presets& view = state_.presets;
  view.list.clear();
  for (const ShelfItem& item : shelf_.items()) {
    const Preset& p = item.preset;
    const bool fits = source_ == nullptr || belongs_to(p, *source_->acquisition());
    view.list.push_back(
        {p.name, p.about, p.probe.words(), p.slot, item.owner == PresetOwner::user, fits, p.is_default});
  }
  const auto active = shelf_.find(active_preset_);
  view.active = active ? static_cast<int>(*active) : -1;
  view.probe = source_ == nullptr ? "" : probe_of(*source_->acquisition()).words();
  report_faulty_presets();
}

// Each once, and no longer when the file has been mended or removed.
void WindowApp::report_faulty_presets() {
  const auto before = std::exchange(faulty_presets_, shelf_.faulty());
  const auto cause = [](const std::filesystem::path& file) { return "preset " + file.string(); };
  for (const auto& [file, why] : faulty_presets_) {
    const auto known = before.find(file);
    if (known == before.end() || known->second != why) say(Severity::error, why, cause(file));
  }
  for (const auto& [file, why] : before) {
    if (!faulty_presets_.contains(file)) resolve(state_.messages, cause(file));
  }
}

// Of the last run: its recordings, and what can be gone on with. Nothing is opened or applied unasked.
void WindowApp::recall(const ViewSettings& settings) {
  state_.recent = settings.recent;
  offer_repair();
  describe_presets();
  std::error_code error;
  if (!options_.source_given && !state_.recent.empty() && std::filesystem::exists(state_.recent.front(), error)) {
    state_.continue_with = state_.recent.front();
  }
  for (const PresetView& p : state_.presets.list) {
    if (p.name != settings.last_preset || p.slot == 0) continue;
    say(Severity::info, fmt::format("Last preset: {} (key {}).", p.name, p.slot));
  }
}

// Every frame: what is written on disk, and whether the parameters still are the active preset's.
void WindowApp::look_at_presets() {
  if (shelf_.look(now_ns())) {
    describe_presets();
    if (shelf_.was_written(active_preset_) && state_.presets.active >= 0 && session_ != nullptr) {
      load_preset(static_cast<std::size_t>(state_.presets.active), "reloaded");
    }
  }
  const auto active = shelf_.find(active_preset_);
  state_.presets.changed = false;
  if (!active || source_ == nullptr) return;
  const ImagingParams whole = apply_preset(shelf_.items()[*active].preset, state_.params, *source_->acquisition());
  state_.presets.changed = whole != state_.params;
}

void WindowApp::load_preset(std::size_t index, const std::string& why) {
  if (index >= shelf_.items().size() || source_ == nullptr) return;
  const ShelfItem item = shelf_.items()[index];
  const ImagingParams before = state_.params;
  const ImagingParams wanted = apply_preset(item.preset, before, *source_->acquisition());
  try {
    check_params(*source_->acquisition(), wanted);
  } catch (const Error& error) {
    return hint("Preset " + quoted(item.preset.name) + " does not fit this source: " + error.what());
  }
  state_.params = wanted;
  active_preset_ = item.file;
  ++state_.presets.loads;
  apply_params();
  describe_presets();
  std::string text = "Preset " + quoted(item.preset.name) + " " + why;
  if (!item.preset.probe_values.empty() && !belongs_to(item.preset, *source_->acquisition())) {
    text += fmt::format("; band, depth and position not applied: they are for {}", item.preset.probe.words());
  }
  say(Severity::info, text);
}

void WindowApp::obey_preset(const PresetOrder& order) {
  if (source_ == nullptr) return;
  const auto index = static_cast<std::size_t>(order.index);
  if (order.act != PresetAct::save_as && index >= shelf_.items().size()) return;
  const Acquisition& acquisition = *source_->acquisition();
  const std::string name = order.act == PresetAct::save_as ? "" : shelf_.items()[index].preset.name;
  switch (order.act) {
    case PresetAct::load:
      return load_preset(index, "loaded");
    case PresetAct::save_as:
      active_preset_ = shelf_.add(make_preset(order.name, state_.params, acquisition));
      say(Severity::info, "Saved preset " + quoted(order.name) + " as " + active_preset_.string());
      break;
    case PresetAct::overwrite: {
      const Preset& old = shelf_.items()[index].preset;
      Preset now = make_preset(old.name, state_.params, acquisition);
      now.about = old.about;
      now.slot = old.slot;
      now.is_default = old.is_default;
      shelf_.write(index, now);
      say(Severity::info, "Preset " + quoted(name) + " updated with the current settings");
      break;
    }
    case PresetAct::rename: {
      Preset now = shelf_.items()[index].preset;
      now.name = order.name;
      shelf_.write(index, now);
      say(Severity::info, "Preset " + quoted(name) + " renamed to " + quoted(order.name));
      break;
    }
    case PresetAct::remove:
      shelf_.remove(index);
      active_preset_.clear();
      say(Severity::info, "Preset " + quoted(name) + " deleted");
      break;
    case PresetAct::set_default:
      shelf_.set_default(index, probe_of(acquisition));
      say(Severity::info, "Preset " + quoted(name) + " is applied automatically for this probe");
      break;
    case PresetAct::unset_default:
      shelf_.unset_default(index);
      say(Severity::info, "Preset " + quoted(name) + " is no longer applied automatically");
      break;
  }
  describe_presets();
}

// For a source that is being opened.
WindowApp::DefaultPreset WindowApp::default_preset(const ImagingParams& params, const Acquisition& acquisition) const {
  const ShelfItem* item = default_for(shelf_, acquisition);
  if (item == nullptr) return {params, {}, {}};
  const ImagingParams wanted = apply_preset(item->preset, params, acquisition);
  try {
    check_params(acquisition, wanted);
  } catch (const Error& error) {
    return {params, {}, "Default preset " + quoted(item->preset.name) + " does not fit this source: " + error.what()};
  }
  return {wanted, item->file,
          "Preset " + quoted(item->preset.name) + " applied, the default for " + item->preset.probe.words()};
}

}  // namespace echoloop
