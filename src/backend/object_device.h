// What a computing device does to find objects in finished images: it keeps one that waits beside the one in work.
// The ObjectEngine (objects.h) decides when; tests drive it directly.
//
// Two threads: store() is the processing thread's, into the slot that is not in work, and never waits. Everything else
// is the objects thread's.
#pragma once

#include "backend/object_plan.h"
#include "core/results/image.h"
#include "core/results/object_image.h"

namespace echoloop {

inline constexpr int kObjectSlots = 2;

class ObjectDevice {
 public:
  virtual ~ObjectDevice() = default;

  // What the objects thread does first: lowers its priority, makes what belongs to it.
  virtual void begin_thread() = 0;

  // Copies a finished image, whose storage may be used again as soon as this returns. [processing thread]
  virtual void store(int slot, const Image& image) = 0;

  // Of the slot's image: background .. found and times of `result`, everything else of it is the engine's.
  virtual void find(int slot, const ObjectPlan& plan, ObjectImage& result) = 0;
};

}  // namespace echoloop
