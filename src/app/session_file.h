// A session as one file (NAME.echoloop.json): source, parameters, stream settings, marks, layout, zoom and the frame on
// screen. When opened again it shows the same image with the same numbers. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/preset.h"
#include "core/facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "gui/state/map_state.h"
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/state/ui_state.h"

namespace echoloop {

inline constexpr std::string_view kSessionEnding = ".echoloop.json";

enum class SavedMoment { live, frozen };

struct SavedSession {
  std::string source;  // as in source_kinds.h: sim:NAME, a recording's path
  Facts facts;
  std::string description = {};       // JSON on one line used to open the recording; empty: that of its files
  std::vector<std::string> settings;  // every parameter as KEY=VALUE
  StreamSettings stream;
  Marks marks;
  PanZoom pan_zoom;
  std::map<std::string, std::string> layout;  // see gui/toolkit/view_settings.h
  std::uint64_t frame = 0;                    // on screen, number in the source
  SavedMoment moment = SavedMoment::live;
  nlohmann::json doubts = nlohmann::json::object();  // `doubts`, `doubts_dismissed`: as in files of images
  MapChoice map = {};
  double held_reference_db = kAutoReference;  // the automatic 0 dB level in use
};

// Returns true for a JSON file marked as a session; throws nothing.
bool is_session_file(const std::filesystem::path& file);

// Store a recording below the session's folder relative to it, and resolve it. Throw Error in one line.
nlohmann::json session_json(const SavedSession& session, const std::filesystem::path& file);
SavedSession read_session(const std::filesystem::path& file);

// Returns the parameters of a JSON object as KEY=VALUE. `file`: for the text of an Error.
std::vector<std::string> settings_from(const std::string& file, const nlohmann::json& object);
// Returns the stream settings with those of a JSON object, as in a session. Throws Error for unknown keys.
StreamSettings patched_stream(const StreamSettings& before, const nlohmann::json& changes);

// All presets: those of the program, and the user's own, which can be saved, renamed and removed. Checks the user's
// folder at intervals for changes by other programs. Files are written under another name and renamed: none is ever
// incomplete. UI thread only.
enum class PresetOwner { program, user };

struct PresetItem {
  Preset preset;
  std::filesystem::path file;
  PresetOwner owner = PresetOwner::user;
};

class PresetStore {
 public:
  // Either folder may be missing; the user's is created at the first save. Empty user folder: saving is not possible.
  PresetStore(std::filesystem::path shipped, std::filesystem::path own);

  // Sorted by slot, then by name without one. Slots are unique: the user's have priority, others get free ones.
  [[nodiscard]] const std::vector<PresetItem>& items() const { return items_; }
  // Files that currently cannot be read, with the reason.
  [[nodiscard]] const std::map<std::filesystem::path, std::string>& faulty() const { return faulty_; }
  [[nodiscard]] std::optional<std::size_t> find(const std::filesystem::path& file) const;

  // Reads changes on disk since the last call; returns false if there are none. A file still being written is skipped
  // until it is unchanged, half a second at most. `now_ns`: any clock.
  bool look(std::int64_t now_ns);
  // Returns true if the last call found new content in this file.
  [[nodiscard]] bool was_written(const std::filesystem::path& file) const;

  // These throw Error in one line; then nothing has changed.
  std::filesystem::path add(Preset preset);  // in a new file; throws for a name in use
  void write(std::size_t index, const Preset& preset);
  void remove(std::size_t index);
  // Makes it the only default of its probe. A preset without a probe gets the probe `at_hand`.
  void set_default(std::size_t index, const PresetProbe& at_hand);
  void unset_default(std::size_t index);

 private:
  using Stamps = std::map<std::filesystem::path, std::pair<std::int64_t, std::uintmax_t>>;
  [[nodiscard]] Stamps stamps() const;
  void read(Stamps seen);
  void give_slots();
  void require_own(std::size_t index) const;
  void require_free_name(const std::string& name, const std::filesystem::path& except) const;

  std::filesystem::path shipped_, own_;
  std::vector<PresetItem> items_;
  std::map<std::filesystem::path, std::string> faulty_;
  Stamps read_, seen_;
  std::vector<std::filesystem::path> written_;
  std::int64_t looked_ns_ = 0;
};

// Returns the window's list, in the store's order; `acquisition`: of the open source, null: none.
[[nodiscard]] std::vector<PresetView> preset_views(const PresetStore& store, const ImagingParams& params,
                                                   const Acquisition* acquisition);

}  // namespace echoloop
