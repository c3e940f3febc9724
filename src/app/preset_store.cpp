#include "app/preset_store.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/plain_text.h"
#include "history/part_file.h"

namespace echoloop {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLook_ns = 200'000'000;
constexpr std::size_t kMostFiles = 500;  // of a folder that holds many other files

std::string file_name_for(const std::string& name) {
  std::string stem;
  for (const char c : lower_case(name)) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 && u < 0x80) {
      stem += c;
    } else if (!stem.empty() && stem.back() != '_') {
      stem += '_';
    }
  }
  while (!stem.empty() && stem.back() == '_') stem.pop_back();
  return stem.empty() ? "preset" : stem;
}

void write_file(const fs::path& file, const Preset& preset) {
  PartFile part(file);
  const std::string text = preset_toml(preset);
  part.write(std::as_bytes(std::span(text)));
  part.commit();
}

}  // namespace

PresetStore::PresetStore(fs::path shipped, fs::path own) : shipped_(std::move(shipped)), own_(std::move(own)) {
  read(stamps());
}

PresetStore::Stamps PresetStore::stamps() const {
  Stamps found;
  for (const fs::path& folder : {shipped_, own_}) {
    if (folder.empty()) continue;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() != ".toml" || found.size() >= kMostFiles) continue;
      std::error_code ignored;
      const auto time = fs::last_write_time(it->path(), ignored).time_since_epoch().count();
      found[it->path()] = {static_cast<std::int64_t>(time), fs::file_size(it->path(), ignored)};
    }
  }
  return found;
}

// A preset that becomes unreadable keeps its last content, with a message; an unreadable new file is skipped.
void PresetStore::read(Stamps seen) {
  std::vector<PresetItem> items;
  std::map<fs::path, std::string> faulty;
  written_.clear();
  for (const auto& [file, stamp] : seen) {
    const auto before = read_.find(file);
    const auto known = find(file);
    const bool same = before != read_.end() && before->second == stamp;
    if (!same && before != read_.end()) written_.push_back(file);
    if (same) {
      if (known) items.push_back(items_[*known]);
      if (const auto fault = faulty_.find(file); fault != faulty_.end()) faulty.insert(*fault);
      continue;
    }
    try {
      items.push_back(
          {read_preset(file), file, file.parent_path() == shipped_ ? PresetOwner::program : PresetOwner::user});
    } catch (const Error& error) {
      faulty[file] = error.what();
      std::erase(written_, file);
      if (known) items.push_back(items_[*known]);
    }
  }
  items_ = std::move(items);
  faulty_ = std::move(faulty);
  read_ = seen_ = std::move(seen);
  give_slots();
}

void PresetStore::give_slots() {
  const auto rank = [](const PresetItem& item) {
    return std::tuple(item.owner == PresetOwner::program, item.preset.slot == 0 ? 10 : item.preset.slot,
                      lower_case(item.preset.name));
  };
  std::sort(items_.begin(), items_.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::array<bool, 10> taken{};
  const auto take = [&](int slot) { return slot > 0 && !std::exchange(taken[static_cast<std::size_t>(slot)], true); };
  std::vector<PresetItem*> without;
  for (PresetItem& item : items_) {
    if (!take(item.preset.slot)) without.push_back(&item);
  }
  for (PresetItem* item : without) {
    item->preset.slot = 0;
    for (int slot = 1; slot <= 9 && item->preset.slot == 0; ++slot) {
      if (take(slot)) item->preset.slot = slot;
    }
  }
  std::stable_sort(items_.begin(), items_.end(), [](const PresetItem& a, const PresetItem& b) {
    return (a.preset.slot == 0 ? 10 : a.preset.slot) < (b.preset.slot == 0 ? 10 : b.preset.slot);
  });
}

std::optional<std::size_t> PresetStore::find(const fs::path& file) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const PresetItem& i) { return i.file == file; });
  if (found == items_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items_.begin());
}

