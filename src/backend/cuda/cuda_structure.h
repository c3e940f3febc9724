// Structure found on the GPU, on a stream of the lowest priority, so that frames of the live stream go first. Threshold
// and labels follow from the picture without a stop; the host waits once for them, and once for a table whose length it
// then knows.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "backend/cuda/kernels/structure_kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/event.h"
#include "backend/cuda/runtime/readback_buffer.h"
#include "backend/structure_device.h"

namespace echoloop::cuda {

class CudaStructureDevice final : public StructureDevice {
 public:
  explicit CudaStructureDevice(std::shared_ptr<Context> context);
  ~CudaStructureDevice() override;
  CudaStructureDevice(const CudaStructureDevice&) = delete;
  CudaStructureDevice& operator=(const CudaStructureDevice&) = delete;

  void begin_thread() override;
  void store(int slot, const Image& image) override;
  void find(int slot, const StructurePlan& plan, StructureImage& result) override;

 private:
  // A picture on its way to the device, or there.
  struct Slot {
    explicit Slot(StreamView processing) : memory(processing) {}
    DeviceBuffer memory;  // float [nz][nx]
    Event stored{EventUse::order};
  };
  // Points in time of one image.
  struct Marks {
    Event begun{EventUse::time};
    Event levels_known{EventUse::time};
    Event done{EventUse::time_and_sleep};
  };
  // Of the smoothing filter.
  struct Taps {
    std::shared_ptr<const RefinePlan> made_of;
    std::optional<DeviceTables> tables;
  };

  [[nodiscard]] StreamView stream() const { return stream_.view(); }
  [[nodiscard]] StructureFindings* findings() const { return findings_.as<StructureFindings>(); }
  [[nodiscard]] Scratch scratch() const { return {scratch_.as<void>(), scratch_bytes_}; }
  [[nodiscard]] LevelSpace level_space() const;
  [[nodiscard]] ObjectSpace object_space() const;
  void reserve(const StructurePlan& plan);
  const float* smooth(const StructurePlan& plan, const float* db);
  const float* look_at_levels(const StructurePlan& plan, const float* db);
  void look_for_objects(const StructurePlan& plan, const float* db, const float* smoothed);
  void take_findings(StructureImage& result);
  void take_table(const StructurePlan& plan, int found, int kept, StructureImage& result);

  std::shared_ptr<Context> context_;  // first: freed last
  Stream stream_{StreamPriority::low};
  std::array<Slot, kStructureSlots> slots_;
  DeviceBuffer smoothed_;  // two of float [nz][nx]
  DeviceBuffer work_;      // LevelSpace, then ObjectSpace in its place
  DeviceBuffer scratch_;   // of structure_sort.cu
  DeviceBuffer roots_;     // int [nz][nx], at last the labels
  DeviceBuffer numbers_;   // int [nz][nx]
  DeviceBuffer findings_;
  DeviceBuffer table_;       // ObjectSums [kept]
  ReadbackBuffer readback_;  // StructureFindings, labels
  ReadbackBuffer table_readback_;
  Marks marks_;
  Taps taps_;
  std::optional<DeviceTables> moments_;
  Grid grid_;  // that moments_ and the sizes are for
  int n_ = 0;  // its pixels
  std::size_t scratch_bytes_ = 0;
};

}  // namespace echoloop::cuda
