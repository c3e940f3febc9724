// Objects in the program itself: they come over the live picture and are found again in the frozen one.
#include "gui/program_window.h"

namespace echoloop::testing::structure_window_test {
namespace {

// Pixels of the accent's colour where the picture is.
std::size_t accents(const ProgramWindow& window) {
  const std::vector<std::uint8_t> rgb = window.picture({.x0 = 0.05F, .y0 = 0.25F, .x1 = 0.6F, .y1 = 0.7F});
  std::size_t n = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) n += rgb[i + 2] > rgb[i] + 80 && rgb[i + 1] > rgb[i] + 60 ? 1 : 0;
  return n;
}

TEST(StructureWindow, OutlinesTheCystLiveAndFrozen) {
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, ProgramWindow::kWidth, ProgramWindow::kHeight);
  look_like_the_program(scene, "cyst");
  ProgramWindow window({"sim:cyst", "--set", "structure=dark", "--backend", "cpu", "--duration", "240"}, scene);
  window.rest();
  ASSERT_TRUE(eventually([&] { return accents(window) > 150; }));
  window.key("space");
  EXPECT_TRUE(eventually([&] { return accents(window) > 150; }));
  EXPECT_EQ(window.close(), 0);
}

}  // namespace
}  // namespace echoloop::testing::structure_window_test
