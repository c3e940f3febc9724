// A session as one file (NAME.echoloop.json): source, parameters, stream settings, marks, layout, zoom and the frame
// that was on screen. Opened again it shows the same image with the same numbers. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/acquisition_facts.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "gui/state/marks.h"
#include "gui/state/pan_zoom.h"

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

}  // namespace echoloop
