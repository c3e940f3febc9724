// Structure on the CPU: smoothing on a pool of threads of lower priority than the lanes', the rest on the structure
// thread itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/cpu_refiner.h"
#include "backend/cpu/object_labels.h"
#include "backend/cpu/worker_pool.h"
#include "backend/structure_device.h"
#include "core/results/structure_image.h"

namespace echoloop {

// The background of a picture by kappa-sigma clipping (dsp/background.h) on the CPU: the levels that count, sorted, and
// their running sums. Keeps its memory from picture to picture. One thread's.
class LevelBackground {
 public:
  // Of the levels of `db` at those pixels that count in `picture`; both of the same size, and may be the same.
  Background find(std::span<const float> db, std::span<const float> picture, double kappa);

 private:
  void collect(std::span<const float> db, std::span<const float> picture);
  void sort();

  std::vector<std::uint32_t> keys_, sorted_;  // rise as the levels do
  std::vector<float> levels_;                 // rising
  std::vector<double> sum_, squares_;         // see SortedLevels
};

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
