// Characters that are typed before a text field has the keyboard: ImGui needs two or three frames until it has. They
// are kept and given to the field, and no other control or key takes them. UI thread.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace echoloop {

class EarlyText {
 public:
  enum class From { now, later };  // of the characters: this frame's too, or those of the next one on

  [[nodiscard]] bool awaited() const { return frames_ > 0; }
  void begin_frame() {
    last_field_ = std::exchange(field_, {});
    if (frames_ > 0 && !ImGui::GetIO().WantTextInput) keep();
    frames_ = std::max(0, frames_ - 1);
  }
  // A field will have the keyboard soon.
  void await(From from) {
    constexpr int kFramesToField = 5;
    if (frames_ == 0) text_.clear();
    frames_ = kFramesToField;
    if (from == From::now) keep();
  }
  // The field has the keyboard in this frame; in the next one its characters follow those that were kept.
  void has_keyboard(const std::string& field) { field_ = field; }
  void give_to(const std::string& field) {
    if (frames_ == 0 || last_field_ != field || ImGui::GetIO().KeyCtrl) return;
    frames_ = 0;
    keep();
    for (const ImWchar c : text_) ImGui::GetIO().InputQueueCharacters.push_back(c);
    text_.clear();
  }

 private:
  void keep() {
    ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
    text_.insert(text_.end(), queue.begin(), queue.end());
    queue.resize(0);
  }

  int frames_ = 0;                  // for which the field is still awaited
  std::string field_, last_field_;  // that has the keyboard in this frame, and in the last one
  std::vector<ImWchar> text_;
};

}  // namespace echoloop