bool PresetStore::look(std::int64_t now_ns) {
  if (now_ns - looked_ns_ < kLook_ns) return false;
  looked_ns_ = now_ns;
  Stamps now = stamps();
  const bool rests = now == seen_;  // as it was at the last look
  seen_ = now;
  if (!rests || now == read_) return false;
  read(std::move(now));
  return true;
}

bool PresetStore::was_written(const fs::path& file) const {
  return std::find(written_.begin(), written_.end(), file) != written_.end();
}

void PresetStore::require_own(std::size_t index) const {
  if (index < items_.size() && items_[index].owner == PresetOwner::user) return;
  throw Error("preset", "built-in presets are read-only", "a user preset", "save the preset under a new name first");
}

void PresetStore::require_free_name(const std::string& name, const fs::path& except) const {
  if (name.find_first_not_of(' ') == std::string::npos) throw Error("preset", "empty name", "a name");
  for (const PresetItem& item : items_) {
    if (item.file != except && lower_case(item.preset.name) == lower_case(name)) {
      throw Error("preset", "the name '" + item.preset.name + "' is already in use", "another name");
    }
  }
}

fs::path PresetStore::add(Preset preset) {
  require_free_name(preset.name, {});
  if (own_.empty()) throw Error("preset", "no home folder for user presets", "a home folder");
  std::error_code error;
  fs::create_directories(own_, error);
  if (error) throw Error(own_.string(), "cannot be created: " + error.message(), "a writable folder");
  const std::string stem = file_name_for(preset.name);
  fs::path file = own_ / (stem + ".toml");
  for (int n = 2; fs::exists(file, error); ++n) file = own_ / (stem + "_" + std::to_string(n) + ".toml");
  for (int slot = 1; slot <= 9 && preset.slot == 0; ++slot) {
    const bool taken = std::any_of(items_.begin(), items_.end(), [&](const auto& i) { return i.preset.slot == slot; });
    if (!taken) preset.slot = slot;
  }
  write_file(file, preset);
  read(stamps());
  return file;
}

void PresetStore::write(std::size_t index, const Preset& preset) {
  require_own(index);
  require_free_name(preset.name, items_[index].file);
  write_file(items_[index].file, preset);
  read(stamps());
}

void PresetStore::remove(std::size_t index) {
  require_own(index);
  std::error_code error;
  fs::remove(items_[index].file, error);
  if (error) throw Error(items_[index].file.string(), "cannot be removed: " + error.message(), "a writable folder");
  read(stamps());
}

void PresetStore::set_default(std::size_t index, const PresetProbe& at_hand) {
  require_own(index);
  Preset chosen = items_[index].preset;
  if (chosen.probe.any()) chosen.probe = at_hand;
  chosen.is_default = true;
  write_file(items_[index].file, chosen);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Preset other = items_[i].preset;
    if (i == index || !other.is_default || other.probe.words() != chosen.probe.words()) continue;
    other.is_default = false;
    if (items_[i].owner == PresetOwner::user) write_file(items_[i].file, other);
  }
  read(stamps());
}

void PresetStore::unset_default(std::size_t index) {
  require_own(index);
  Preset preset = items_[index].preset;
  preset.is_default = false;
  write_file(items_[index].file, preset);
  read(stamps());
}

std::vector<PresetView> preset_views(const PresetStore& store, const ImagingParams& params,
                                     const Acquisition* acquisition) {
  std::vector<PresetView> views;
  for (const PresetItem& item : store.items()) {
    const Preset& p = item.preset;
    views.push_back({.name = p.name,
                     .about = p.about,
                     .probe = p.probe.words(),
                     .no_effect = acquisition != nullptr ? why_no_effect(p, params, *acquisition) : "",
                     .slot = p.slot,
                     .own = item.owner == PresetOwner::user,
                     .fits = acquisition == nullptr || belongs_to(p, *acquisition),
                     .is_default = p.is_default});
  }
  return views;
}

}  // namespace echoloop
