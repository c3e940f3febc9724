// Labels connected objects on the CPU: pixels that share an edge, by two passes and a forest of labels. One thread;
// keeps its memory between images.
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
  // Replaces each nonzero mark in `labels` [nz][nx] by the number of its object, from 1 in the order of the objects'
  // first pixels, row by row (as scipy.ndimage.label). `db`: the unfiltered image. Objects smaller than plan.least_area
  // become 0 and get no number. Returns the number of objects including these.
  std::uint64_t find(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels,
                     std::vector<FoundObject>& objects);

 private:
  std::int32_t root_of(std::int32_t label);
  std::int32_t join(std::int32_t a, std::int32_t b);
  void label_rows(const Grid& grid, std::span<std::int32_t> labels);
  void add_pixels(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels);

  std::vector<std::int32_t> parent_;  // per label, never larger than it; [0]: no object
  std::vector<std::int32_t> number_;  // object number per label
  std::vector<ObjectSums> sums_;      // [object]
};

// Refine stage on the CPU: loops and buffers around dsp/refine.h. One per lane.

class CpuRefiner {
 public:
  void set_plan(const std::shared_ptr<const RefinePlan>& plan);  // null: nothing to do

  // Averages amplitudes [nz][nx] with those of `before`, weighted by `keep` (null: no average), and keeps the result
  // until the next call. Writes it to `db` in dB against reference_db.
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
