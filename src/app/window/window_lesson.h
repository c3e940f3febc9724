// A lesson in the window: opens its source, sets up the situation of a step, judges the state and the measurements. UI
// thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson.h"
#include "app/window/engine.h"

namespace echoloop {

class WindowLesson {
 public:
  struct Actions {
    std::function<void(const std::string&)> open_source;
    std::function<void()> params_changed;
    std::function<void(const StreamSettings&)> restart;
  };
  WindowLesson(WindowState& state, SourceInUse& in_use, Engine& engine, Actions actions);

  void open(const std::filesystem::path& file);  // throws Error
  void act(LessonAct act);
  // Once a window frame. `image`: on screen.
  void look(const Image& image);

 private:
  enum class Wanted { given, solution };
  void set_up(Wanted wanted);
  void describe();

  WindowState& state_;
  SourceInUse& in_use_;
  Engine& engine_;
  const Actions actions_;
  std::optional<Lesson> lesson_;
  std::size_t step_ = 0;
  std::optional<Wanted> pending_;  // until the source is open
  std::int64_t judged_ns_ = 0;
};

}  // namespace echoloop
