// Shared by the tests of objects on the GPU: images with their tasks, both devices.
#pragma once

#include "backend/object_plan.h"
#include "gpu/gpu_support.h"
#include "support/plain_objects.h"
#include "support/same_objects.h"
#include "support/winding_pictures.h"

namespace echoloop::gpu_test {

struct Task {
  std::string name;
  ObjectPlan plan;
  std::vector<float> db;
};

struct Wanted {
  double smooth_m = 0.0;
  double sigmas = 0.0;
  double area_m2 = 0.0;
  ObjectKind objects = ObjectKind::bright;
  LevelTrend trend = LevelTrend::keep;
};

inline Task make_task(std::string name, const Grid& grid, std::vector<float> db, const Wanted& wanted) {
  ImagingParams p;
  p.objects.kind = wanted.objects;
  p.objects.trend = wanted.trend;
  p.objects.smooth_m = wanted.smooth_m;
  p.objects.min_area_m2 = wanted.area_m2;
  ObjectPlan plan = make_object_plan(p, grid);
  plan.sigmas = wanted.sigmas;  // also below the user's minimum
  return {std::move(name), std::move(plan), std::move(db)};
}

inline void store(ObjectDevice& device, int slot, Task& task) {
  Image image;
  image.grid = task.plan.grid;
  image.host_db = task.db.data();  // unified addressing: host memory works
  device.store(slot, image);
}

inline ObjectImage find(ObjectDevice& device, Task& task) {
  ObjectImage result;
  store(device, 0, task);
  device.find(0, task.plan, result);
  return result;
}

using testing::expect_same;

class ObjectsTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    on_cpu_ = cpu().make_device<ObjectAnalysis>();
    on_gpu_ = gpu().make_device<ObjectAnalysis>();
    on_cpu_->begin_thread();
    on_gpu_->begin_thread();
  }

  std::unique_ptr<ObjectDevice> on_cpu_, on_gpu_;
};

}  // namespace echoloop::gpu_test
