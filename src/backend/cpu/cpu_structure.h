// Structure on the CPU: smoothing on a pool of threads of lower priority than the lanes', the rest on the structure
// thread itself.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backend/cpu/cpu_refiner.h"
#include "backend/cpu/level_background.h"
#include "backend/cpu/object_labels.h"
#include "backend/cpu/worker_pool.h"
#include "backend/structure_device.h"

namespace echoloop {

class CpuStructureDevice final : public StructureDevice {
 public:
  explicit CpuStructureDevice(int threads) : threads_(threads) {}

  void begin_thread() override;
  void store(int slot, const Image& image) override;
  void find(int slot, const StructurePlan& plan, StructureImage& result) override;

 private:
  void smooth(const std::vector<float>& picture, const StructurePlan& plan, const Background& background);

  int threads_;
  std::unique_ptr<WorkerPool> pool_;
  std::array<std::vector<float>, kStructureSlots> pictures_;  // dB, [nz][nx]
  CpuRefiner refiner_;
  LevelBackground background_;
  ObjectLabels labels_;
  std::vector<float> smoothed_;
};

}  // namespace echoloop
