// The phantom's settings in the Source panel: a slider that was released shows its value until that phantom is open.
#include <utility>

#include "gui/scene.h"
#include "gui/toolkit/view_settings.h"
#include "source/phantom_text.h"

namespace echoloop::testing::phantom_rows_test {
namespace {

void drag_angles(Scene& scene) {
  scene.state.source.opened_as = "sim:flow";
  scene.frames(2);
  scene.click("phantom_settings");
  scene.frames(2);
  scene.state.opening.progress =
      Progress{.text = "Opening", .fraction = 0.5};  // as the program says while it opens one
  scene.drag("phantom_angles", 0.1F, 0.6F);
}

bool holds(Scene& scene) { return scene.viewer->settings().transient.phantom.held.has_value(); }

TEST(PhantomRows, KeepTheirValueUntilThePhantomIsOpen) {
  ECHO_SCENE(scene, 1600, 900);
  drag_angles(scene);
  const std::string asked = std::exchange(scene.opened_phantom, "");
  ASSERT_FALSE(asked.empty());
  ASSERT_TRUE(holds(scene));
  EXPECT_EQ(phantom_text(*scene.viewer->settings().transient.phantom.held), asked);
  scene.frames(5);
  EXPECT_EQ(scene.opened_phantom, "") << "asked for once";
  EXPECT_TRUE(holds(scene));
  scene.state.opening.progress.reset();
  scene.state.source.opened_as = "sim:" + asked;
  scene.frames(2);
  EXPECT_FALSE(holds(scene));
}

TEST(PhantomRows, ShowWhatIsOpenWhereThePhantomIsRefused) {
  ECHO_SCENE(scene, 1600, 900);
  drag_angles(scene);
  scene.opened_phantom.clear();
  scene.state.opening.progress.reset();
  scene.frames(3);
  EXPECT_FALSE(holds(scene));
  EXPECT_EQ(scene.opened_phantom, "");
}

}  // namespace
}  // namespace echoloop::testing::phantom_rows_test
