// Objects on the GPU against plain loops and against the CPU: backgrounds, histogram, labels and table, on noise of
// every density, shapes that wind, sizes that fit no block.
#include "gpu/object_tasks.h"

namespace echoloop::gpu_test::objects_test {
namespace {

using namespace testing;

class ObjectParity : public ObjectsTest {
 protected:
  void expect_parity(Task task) {
    const ObjectImage got = find(*on_gpu_, task);
    expect_same(got, plain_objects(task.plan, task.db), task.name + ", plain loops");
    expect_same(got, find(*on_cpu_, task), task.name + ", CPU");
    if (got.smoothed.pixels == 0) return;
    EXPECT_EQ(got.threshold_db, task.plan.threshold_db(got.smoothed)) << task.name;
  }
};

// Even levels: `density` of them lie above mean + sigmas sigma.
double sigmas_for(double density) { return std::sqrt(12.0) * (0.5 - density); }

TEST_F(ObjectParity, NoiseOfEveryDensity) {
  const Grid grid = plain_grid(301, 257);
  unsigned seed = 1;
  for (const double density : {0.02, 0.1, 0.3, 0.5, 0.58, 0.6, 0.62, 0.75, 0.95}) {
    const std::string name = "density " + std::to_string(density);
    expect_parity(make_task(name, grid, noise_picture(grid, seed++), {.sigmas = sigmas_for(density)}));
    Task dark = make_task(name + ", dark, spoilt, large ones", grid, noise_picture(grid, seed++),
                          {.sigmas = sigmas_for(density), .area_m2 = 3 * 5e-9, .objects = ObjectKind::dark});
    spoil(dark.db, seed);
    expect_parity(std::move(dark));
  }
}

TEST_F(ObjectParity, OddSizesAndLines) {
  unsigned seed = 100;
  for (const auto& [nx, nz] : {std::pair{1, 1},
                               {1, 2},
                               {2, 1},
                               {1, 77},
                               {77, 1},
                               {8192, 1},
                               {1, 8192},
                               {31, 33},
                               {32, 32},
                               {33, 8},
                               {63, 129},
                               {65, 9},
                               {127, 300},
                               {2, 500}}) {
    const Grid grid = plain_grid(nx, nz);
    const std::string name = std::to_string(nx) + " x " + std::to_string(nz);
    for (const double smooth_m : {0.0, 0.15e-3}) {
      for (const LevelTrend trend : {LevelTrend::keep, LevelTrend::remove}) {
        Task task =
            make_task(name, grid, noise_picture(grid, seed), {.smooth_m = smooth_m, .sigmas = 0.1, .trend = trend});
        spoil(task.db, seed++);
        expect_parity(std::move(task));
      }
    }
  }
}

TEST_F(ObjectParity, ShapesThatWind) {
  for (const auto& [nx, nz] : {std::pair{129, 131}, {256, 512}, {128, 128}, {70, 40}}) {
    const Grid grid = plain_grid(nx, nz);
    expect_parity(make_task("snake", grid, snake_picture(grid), {}));
    expect_parity(make_task("comb", grid, comb_picture(grid), {}));
    expect_parity(make_task("spiral", grid, spiral_picture(grid), {}));
    expect_parity(make_task("gap of the spiral", grid, spiral_picture(grid), {.objects = ObjectKind::dark}));
    expect_parity(make_task("checkers", grid, checker_picture(grid), {}));
  }
}

TEST_F(ObjectParity, AllNoneAndNothing) {
  const Grid grid = plain_grid(200, 150);
  expect_parity(make_task("all", grid, noise_picture(grid, 5), {.sigmas = -100.0}));
  expect_parity(make_task("none", grid, noise_picture(grid, 5), {.sigmas = 100.0}));
  expect_parity(make_task("too small", grid, noise_picture(grid, 5), {.sigmas = 1.0, .area_m2 = 1.0}));
  const std::size_t n = grid.pixels();
  expect_parity(make_task("one level", grid, std::vector<float>(n, -31.3f), {.smooth_m = 0.3e-3, .sigmas = -1.0}));
  const float missing = std::numeric_limits<float>::quiet_NaN();
  for (const double smooth_m : {0.0, 0.3e-3}) {
    expect_parity(make_task("not a number", grid, std::vector<float>(n, missing), {.smooth_m = smooth_m}));
    expect_parity(make_task("no echo", grid, std::vector<float>(n, -400.0f), {.smooth_m = smooth_m, .sigmas = -1.0}));
    std::vector<float> lines = noise_picture(grid, 6);  // rows and columns without an echo
    for (std::size_t i = 0; i < n; ++i) {
      if (i / 200 < 50 || i % 200 > 120) lines[i] = -400.0f;
    }
    expect_parity(make_task("no echo in lines", grid, std::move(lines),
                            {.smooth_m = smooth_m, .sigmas = 1.0, .trend = LevelTrend::remove}));
  }
}

// Levels after smoothing are the same to the last bit, or labels would not be.
TEST_F(ObjectParity, SmoothedSpeckle) {
  for (const Grid& grid : {plain_grid(256, 512), plain_grid(193, 211), sector_grid(192, 300), sector_grid(61, 47)}) {
    for (const double smooth_m : {0.0, 0.05e-3, 0.3e-3, 1e-3, 5e-3}) {
      for (const ObjectKind objects : {ObjectKind::bright, ObjectKind::dark}) {
        const std::string name =
            std::to_string(grid.nx) + " x " + std::to_string(grid.nz) + ", " + std::to_string(1e3 * smooth_m) + " mm";
        Task task = make_task(name, grid, speckle_picture(grid, 7),
                              {.smooth_m = smooth_m, .sigmas = 1.5, .area_m2 = 0.1e-6, .objects = objects});
        expect_parity(task);
        spoil(task.db, 8);
        task.name += ", spoilt";
        expect_parity(std::move(task));
      }
    }
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::objects_test
