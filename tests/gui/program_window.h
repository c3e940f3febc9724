// The built program in a window of its own, on a display that nobody sees, driven by mouse and keyboard as a user
// would. Where its controls are is told by a scene of the same size, which is taken along through every click.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/scene.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

// Empty when such tests can run here, otherwise what is missing.
std::string why_no_program_window();

// Likewise for dropping files.
std::string why_no_drop();

// Of the image, from its left and top edge.
struct Part {
  float x0 = 0, y0 = 0, x1 = 1, y1 = 1;
};

class ProgramWindow {
 public:
  static constexpr int kWidth = 1920, kHeight = 1080;

  // `scene` must look as the program's window does: same size, same panels, same rows.
  ProgramWindow(std::vector<std::string> arguments, Scene& scene);
  ~ProgramWindow();  // ends what still runs
  ProgramWindow(const ProgramWindow&) = delete;
  ProgramWindow& operator=(const ProgramWindow&) = delete;

  void click(const std::string& control);
  void choose(const std::string& menu, const std::string& item);  // clicks the item once the menu is on the display
  void right_click(const std::string& control);
  void drag(const std::string& control, float from_share, float to_share);
  void type_into(const std::string& control, const std::string& text);  // Ctrl-click, text, Enter
  void key(const std::string& name);                                    // as xdotool calls it
  void type(const std::string& text);
  void hands(std::vector<std::string> words) const;  // anything else that xdotool does
  // Lets go of a file over the image; whether the window took it.
  [[nodiscard]] bool drop(const std::filesystem::path& file) const;
  // Whether the scene has this control where the program has it, with the same words.
  [[nodiscard]] bool looks_like_its_scene(const std::string& control) const;
  void rest();  // the pointer away from everything

  // What is on the display where the image is, RGB.
  [[nodiscard]] std::vector<std::uint8_t> picture(const Part& part) const;
  [[nodiscard]] std::vector<std::uint8_t> pixels(const Rect& r) const;  // likewise, of the whole display
  int close();         // asks it to end; the exit status, -1 when it had to be killed
  int lose_display();  // the display is gone, all at once; the exit status of the program, -1 when it had to be killed
  int destroy_window();  // its window is gone, the display is not: the server refuses what is drawn next; likewise
  [[nodiscard]] std::string errors() const;  // what the program has written to its standard error

  // Runs the program once more, to its end, without a window; its exit status.
  [[nodiscard]] int run_aside(std::vector<std::string> arguments) const;
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }  // where the program runs

 private:
  [[nodiscard]] pid_t start(std::vector<std::string> words, int passed_fd) const;
  int wait_for_end();
  void point_at(const Rect& r, float x_share);

  TemporaryFolder folder_;
  TemporaryFolder screen_;  // the display's memory, as a file
  Scene& scene_;
  int width_ = kWidth, height_ = kHeight;
  std::string display_;
  pid_t server_ = 0, program_ = 0;
};

// Looks until it holds, at most 30 s.
bool eventually(const std::function<bool()>& holds);

// As the program's window looks with this phantom on the CPU.
void look_like_the_program(Scene& scene, const std::string& phantom);

// Closes the window; every frame is accounted for.
nlohmann::json report_of(ProgramWindow& window);

}  // namespace echoloop::testing
