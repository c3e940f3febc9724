// Objects on the GPU in use: the largest grid, plans that change, images that arrive while it works, times.
#include <atomic>
#include <cstdio>
#include <thread>

#include "gpu/object_tasks.h"

namespace echoloop::gpu_test::objects_use_test {
namespace {

using namespace testing;

class ObjectUse : public ObjectsTest {};

// Squares of 4 x 4 pixels, 4 apart.
TEST_F(ObjectUse, LargestGrid) {
  const Grid grid = plain_grid(kMaxGridSide, kMaxGridSide);
  const auto on = [](int ix, int iz) { return ix % 8 < 4 && iz % 8 < 4; };
  Task task = make_task("largest", grid, shape_picture(grid, on), {.sigmas = 0.5});
  const ObjectImage got = find(*on_gpu_, task);
  constexpr int kSquares = kMaxGridSide / 8;
  ASSERT_EQ(got.found, static_cast<std::uint64_t>(kSquares) * kSquares);
  ASSERT_EQ(got.objects.size(), got.found);
  EXPECT_NEAR(got.background.mean_db, -15.0, 1e-9);
  EXPECT_EQ(got.background.pixels, grid.pixels());
  for (std::size_t i = 0; i < got.labels.size(); i += 97) {
    const int ix = static_cast<int>(i % kMaxGridSide), iz = static_cast<int>(i / kMaxGridSide);
    ASSERT_EQ(got.labels[i], on(ix, iz) ? iz / 8 * kSquares + ix / 8 + 1 : 0) << ix << " " << iz;
  }
  for (const FoundObject& o : got.objects) {
    ASSERT_EQ(o.pixels, 16U);
    ASSERT_EQ(o.mean_db, 0.0);
  }
}

// Results do not depend on what came before, on other grids too.
TEST_F(ObjectUse, PlansChange) {
  std::vector<Task> tasks;
  for (const Grid& grid : {plain_grid(100, 90), sector_grid(50, 80), plain_grid(300, 20), plain_grid(90, 100)}) {
    for (const double smooth_m : {0.2e-3, 0.0, 0.4e-3}) {
      tasks.push_back(make_task(std::to_string(grid.nx), grid, speckle_picture(grid, 3),
                                {.smooth_m = smooth_m,
                                 .sigmas = 1.0,
                                 .area_m2 = 0.02e-6,
                                 .trend = smooth_m < 0.3e-3 ? LevelTrend::remove : LevelTrend::keep}));
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (Task& task : tasks) expect_same(find(*on_gpu_, task), find(*on_cpu_, task), task.name);
  }
}

TEST_F(ObjectUse, StoresWhileItFinds) {
  const Grid grid = plain_grid(256, 512);
  Task first = make_task("first", grid, speckle_picture(grid, 1), {.smooth_m = 0.2e-3, .sigmas = 1.5});
  Task second = make_task("second", grid, speckle_picture(grid, 2), {.smooth_m = 0.2e-3, .sigmas = 1.5});
  const ObjectImage want_first = find(*on_gpu_, first);
  const ObjectImage want_second = find(*on_gpu_, second);
  ASSERT_NE(want_first.labels, want_second.labels);
  store(*on_gpu_, 0, first);
  store(*on_gpu_, 1, second);
  for (int round = 0; round < 10; ++round) {
    const int in_work = round % 2;
    std::atomic<bool> over{false};
    std::atomic<int> stored{0};
    std::thread processing([&] {
      while (!over) {
        store(*on_gpu_, 1 - in_work, in_work == 0 ? second : first);
        ++stored;
      }
    });
    while (stored == 0) std::this_thread::yield();
    ObjectImage result;
    on_gpu_->find(in_work, first.plan, result);
    over = true;
    processing.join();
    expect_same(result, in_work == 0 ? want_first : want_second, "round " + std::to_string(round));
  }
}

// Printed, not asserted.
TEST_F(ObjectUse, TimesAreSaid) {
  for (const auto& [nx, nz] : {std::pair{256, 512}, {1024, 1024}}) {
    const Grid grid = plain_grid(nx, nz);
    for (const bool spiral : {false, true}) {
      Task task = make_task("times", grid, spiral ? spiral_picture(grid) : speckle_picture(grid, 1),
                            {.smooth_m = spiral ? 0.0 : 0.3e-3, .sigmas = spiral ? 0.0 : 3.0, .area_m2 = 0.1e-6});
      store(*on_gpu_, 0, task);
      std::vector<ObjectTimes> times;
      for (int i = 0; i < 21; ++i) {
        ObjectImage result;
        on_gpu_->find(0, task.plan, result);
        EXPECT_GT(result.times.background_ms, 0.0);
        EXPECT_GT(result.times.objects_ms, 0.0);
        EXPECT_GE(result.times.total_ms, result.times.objects_ms);
        times.push_back(result.times);
      }
      std::ranges::nth_element(times, times.begin() + 10, {}, &ObjectTimes::total_ms);
      const ObjectTimes& t = times[10];
      std::printf("%d x %d, %s: levels %.3f ms, objects %.3f ms, in all %.3f ms\n", nx, nz,
                  spiral ? "spiral" : "smoothed speckle", t.background_ms, t.objects_ms, t.total_ms);
    }
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::objects_use_test
