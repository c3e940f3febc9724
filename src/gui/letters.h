// Text into pictures on the CPU: the same letters as the window's, without OpenGL and without ImGui. One thread at a
// time.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "gui/inks.h"

namespace echoloop {

enum class Weight { regular, strong };

struct TextLook {
  float em = 20;  // pixels
  Weight weight = Weight::regular;
  Rgb color = ink::kText;
};

class Letters {
 public:
  Letters();  // of the first font family that is installed; without one nothing is drawn
  [[nodiscard]] bool any() const { return !faces_[0].file.empty(); }

  float width(const TextLook& look, std::string_view text);
  // Left edge x, capitals centred on y. Returns the right edge.
  float draw(RgbPicture& picture, float x, float y, const TextLook& look, std::string_view text);

 private:
  struct Face {
    std::vector<unsigned char> file;
  };
  struct Glyph {
    int x = 0, y = 0, width = 0, height = 0;  // of the coverage, from the pen on the base line
    float advance = 0;
    std::vector<unsigned char> coverage;
  };
  const Glyph& glyph(const TextLook& look, unsigned int letter, int shift);

  Face faces_[2];
  bool fixed_digits_ = false;
  std::map<std::tuple<Weight, float, unsigned int, int>, Glyph> glyphs_;
};

}  // namespace echoloop
