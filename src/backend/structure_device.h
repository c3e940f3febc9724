// What a computing device does to find structure in finished pictures: it keeps one that waits beside the one in work.
// The StructureEngine (structure.h) decides when; tests drive it directly.
//
// Two threads: store() is the processing thread's, into the slot that is not in work, and never waits. Everything else
// is the structure thread's.
#pragma once

#include "backend/structure_plan.h"
#include "core/results/image.h"
#include "core/results/structure_image.h"

namespace echoloop {

inline constexpr int kStructureSlots = 2;

class StructureDevice {
 public:
  virtual ~StructureDevice() = default;

  // What the structure thread does first: lowers its priority, makes what belongs to it.
  virtual void begin_thread() = 0;

  // Copies a finished picture, whose storage may be used again as soon as this returns. [processing thread]
  virtual void store(int slot, const Image& image) = 0;

  // Of the slot's picture: background .. found and times of `result`, everything else of it is the engine's.
  virtual void find(int slot, const StructurePlan& plan, StructureImage& result) = 0;
};

}  // namespace echoloop
