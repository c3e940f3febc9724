// Objects in an image, one pixel at a time: pixels that count, pixels beyond a threshold, and terms of each in the sums
// of its object. Sums are of integers, so that they do not depend on the order.
#pragma once

#include <cfloat>
#include <cmath>

#include "core/hd.h"
#include "core/params.h"
#include "core/results/image.h"

namespace echoloop {

// Returns true if a pixel's level is a number with an echo.
ECHO_HD bool level_counts(float db) { return db > static_cast<float>(kNoEcho_db) && db <= FLT_MAX; }

// Returns the input of smoothing: `stand_in_db` for a pixel that does not count, which would spoil its neighbours.
ECHO_HD float level_or(float db, float stand_in_db) { return level_counts(db) ? db : stand_in_db; }

// `smoothed_db`: input of the threshold; `db`: unfiltered image.
ECHO_HD bool beyond_threshold(float db, float smoothed_db, double threshold_db, ObjectKind wanted) {
  if (!level_counts(db)) return false;
  const auto level_db = static_cast<double>(smoothed_db);
  return wanted == ObjectKind::bright ? level_db > threshold_db : level_db < threshold_db;
}

// Level trend along the rows or columns of an image: the median of the levels that count in each line, and of these a
// running median. Structures narrower than a quarter of the image leave it unchanged, a monotonic trend is kept.
// Order statistics and differences only: equal on all devices.

enum class ImageLines { rows, columns };

// Median of a line without a level that counts; above all levels.
inline constexpr float kNoMedian_db = FLT_MAX;

// Returns the rank, from 0, of the median of `count` levels.
ECHO_HD int median_rank(int count) { return (count - 1) / 2; }

// Returns the number of lines on each side in the running median: a quarter of all, and fewer at the image's edges.
ECHO_HD int trend_reach(int line, int lines) {
  const int inside = line < lines - 1 - line ? line : lines - 1 - line;
  return inside < lines / 4 ? inside : lines / 4;
}

// Returns the level without the trend of its line, about the image's median.
ECHO_HD float without_trend(float db, float trend_db, float median_db) { return db - (trend_db - median_db); }

// Tables of positions and weights of pixels: a pixel's area is row_area[iz] units, its first moments row_x[iz]
// column_x[ix] and row_z[iz] column_z[ix]. At most 2^16 for the area, 2^18 for the others: 2^26 pixels do not overflow.
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
inline constexpr float kLargestLevel_db = 300.0f;  // upper limit of levels

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

// `into` has at least one pixel.
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

// Kappa-sigma clipping on sorted levels: the kept levels are always contiguous, so that each round needs two searches
// and four running sums. One thread, host and device.
//
// Each round: median, mean and sigma (of the population) of the kept levels; the next ones are those within kappa sigma
// of the median (as astropy.stats.sigma_clip with its defaults). Ends when nothing is removed.

// `count` levels, ascending; sums have count + 1 values: of (level - pivot_db), and its square, over earlier levels.
struct SortedLevels {
  const float* level_db;
  const double* sum;
  const double* sum_of_squares;
  long long count;
  double pivot_db;
};

struct ClippedLevels {
  long long first, end;  // of the kept levels
  double median_db, mean_db, sigma_db;
  int rounds;
};

inline constexpr int kMaxClippingRounds = 100;

// Returns the first of [first, end) not below the level; with Edge::above, the first above it.
enum class Edge { not_below, above };
ECHO_HD long long first_level(const SortedLevels& s, long long first, long long end, double level_db, Edge edge) {
  while (first < end) {
    const long long middle = first + (end - first) / 2;
    const double v = static_cast<double>(s.level_db[middle]);
    const bool left = edge == Edge::not_below ? v < level_db : v <= level_db;
    if (left)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

ECHO_HD ClippedLevels clip_levels(const SortedLevels& s, double kappa) {
  ClippedLevels c{0, s.count, 0.0, 0.0, 0.0, 0};
  while (c.end > c.first) {
    const long long n = c.end - c.first;
    const double below = static_cast<double>(s.level_db[c.first + (n - 1) / 2]);
    const double above = static_cast<double>(s.level_db[c.first + n / 2]);
    c.median_db = 0.5 * (below + above);
    const double mean = (s.sum[c.end] - s.sum[c.first]) / static_cast<double>(n);
    const double square = (s.sum_of_squares[c.end] - s.sum_of_squares[c.first]) / static_cast<double>(n);
    const double variance = square - mean * mean;
    c.mean_db = s.pivot_db + mean;
    c.sigma_db = sqrt(variance > 0.0 ? variance : 0.0);
    if (c.rounds == kMaxClippingRounds) return c;
    const double reach = kappa * c.sigma_db;
    const long long first = first_level(s, c.first, c.end, c.median_db - reach, Edge::not_below);
    const long long end = first_level(s, first, c.end, c.median_db + reach, Edge::above);
    if (first == c.first && end == c.end) return c;
    ++c.rounds;
    c.first = first;
    c.end = end;
  }
  return c;
}

}  // namespace echoloop
