// A framebuffer that keeps its content is mostly drawn where the image is; all of it is right again soon after.
#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "gui/scene.h"
#include "gui/toolkit/theme.h"
#include "support/waiting.h"

namespace echoloop::testing {
namespace {

RgbImage framebuffer(const Scene& scene) {
  const int width = static_cast<int>(ImGui::GetIO().DisplaySize.x);
  const int height = static_cast<int>(ImGui::GetIO().DisplaySize.y);
  RgbImage picture{.width = width, .height = height, .rgb = {}};
  const auto row = static_cast<std::size_t>(width) * 3;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  EXPECT_EQ(scene.gl_error(), 0);
  for (int y = height - 1; y >= 0; --y) {
    const auto begin = upside_down.begin() + static_cast<std::ptrdiff_t>(row) * y;
    picture.rgb.insert(picture.rgb.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
  }
  return picture;
}

bool differ(const RgbImage& a, const RgbImage& b, const Rect& area) {
  const auto row = static_cast<std::size_t>(a.width) * 3;
  const auto begin = static_cast<std::ptrdiff_t>(area.x0) * 3;
  const auto end = static_cast<std::ptrdiff_t>(area.x1) * 3;
  for (auto y = static_cast<std::size_t>(area.y0); y < static_cast<std::size_t>(area.y1); ++y) {
    const auto of_a = a.rgb.begin() + static_cast<std::ptrdiff_t>(y * row);
    const auto of_b = b.rgb.begin() + static_cast<std::ptrdiff_t>(y * row);
    if (!std::equal(of_a + begin, of_a + end, of_b + begin)) return true;
  }
  return false;
}

TEST(DrawnParts, TheImageAtOnceTheRestSoon) {
  constexpr std::chrono::seconds kLimit(60);
  Scene scene(1280, 800);
  const Grid grid{.x0_m = -0.02, .x1_m = 0.02, .z0_m = 0.0, .z1_m = 0.04, .nx = 64, .nz = 64};
  ASSERT_TRUE(scene.frames_until([&] { return !scene.viewer->wants_frame(); })) << "input counts as being at work";
  std::uint64_t n = 0;
  const auto next = [&] {
    ++n;
    scene.put_image(
        grid, [n](double, double) { return n % 2 == 0 ? -20.0F : -40.0F; }, n);
    scene.state.numbers.processed_fps = 100.0 + static_cast<double>(n % 100);
    scene.viewer->frame(scene.state);
    return framebuffer(scene);
  };
  RgbImage before = next();
  RgbImage now;
  const Rect window{0, 0, static_cast<float>(before.width), static_cast<float>(before.height)};
  const Rect status{0, 0, window.x1, theme::kStatusBar};
  EXPECT_TRUE(holds_within(kLimit, [&] {
    now = next();
    const bool lags = !differ(before, now, status);
    EXPECT_TRUE(differ(before, now, scene.viewer->screen().picture())) << "the image is drawn at once";
    before = now;
    return lags;
  })) << "all was drawn with every image";
  EXPECT_TRUE(holds_within(kLimit, [&] {
    now = next();
    return differ(before, now, status);
  })) << "the rest did not follow";
  EXPECT_FALSE(differ(now, scene.shot(), window));
}

}  // namespace
}  // namespace echoloop::testing
