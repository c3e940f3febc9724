// Launch functions of the object_*.cu files. All queue work on `stream` and return; pointers are device pointers.
// Images are float [nz][nx], n pixels, at most 2^27.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/stream.h"
#include "backend/object_plan.h"
#include "core/results/analysis_images.h"
#include "dsp/objects.h"
#include "dsp/refine.h"

namespace echoloop::cuda {

inline constexpr int kHistogramPlaces = kHistogramBins + 3;  // of histogram_place()

// Intermediate results, passed between kernels.
struct ObjectFindings {
  Background background;
  Background smoothed;
  double threshold_db;
  double pivot_db;  // of the running sums
  long long counting;
  int found;
  int kept;
  unsigned histogram[kHistogramPlaces];
};

// object_labels.cu: all in place and through `scratch`.
std::size_t sort_scratch_bytes(int n);
struct Scratch {
  void* memory;
  std::size_t bytes;  // at least sort_scratch_bytes()
};
// Sorts ascending; returns that of the two arrays [n] that holds the result.
const float* sort_levels(float* levels, float* other, int n, const Scratch& scratch, StreamView stream);
void sum_up(double* values, int n, const Scratch& scratch, StreamView stream);  // values[i] += values[0 .. i - 1]
void sum_up(int* values, int n, const Scratch& scratch, StreamView stream);

// object_levels.cu
void count_levels(const float* db, int n, unsigned* histogram, StreamView stream);

// Finds the background of `levels` at the pixels whose `db` counts.
struct LevelSpace {
  float* sorted;  // two of [n]
  double* sums;   // two of [n + 1]
  Scratch scratch;
};
void find_background(const float* db, const float* levels, int n, double kappa, const LevelSpace& space,
                     ObjectFindings* findings, Background* background, StreamView stream);
// Sets pixels that do not count to the background's median, before smoothing.
void fill_gaps(const float* db, int n, const ObjectFindings* findings, float* filled, StreamView stream);
// Removes the level trend of the rows or columns, in place, at the pixels whose `db` counts.
struct TrendSpace {
  float* medians;  // [max(nx, nz)]
  float* trend;    // [max(nx, nz)]
};
void remove_trend(const PictureView& db, ImageLines lines, const TrendSpace& space, const ObjectFindings* findings,
                  float* levels, StreamView stream);
void find_threshold(double sigmas, ObjectKind wanted, ObjectFindings* findings, StreamView stream);

// object_labels.cu
struct PixelSelection {
  const float* db;        // unfiltered
  const float* smoothed;  // input of the threshold
  int nx, nz;
  ObjectKind wanted;
};
// roots [n]: first pixel of the object of each pixel beyond the threshold; -1 elsewhere. numbers [n]: at a first pixel
// the object's number, from 1. Also sets findings->found.
void label_objects(const PixelSelection& pixels, int* roots, int* numbers, const Scratch& scratch,
                   ObjectFindings* findings, StreamView stream);

// objects, keep: [(n + 1) / 2], the most that an image can have. Writes labels in place of roots; findings->kept; keep
// [k]: number of large enough objects up to k.
struct ObjectSpace {
  ObjectSums* objects;
  int* keep;
  Scratch scratch;
};
void sum_objects(const PixelSelection& pixels, const PixelMoments& moments, unsigned long long least_area, int* roots,
                 const int* numbers, const ObjectSpace& space, ObjectFindings* findings, StreamView stream);
// Writes table [kept] of `found` objects.
void pick_objects(const ObjectSpace& space, int found, unsigned long long least_area, ObjectSums* table,
                  StreamView stream);

}  // namespace echoloop::cuda
