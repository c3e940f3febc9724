// The type: Inter, then DejaVu Sans, then ImGui's own font, at the sizes of the design times the window's scale.
// Inter's digits are proportional; they are merged with a fixed advance so that live numbers do not move. UI thread
// only.
#pragma once

#include <array>
#include <string>

#include "gui/gl/imgui_compat.h"
#include "render/font_files.h"

namespace echoloop {

enum class Type { body, strong, small, badge, medium, large, large_strong, heading };
inline constexpr int kTypeCount = 8;

class Fonts {
 public:
  // Fills ImGui's atlas anew for `scale`; the caller renews the backend's texture (up to ImGui 1.91).
  // `family` null: ImGui's own font, in which characters outside Latin-1 are drawn as their nearest in ASCII.
  void build(float scale, const FontFamily* family = installed_family());

  [[nodiscard]] ImFont* font(Type type) const { return fonts_[static_cast<std::size_t>(type)]; }
  [[nodiscard]] float size(Type type) const { return sizes_[static_cast<std::size_t>(type)]; }  // pixels
  [[nodiscard]] const std::string& family() const { return family_; }  // "Inter", "DejaVu Sans" or "ProggyClean"

 private:
  std::array<ImFont*, kTypeCount> fonts_{};
  std::array<float, kTypeCount> sizes_{};
  std::string family_;
};

}  // namespace echoloop
