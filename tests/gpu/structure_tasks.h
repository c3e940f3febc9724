// What the tests of structure on the GPU share: pictures with what is wanted of them, both devices, comparisons.
#pragma once

#include "backend/structure_device.h"
#include "backend/structure_plan.h"
#include "gpu/gpu_support.h"
#include "support/plain_structure.h"
#include "support/winding_pictures.h"

namespace echoloop::gpu_test {

struct Task {
  std::string name;
  StructurePlan plan;
  std::vector<float> db;
};

struct Wanted {
  double smooth_m = 0.0;
  double sigmas = 0.0;
  double area_m2 = 0.0;
  Structure structure = Structure::bright;
};

inline Task make_task(std::string name, const Grid& grid, std::vector<float> db, const Wanted& wanted) {
  ImagingParams p;
  p.structure = wanted.structure;
  p.structure_smooth_m = wanted.smooth_m;
  p.structure_area_m2 = wanted.area_m2;
  StructurePlan plan = make_structure_plan(p, grid);
  plan.sigmas = wanted.sigmas;  // also less than a user may ask for
  return {std::move(name), std::move(plan), std::move(db)};
}

inline void store(StructureDevice& device, int slot, Task& task) {
  Image image;
  image.grid = task.plan.grid;
  image.host_db = task.db.data();  // unified addressing: host memory will do
  device.store(slot, image);
}

inline StructureImage find(StructureDevice& device, Task& task) {
  StructureImage result;
  store(device, 0, task);
  device.find(0, task.plan, result);
  return result;
}

inline void expect_same(const Background& got, const Background& want) {
  EXPECT_EQ(got.pixels, want.pixels);
  EXPECT_EQ(got.rounds, want.rounds);
  EXPECT_EQ(got.median_db, want.median_db);
  EXPECT_NEAR(got.mean_db, want.mean_db, 1e-9);
  EXPECT_NEAR(got.sigma_db, want.sigma_db, 1e-9);
  EXPECT_EQ(got.lowest_db, want.lowest_db);
  EXPECT_EQ(got.highest_db, want.highest_db);
}

inline void expect_same(const StructureObject& got, const StructureObject& want) {
  EXPECT_EQ(got.area_m2, want.area_m2);
  EXPECT_EQ(got.centroid, want.centroid);
  EXPECT_EQ(got.mean_db, want.mean_db);
  EXPECT_EQ(got.pixels, want.pixels);
  EXPECT_EQ(got.ix0, want.ix0);
  EXPECT_EQ(got.ix1, want.ix1);
  EXPECT_EQ(got.iz0, want.iz0);
  EXPECT_EQ(got.iz1, want.iz1);
}

inline void expect_same(const StructureImage& got, const StructureImage& want, const std::string& name) {
  SCOPED_TRACE(name);
  expect_same(got.background, want.background);
  expect_same(got.smoothed, want.smoothed);
  EXPECT_NEAR(got.threshold_db, want.threshold_db, 1e-8 * std::max(1.0, std::abs(want.threshold_db)));
  EXPECT_EQ(got.histogram.first_db, want.histogram.first_db);
  EXPECT_EQ(got.histogram.step_db, want.histogram.step_db);
  EXPECT_EQ(got.histogram.counts, want.histogram.counts);
  EXPECT_EQ(got.histogram.below, want.histogram.below);
  EXPECT_EQ(got.histogram.above, want.histogram.above);
  EXPECT_EQ(got.histogram.without, want.histogram.without);
  EXPECT_EQ(got.found, want.found);
  EXPECT_TRUE(got.labels == want.labels);
  ASSERT_EQ(got.objects.size(), want.objects.size());
  for (std::size_t k = 0; k < want.objects.size(); ++k) expect_same(got.objects[k], want.objects[k]);
}

class StructureTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    on_cpu_ = cpu().make_structure_device();
    on_gpu_ = gpu().make_structure_device();
    on_cpu_->begin_thread();
    on_gpu_->begin_thread();
  }

  std::unique_ptr<StructureDevice> on_cpu_, on_gpu_;
};

}  // namespace echoloop::gpu_test
