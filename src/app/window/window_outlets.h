// Outputs to other programs, as the panel shows and switches them. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/options/options.h"
#include "app/outputs/outlets.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class WindowControl;

class WindowOutlets {
 public:
  // Turns on the outputs named by the options, except control. Throws Error: a name or port in use.
  WindowOutlets(const Options& options, Model& model, LiveImages& live,
                std::function<std::unique_ptr<WindowControl>(const std::string& name)> make_control);
  ~WindowOutlets();

  [[nodiscard]] const std::shared_ptr<Outlets>& outlets() const { return outlets_; }  // for the stream
  [[nodiscard]] WindowControl* control() const { return control_.get(); }             // null: off
  void turn(OutputKind kind, Turned to);  // throws Error: a name or port in use
  void look();                            // once a window frame

 private:
  struct Sent {
    std::uint64_t frames = 0;
    double rate_hz = 0.0;
  };
  void describe();
  double rate_of(const std::string& reader, std::uint64_t sent, double passed_s);

  Model& model_;
  const std::string control_name_;
  const std::function<std::unique_ptr<WindowControl>(const std::string& name)> make_control_;
  std::shared_ptr<Outlets> outlets_;
  std::unique_ptr<WindowControl> control_;
  std::map<std::string, Sent> sent_;  // by reader, at the last look
  std::int64_t looked_ns_ = 0;
};

}  // namespace echoloop
