// The window's presets: loading, saving, renaming, removing, the default of a probe, and files changed by other
// programs. UI thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "app/session_file.h"
#include "app/window/engine.h"

namespace echoloop {

class WindowPresets {
 public:
  // `params_changed`: called after a preset has changed WindowState::params.
  WindowPresets(WindowState& state, SourceInUse& in_use, Engine& engine, std::function<void()> params_changed);

  void look();  // once a window frame: files, and changes of parameters against the active preset
  void execute(const PresetOrder& order);
  void describe();                               // for the window
  void say_last(const std::string& name) const;  // of the last run, if it has a key

  // Default preset of a source being opened.
  struct Default {
    ImagingParams params;
    std::filesystem::path file = {};  // empty: none
    std::string note = {};
  };
  // `own`: name of the built-in preset of a phantom, used where the user has set no default for the probe; may be
  // empty.
  [[nodiscard]] Default default_for(const ImagingParams& params, const Acquisition& acquisition,
                                    std::string_view own) const;

  [[nodiscard]] const std::filesystem::path& active() const { return active_; }  // empty: none
  void set_active(const std::filesystem::path& file);

 private:
  void load(std::size_t index, const std::string& why);
  void report_faulty();

  WindowState& state_;
  SourceInUse& in_use_;
  Engine& engine_;
  const std::function<void()> params_changed_;
  PresetStore store_;
  std::filesystem::path active_;
  std::map<std::filesystem::path, std::string> faulty_;  // as reported
};

}  // namespace echoloop
