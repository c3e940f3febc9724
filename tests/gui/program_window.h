// The built program in a window on a hidden display, driven by mouse and keyboard as by a user. A scene of the same
// size, updated with every click, provides the positions of its controls.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gui/scene.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {

// Returns the missing requirement of such tests; empty: none.
std::string why_no_program_window();

// Returns the same for dropping files.
std::string why_no_drop();

// Part of the image, from its left and top edge.
struct Part {
  float x0 = 0, y0 = 0, x1 = 1, y1 = 1;
};

class ProgramWindow {
 public:
  static constexpr int kWidth = 1920, kHeight = 1080;

  // `scene` must look as the program's window: same size, same panels, same rows.
  ProgramWindow(std::vector<std::string> arguments, Scene& scene);
  ~ProgramWindow();  // ends the programs still running
  ProgramWindow(const ProgramWindow&) = delete;
  ProgramWindow& operator=(const ProgramWindow&) = delete;

  void click(const std::string& control);
  void choose(const std::string& menu, const std::string& item);  // clicks the item once the menu is shown
  void right_click(const std::string& control);
  void drag(const std::string& control, float from_share, float to_share);
  void type_into(const std::string& control, const std::string& text);  // Ctrl-click, text, Enter
  void key(const std::string& name);                                    // name as in xdotool
  void type(const std::string& text);
  void hands(std::vector<std::string> words) const;  // any other action of xdotool
  // Drops a file on the image; returns true if the window accepted it.
  [[nodiscard]] bool drop(const std::filesystem::path& file) const;
  // Returns true if scene and program have this control at the same place, with the same words.
  [[nodiscard]] bool looks_like_its_scene(const std::string& control) const;
  void rest();  // moves the pointer away

  // Returns the display's pixels of the image area, RGB.
  [[nodiscard]] std::vector<std::uint8_t> picture(const Part& part) const;
  [[nodiscard]] std::vector<std::uint8_t> pixels(const Rect& r) const;  // of the whole display
  int close();                                                          // requests its end; exit status, -1 if killed
  int lose_display();    // removes the display at once; exit status of the program, -1 if killed
  int destroy_window();  // destroys its window, not the display: the server refuses the next drawing; status as above
  [[nodiscard]] std::string errors() const;  // standard error of the program

  // Runs the program once more, to its end, without a window; returns its exit status.
  [[nodiscard]] int run_aside(std::vector<std::string> arguments) const;
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }  // working folder of the program

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

// Polls until it holds, at most 30 s.
bool eventually(const std::function<bool()>& holds);

// Makes the scene look as the program's window with this phantom on the CPU.
void look_like_the_program(Scene& scene, const std::string& phantom);

// Closes the window; checks that every frame is accounted for.
nlohmann::json report_of(ProgramWindow& window);

}  // namespace echoloop::testing
