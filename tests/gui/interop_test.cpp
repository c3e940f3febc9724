// Images that never leave the GPU: what is on screen is what lay in device memory, for live and kept frames, and
// nothing waits. Only where one CUDA device also draws.
#ifdef ECHO_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/scene.h"
#include "test_paths.h"

namespace echoloop::testing::interop_test {
namespace {

class DeviceImage {
 public:
  DeviceImage(const Grid& grid, float level_db) : grid_(grid) {
    const std::vector<float> values(grid.pixels(), level_db);
    const std::size_t bytes = values.size() * sizeof(float);
    good_ = cudaMalloc(&memory_, bytes) == cudaSuccess &&
            cudaMemcpy(memory_, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  }
  ~DeviceImage() { cudaFree(memory_); }
  DeviceImage(const DeviceImage&) = delete;
  DeviceImage& operator=(const DeviceImage&) = delete;

  [[nodiscard]] bool good() const { return good_; }
  void publish(Mailbox<Image>& box, std::uint64_t number) const {
    Image& image = box.back();
    image = {};
    image.number = number;
    image.stamp.sequence = number;
    image.grid = grid_;
    image.device_db = static_cast<float*>(memory_);
    box.publish();
  }

 private:
  Grid grid_;
  void* memory_ = nullptr;
  bool good_ = false;
};

TEST(Interop, PicturesStayOnTheGpuAndTheWindowDoesNotWait) {
  Commands commands;
  LiveImages live;
  PastImages past;
  std::unique_ptr<Viewer> viewer;
  try {
    viewer = std::make_unique<Viewer>(ViewerOptions{.width = 1024,
                                                    .height = 640,
                                                    .surface = SurfaceKind::offscreen,
                                                    .shader_dir = std::filesystem::path(ECHO_SOURCE_DIR) / "shaders"},
                                      commands, live, &past);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  if (viewer->needs_host_image()) GTEST_SKIP() << viewer->interop_status();
  const Grid other{-5e-3, 5e-3, 5e-3, 15e-3, 64, 32};
  const DeviceImage a(kSquare, -10), b(kSquare, -20), c(other, -30);
  ASSERT_TRUE(a.good() && b.good() && c.good());
  WindowState state = plausible_state();
  int copies = 0;
  std::uint64_t named = 0;
  std::vector<std::int64_t> waits_ns;
  const auto show = [&] {
    viewer->frame(state);
    const Viewer::FrameTimes& t = viewer->times();
    waits_ns.push_back(t.device_wait_ns);
    if (t.present_end == t.present_start) return;
    ++copies;
    named = t.present_sequence;
    EXPECT_LT(t.present_end - t.present_start, 50'000'000);
  };
  constexpr std::uint64_t kPictures = 300;
  for (std::uint64_t i = 1; i <= kPictures; ++i) {
    (i % 2 == 0 ? a : b).publish(live.images, i);
    show();
    ASSERT_EQ(viewer->shown_image().number, i);
  }
  show();
  EXPECT_EQ(viewer->shown_db().at(5000), -10.0F);
  EXPECT_EQ(copies, static_cast<int>(kPictures));
  EXPECT_EQ(named, kPictures);
  std::sort(waits_ns.begin(), waits_ns.end());
  EXPECT_LT(waits_ns[waits_ns.size() * 99 / 100], 1'000'000);

  state.run = RunState::frozen;
  state.kept.frames = state.cine.mark_out = 2;
  state.cine.compare = true;
  a.publish(live.images, 900);
  b.publish(past[0], 901);
  c.publish(past[1], 902);
  show();
  EXPECT_EQ(viewer->shown_image().number, 901u);
  EXPECT_EQ(viewer->shown_db().at(5000), -20.0F);
  const RgbImage shot = viewer->screenshot();
  const Rect r = viewer->screen().picture();
  const auto gray = [&](double x_mm, double z_mm) {
    const auto x = static_cast<std::size_t>(r.x0 + static_cast<float>((x_mm + 10) / 20) * r.width());
    const auto y = static_cast<std::size_t>(r.y0 + static_cast<float>((z_mm - 5) / 20) * r.height());
    return static_cast<int>(shot.rgb[(y * static_cast<std::size_t>(shot.width) + x) * 3]);
  };
  EXPECT_NEAR(gray(-2, 14), 128, 2);  // A, the small grid
  EXPECT_EQ(gray(-6, 14), 0);
  EXPECT_NEAR(gray(2, 16), 170, 2);  // B
  viewer->forget_image();
  EXPECT_TRUE(viewer->shown_db().empty());
}

}  // namespace
}  // namespace echoloop::testing::interop_test

#endif
