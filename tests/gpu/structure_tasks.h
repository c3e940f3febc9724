// What the tests of structure on the GPU share: pictures with what is wanted of them, both devices.
#pragma once

#include "backend/structure_device.h"
#include "backend/structure_plan.h"
#include "gpu/gpu_support.h"
#include "support/plain_structure.h"
#include "support/same_structure.h"
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
  p.objects.kind = wanted.structure;
  p.objects.smooth_m = wanted.smooth_m;
  p.objects.min_area_m2 = wanted.area_m2;
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

using testing::expect_same;

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
