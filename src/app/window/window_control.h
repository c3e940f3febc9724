// The window as a run that other programs control (--control). UI thread only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/control.h"
#include "app/window/engine.h"
#include "gui/viewer.h"

namespace echoloop {

class WindowControl final : public Controlled {
 public:
  // Parts of the program that requests read and change.
  struct Parts {
    WindowState& state;
    Commands& commands;
    SourceInUse& in_use;
    Engine& engine;
    Viewer& viewer;
  };

  // Throws Error: the name is not valid, or in use.
  WindowControl(const std::string& name, const Parts& parts);

  [[nodiscard]] bool has_news() const { return control_.wait(0); }  // a program connected, sent or left
  // Once a window frame, before commands are executed. Returns true if a program asked for the end.
  [[nodiscard]] bool look();

  [[nodiscard]] std::string_view mode() const override { return "window"; }
  [[nodiscard]] const std::string& named() const override { return parts_.in_use.named; }
  [[nodiscard]] OpenedSource opened() const override;
  [[nodiscard]] const Backend& backend() const override { return *parts_.engine.backend; }
  [[nodiscard]] const TimingTrace& trace() const override { return parts_.engine.trace; }
  [[nodiscard]] const Image& image() const override { return parts_.viewer.shown_image(); }
  [[nodiscard]] std::vector<float> levels() const override { return parts_.viewer.shown_db(); }
  [[nodiscard]] Measured measured() const override { return parts_.state.measured; }
  [[nodiscard]] const std::vector<Doubt>* doubts() const override;
  [[nodiscard]] nlohmann::json report() const override;
  [[nodiscard]] SavedSession session() const override;
  void observe() override;
  void record(const RemoteEdit& by) override;
  std::string apply_history(HistoryAct act) override;
  nlohmann::json act(const ControlCall& call, std::string_view method) override;

 private:
  Parts parts_;
  Control control_;
};

}  // namespace echoloop
