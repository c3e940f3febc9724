// Objects in an image, one pixel at a time: which pixels count, which lie beyond a threshold, and what each adds
// to its object. Sums are of integers, so that they are the same in any order.
#pragma once

#include <cfloat>
#include <cmath>

#include "core/hd.h"
#include "core/params.h"
#include "core/results/level_histogram.h"

namespace echoloop {

// Whether a pixel's level counts: it is a number, and there was an echo.
ECHO_HD bool level_counts(float db) { return db > static_cast<float>(kNoEcho_db) && db <= FLT_MAX; }

// What smoothing sees: `stand_in_db` in the place of a pixel that does not count, which would spoil its neighbours.
ECHO_HD float level_or(float db, float stand_in_db) { return level_counts(db) ? db : stand_in_db; }

// `smoothed_db`: what the threshold is applied to; `db`: the image as it is.
ECHO_HD bool beyond_threshold(float db, float smoothed_db, double threshold_db, ObjectKind wanted) {
  if (!level_counts(db)) return false;
  const auto level_db = static_cast<double>(smoothed_db);
  return wanted == ObjectKind::bright ? level_db > threshold_db : level_db < threshold_db;
}

// Tables that place and weigh pixels: a pixel's area is row_area[iz] units, its first moments row_x[iz] column_x[ix]
// and row_z[iz] column_z[ix]. At most 2^16 for the area, 2^18 for the others: 2^26 pixels do not overflow.
struct PixelMoments {
  const int* row_area;  // [nz]
  const int* row_x;     // [nz]
  const int* row_z;     // [nz]
  const int* column_x;  // [nx]
  const int* column_z;  // [nx]
};

struct ObjectSums {
  unsigned long long pixels = 0;
  unsigned long long area = 0;
  long long x = 0;
  long long z = 0;
  long long level = 0;  // area times level in steps of 2^-12 dB
  int ix0 = 0, ix1 = 0, iz0 = 0, iz1 = 0;
};

inline constexpr float kLevelStepsPer_db = 4096.0f;
inline constexpr float kLargestLevel_db = 300.0f;  // whatever is louder counts as much

ECHO_HD ObjectSums pixel_sums(const PixelMoments& m, float db, int ix, int iz) {
  const float level_db = db < kLargestLevel_db ? db : kLargestLevel_db;
  const auto steps = static_cast<long long>(rintf(level_db * kLevelStepsPer_db));
  ObjectSums s;
  s.pixels = 1;
  s.area = static_cast<unsigned long long>(m.row_area[iz]);
  s.x = static_cast<long long>(m.row_x[iz]) * m.column_x[ix];
  s.z = static_cast<long long>(m.row_z[iz]) * m.column_z[ix];
  s.level = m.row_area[iz] * steps;
  s.ix0 = s.ix1 = ix;
  s.iz0 = s.iz1 = iz;
  return s;
}

// `into` holds at least one pixel.
ECHO_HD void add_sums(ObjectSums& into, const ObjectSums& s) {
  into.pixels += s.pixels;
  into.area += s.area;
  into.x += s.x;
  into.z += s.z;
  into.level += s.level;
  into.ix0 = s.ix0 < into.ix0 ? s.ix0 : into.ix0;
  into.ix1 = s.ix1 > into.ix1 ? s.ix1 : into.ix1;
  into.iz0 = s.iz0 < into.iz0 ? s.iz0 : into.iz0;
  into.iz1 = s.iz1 > into.iz1 ? s.iz1 : into.iz1;
}

}  // namespace echoloop
