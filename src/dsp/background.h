// Kappa-sigma clipping on sorted levels: what is kept is always one stretch of them, so that each round takes two
// searches and four running sums. One thread's work, host and device.
//
// Each round: median, mean and sigma (of the population) of the stretch; the next stretch is that part of it within
// kappa sigma of the median (as astropy.stats.sigma_clip does with its defaults). Ends when nothing goes.
#pragma once

#include <cmath>

#include "core/hd.h"

namespace echoloop {

// `count` levels, rising; sums have count + 1 values: of (level - pivot_db), and of its square, over those before.
struct SortedLevels {
  const float* level_db;
  const double* sum;
  const double* sum_of_squares;
  long long count;
  double pivot_db;
};

struct ClippedLevels {
  long long first, end;  // of the levels that are kept
  double median_db, mean_db, sigma_db;
  int rounds;
};

inline constexpr int kMaxClippingRounds = 100;

// The first of [first, end) that is not below the level; with Edge::above, the first above it.
enum class Edge { not_below, above };
ECHO_HD long long first_level(const SortedLevels& s, long long first, long long end, double level_db, Edge edge) {
  while (first < end) {
    const long long middle = first + (end - first) / 2;
    const double v = static_cast<double>(s.level_db[middle]);
    const bool left = edge == Edge::not_below ? v < level_db : v <= level_db;
    if (left) {
      first = middle + 1;
    } else {
      end = middle;
    }
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
