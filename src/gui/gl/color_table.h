// A colour map as a texture of one row for a shader: fine enough that the nearest entry is good enough. UI thread only.
#pragma once

#include <glad/gl.h>

#include <array>
#include <cstdint>

#include "gui/overlay/transfer_function.h"

namespace echoloop {

// An even number: no entry is the middle, where two colours may meet. More than 8 bits can tell apart.
inline constexpr int kColorEntries = 1024;

// `texture`: of GL_TEXTURE_2D, without storage. `color`: of a place from 0 to 1.
template <class ColorAt>
void make_color_table(unsigned int texture, const ColorAt& color) {
  std::array<std::uint8_t, 4 * kColorEntries> table;
  for (std::size_t k = 0; k < kColorEntries; ++k) {
    const Rgb c = color(static_cast<double>(k) / (kColorEntries - 1));
    table[4 * k] = c.r;
    table[4 * k + 1] = c.g;
    table[4 * k + 2] = c.b;
    table[4 * k + 3] = 255;
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTextureStorage2D(texture, 1, GL_RGBA8, kColorEntries, 1);
  glTextureSubImage2D(texture, 0, 0, 0, kColorEntries, 1, GL_RGBA, GL_UNSIGNED_BYTE, table.data());
  glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

}  // namespace echoloop
