#include "app/window/window_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/options/folders.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::string quoted(const std::string& name) { return '"' + name + '"'; }

PresetProbe probe_of(const Acquisition& a) { return {a.probe.name, a.probe.kind, a.center_hz}; }

// Returns the best default: one for the probe's name before one for its kind, and last the built-in one named `own`.
const PresetItem* best_default(const PresetStore& store, const Acquisition& acquisition, std::string_view own) {
  const auto named = std::ranges::find_if(store.items(), [&](const PresetItem& item) {
    return item.owner == PresetOwner::program && item.preset.name == own;
  });
  const PresetItem* const last = named == store.items().end() ? nullptr : &*named;
  const PresetItem* best = nullptr;
  for (const PresetItem& item : store.items()) {
    if (!item.preset.is_default || !belongs_to(item.preset, acquisition)) continue;
    if (best == nullptr || (best->preset.probe.name.empty() && !item.preset.probe.name.empty())) best = &item;
  }
  return best != nullptr ? best : last;
}

}  // namespace

WindowPresets::WindowPresets(WindowState& state, SourceInUse& in_use, Engine& engine,
                             std::function<void()> params_changed)
    : state_(state),
      in_use_(in_use),
      engine_(engine),
      params_changed_(std::move(params_changed)),
      store_(share_folder() / "assets" / "presets", own_presets_folder()) {}

void WindowPresets::set_active(const std::filesystem::path& file) {
  active_ = file;
  describe();
}

void WindowPresets::describe() {
  Presets& view = state_.presets;
  view.list =
      preset_views(store_, state_.params, in_use_.source != nullptr ? in_use_.source->acquisition().get() : nullptr);
  const auto active = store_.find(active_);
  view.active = active ? static_cast<int>(*active) : -1;
  view.probe = in_use_.source == nullptr ? "" : probe_of(*in_use_.source->acquisition()).words();
  report_faulty();
}

// Reports each once, and resolves it when the file is repaired or removed.
void WindowPresets::report_faulty() {
  const auto before = std::exchange(faulty_, store_.faulty());
  const auto cause = [](const std::filesystem::path& file) { return "preset " + file.string(); };
  for (const auto& [file, why] : faulty_) {
    const auto known = before.find(file);
    if (known == before.end() || known->second != why) state_.say(Severity::error, why, cause(file));
  }
  for (const auto& [file, why] : before) {
    if (!faulty_.contains(file)) state_.notices.messages.resolve(cause(file));
  }
}

void WindowPresets::say_last(const std::string& name) const {
  for (const PresetView& p : state_.presets.list) {
    if (p.name == name && p.slot != 0) {
      state_.say(Severity::info, fmt::format("Last preset: {} (key {}).", p.name, p.slot));
    }
  }
}

void WindowPresets::look() {
  if (store_.look(now_ns())) {
    describe();
    if (store_.was_written(active_) && state_.presets.active >= 0 && engine_.session != nullptr) {
      load(static_cast<std::size_t>(state_.presets.active), "reloaded");
    }
  }
  const auto active = store_.find(active_);
  state_.presets.changed = false;
  if (!active || in_use_.source == nullptr) return;
  const ImagingParams whole =
      apply_preset(store_.items()[*active].preset, state_.params, *in_use_.source->acquisition());
  state_.presets.changed = whole != state_.params;
}

void WindowPresets::load(std::size_t index, const std::string& why) {
  if (index >= store_.items().size() || in_use_.source == nullptr) return;
  const PresetItem item = store_.items()[index];
  const ImagingParams before = state_.params;
  const ImagingParams wanted = apply_preset(item.preset, before, *in_use_.source->acquisition());
  try {
    check_params(*in_use_.source->acquisition(), wanted);
  } catch (const Error& error) {
    return state_.hint("Preset " + quoted(item.preset.name) + " does not fit this source: " + error.what());
  }
  state_.params = wanted;
  active_ = item.file;
  ++state_.presets.loads;
  params_changed_();
  describe();
  std::string text = "Preset " + quoted(item.preset.name) + " " + why;
  if (!item.preset.probe_values.empty() && !belongs_to(item.preset, *in_use_.source->acquisition())) {
    text += fmt::format("; band, depth and position not applied: they are for {}", item.preset.probe.words());
  }
  const std::string no_effect = why_no_effect(item.preset, wanted, *in_use_.source->acquisition());
  if (!no_effect.empty()) text += "; " + no_effect;
  state_.say(Severity::info, text);
}

void WindowPresets::execute(const PresetOrder& order) {
  if (in_use_.source == nullptr) return;
  const auto index = static_cast<std::size_t>(order.index);
  if (order.act == PresetCommand::activate) {
    return set_active(index < store_.items().size() ? store_.items()[index].file : std::filesystem::path());
  }
  if (order.act != PresetCommand::save_as && index >= store_.items().size()) return;
  const Acquisition& acquisition = *in_use_.source->acquisition();
  const std::string name = order.act == PresetCommand::save_as ? "" : store_.items()[index].preset.name;
  switch (order.act) {
    case PresetCommand::load:
      return load(index, "loaded");
    case PresetCommand::activate:
      return;  // done above: the name may be empty
    case PresetCommand::save_as:
      active_ = store_.add(make_preset(order.name, state_.params, acquisition));
      state_.say(Severity::info, "Saved preset " + quoted(order.name) + " as " + active_.string());
      break;
    case PresetCommand::overwrite: {
      const Preset& old = store_.items()[index].preset;
      Preset now = make_preset(old.name, state_.params, acquisition);
      now.about = old.about;
      now.slot = old.slot;
      now.is_default = old.is_default;
      store_.write(index, now);
      state_.say(Severity::info, "Preset " + quoted(name) + " updated with the current settings");
      break;
    }
    case PresetCommand::rename: {
      Preset now = store_.items()[index].preset;
      now.name = order.name;
      store_.write(index, now);
      state_.say(Severity::info, "Preset " + quoted(name) + " renamed to " + quoted(order.name));
      break;
    }
    case PresetCommand::remove:
      store_.remove(index);
      active_.clear();
      state_.say(Severity::info, "Preset " + quoted(name) + " deleted");
      break;
    case PresetCommand::set_default:
      store_.set_default(index, probe_of(acquisition));
      state_.say(Severity::info, "Preset " + quoted(name) + " is applied automatically for this probe");
      break;
    case PresetCommand::unset_default:
      store_.unset_default(index);
      state_.say(Severity::info, "Preset " + quoted(name) + " is no longer applied automatically");
      break;
  }
  describe();
}

// Returns the default for a source being opened.
WindowPresets::Default WindowPresets::default_for(const ImagingParams& params, const Acquisition& acquisition,
                                                  std::string_view own) const {
  const PresetItem* item = best_default(store_, acquisition, own);
  if (item == nullptr) return {params, {}, {}};
  const ImagingParams wanted = apply_preset(item->preset, params, acquisition);
  try {
    check_params(acquisition, wanted);
  } catch (const Error& error) {
    return {params, {}, "Default preset " + quoted(item->preset.name) + " does not fit this source: " + error.what()};
  }
  return {wanted, item->file,
          "Preset " + quoted(item->preset.name) +
              (item->preset.is_default ? " applied, the default for " + item->preset.probe.words()
                                       : " applied, the default of this phantom")};
}

}  // namespace echoloop
