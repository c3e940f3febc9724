// A session as one file (NAME.echoloop.json): source, parameters, stream settings, marks, layout, zoom and the frame
// that was on screen. Opened again it shows the same image with the same numbers. Any thread.
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
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/state/ui_state.h"

namespace echoloop {

inline constexpr std::string_view kSessionEnding = ".echoloop.json";

enum class SavedMoment { live, frozen };

struct SavedSession {
  std::string source;  // as source_kinds.h has it: sim:NAME, a recording's path
  Facts facts;
  std::string description = {};       // JSON on one line that the recording opens with; empty: as it lies there
  std::vector<std::string> settings;  // every parameter as KEY=VALUE
  StreamSettings stream;
  Marks marks;
  PanZoom pan_zoom;
  std::map<std::string, std::string> layout;  // see gui/toolkit/view_settings.h
  std::uint64_t frame = 0;                    // of the source, on screen
  SavedMoment moment = SavedMoment::live;
  double held_reference_db = kAutoReference;  // the automatic 0 dB level in use
};

// A JSON file that says it is one; nothing is thrown.
bool is_session_file(const std::filesystem::path& file);

// A recording below the session's folder is named relative to that folder, on both ways. Throw Error in one line.
nlohmann::json session_json(const SavedSession& session, const std::filesystem::path& file);
SavedSession read_session(const std::filesystem::path& file);

// All presets there are: those that come with the program, and the user's own, which can be saved, renamed and removed.
// Looks at the user's folder now and then and notices what others wrote there. Files are written aside and renamed:
// none is ever half there. UI thread only.

enum class PresetOwner { program, user };

struct PresetItem {
  Preset preset;
  std::filesystem::path file;
  PresetOwner owner = PresetOwner::user;
};

class PresetStore {
 public:
  // Either folder may be missing; the user's is made when something is saved. Empty user folder: nothing can be saved.
  PresetStore(std::filesystem::path shipped, std::filesystem::path own);

  // By slot, those without one behind, by name. Slots are unique: the user's come first, the rest take what is free.
  [[nodiscard]] const std::vector<PresetItem>& items() const { return items_; }
  // Files that cannot be read as they are now, and why.
  [[nodiscard]] const std::map<std::filesystem::path, std::string>& faulty() const { return faulty_; }
  [[nodiscard]] std::optional<std::size_t> find(const std::filesystem::path& file) const;

  // Reads what changed on disk since the last reading; false when nothing did. A file that is still being written is
  // left until it rests, half a second at most. `now_ns`: any clock.
  bool look(std::int64_t now_ns);
  // Whether the last reading found this file with other content than before.
  [[nodiscard]] bool was_written(const std::filesystem::path& file) const;

  // Throw Error in one line; then nothing has changed.
  std::filesystem::path add(Preset preset);  // in a new file; a name that is in use is refused
  void write(std::size_t index, const Preset& preset);
  void remove(std::size_t index);
  // At most one preset of a probe is. One that belongs to no probe yet becomes `at_hand`'s.
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

// For the window, in the store's order; `acquisition`: of the open source, null: none.
[[nodiscard]] std::vector<PresetView> preset_views(const PresetStore& store, const ImagingParams& params,
                                                   const Acquisition* acquisition);

}  // namespace echoloop
