// Connected objects on the CPU: pixels that touch along an edge, by two passes and a forest of labels in between. One
// thread's; keeps its memory from image to image.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/worker_pool.h"
#include "backend/das_tables.h"
#include "backend/object_plan.h"
#include "backend/plain_array.h"

namespace echoloop {

class ObjectLabels {
 public:
  // Of the pixels [nz][nx] whose mark in `labels` is not 0: replaces it by the object's number, from 1 in the order of
  // the objects' first pixels, row by row (as scipy.ndimage.label numbers them). `db`: the picture as it is. Objects
  // of less than plan.least_area become 0 and have no number. Returns how many there were with those.
  std::uint64_t find(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels,
                     std::vector<FoundObject>& objects);

 private:
  std::int32_t root_of(std::int32_t label);
  std::int32_t join(std::int32_t a, std::int32_t b);
  void label_rows(const Grid& grid, std::span<std::int32_t> labels);
  void add_pixels(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels);

  std::vector<std::int32_t> parent_;  // of a label, never larger than it; [0] is no object
  std::vector<std::int32_t> number_;  // of a label: its object's
  std::vector<ObjectSums> sums_;      // [object]
};

// The refine stage on the CPU: the loops around dsp/refine.h, and their buffers. One a lane.

class CpuRefiner {
 public:
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Of amplitudes [nz][nx], kept until the next call: `before`'s average with weight `keep`; null: this frame alone.
  // The result in dB against reference_db goes to `db`.
  void average(WorkerPool& pool, const CpuRefiner* before, float keep, const float* amplitudes, float reference_db,
               float* db);
  void filter(WorkerPool& pool, float* db);  // in place

 private:
  template <class Pixel>
  void pass(WorkerPool& pool, float* db, const Pixel& pixel);
  template <class Row>
  void smooth_rows(WorkerPool& pool, float* db, const Row& smooth);
  void smooth_axial(int iz, float* row) const;
  void smooth_lateral(int iz, float* row) const;

  std::shared_ptr<const RefinePlan> plan_;
  PlainArray<float> average_;  // amplitudes
  PlainArray<float> scratch_;  // dB
};

}  // namespace echoloop
