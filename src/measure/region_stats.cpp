#include "measure/region_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace echoloop {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double weight_of(const RegionPixels& region, std::size_t i) {
  return region.weight.empty() ? 1.0 : static_cast<double>(region.weight[i]);
}

template <class Take>  // (level in dB, weight)
void each_level(const LevelPicture& picture, const RegionPixels& region, Take&& take) {
  for (std::size_t i = 0; i < region.index.size(); ++i) {
    const float db = picture.db[region.index[i]];
    if (!(db > static_cast<float>(kNoEcho_db))) continue;  // not a number, too
    take(static_cast<double>(db), weight_of(region, i));
  }
}

double whole_weight(const RegionPixels& region) {
  double sum = 0.0;
  for (std::size_t i = 0; i < region.index.size(); ++i) sum += weight_of(region, i);
  return sum;
}

// Shares of the levels in steps so fine that they stand for the levels themselves.
constexpr double kFinest_db = 0.02, kLowest_db = -200.0, kHighest_db = 100.0;
constexpr auto kFine = static_cast<std::size_t>((kHighest_db - kLowest_db) / kFinest_db);

std::vector<double> fine_shares(const LevelPicture& picture, const RegionPixels& region) {
  std::vector<double> shares(kFine, 0.0);
  double sum = 0.0;
  each_level(picture, region, [&](double db, double weight) {
    const double at = std::clamp((db - kLowest_db) / kFinest_db, 0.0, static_cast<double>(kFine - 1));
    shares[static_cast<std::size_t>(at)] += weight;
    sum += weight;
  });
  for (double& share : shares) share /= sum;
  return shares;
}

// 1 - sum of min(p, q) over bins (Rodriguez-Molares et al., IEEE TUFFC 67 (2020) 745). They leave the bins to
// the user; the number of the true distributions does not depend on how levels are scaled, so neither do these bins:
// each holds the same share of both regions together, both counted alike however large. Where there are few pixels
// there must be few bins, or chance alone parts the regions: 4 n^(1/3) of the smaller region, 8 at least,
// and an even number: regions that have no level in common are then parted by an edge.
double overlap_missing(const std::vector<double>& p, const std::vector<double>& q, int bins) {
  double overlap = 0.0, both = 0.0, in_p = 0.0, in_q = 0.0;
  int next = 1;
  for (std::size_t i = 0; i < kFine; ++i) {
    in_p += p[i];
    in_q += q[i];
    both += 0.5 * (p[i] + q[i]);
    if (both * bins < next - 1e-9) continue;
    overlap += std::min(in_p, in_q);
    in_p = in_q = 0.0;
    next = static_cast<int>(both * bins + 1e-9) + 1;
  }
  return 1.0 - overlap - std::min(in_p, in_q);
}

}  // namespace

double RegionStats::level_db() const { return 20.0 * std::log10(mean_amplitude); }

RegionStats measure_region(const LevelPicture& picture, const RegionPixels& region) {
  RegionStats s{.pixels_all = region.index.size(), .area_m2 = region.area_m2};
  s.min_db = std::numeric_limits<double>::max();
  s.max_db = -s.min_db;
  // Sums of deviations from the first value: squares of the values themselves would lose digits.
  double weights = 0.0, db_sum = 0.0, db_squares = 0.0, sum = 0.0, squares = 0.0, first_db = 0.0, first = 0.0;
  each_level(picture, region, [&](double db, double weight) {
    constexpr float kOctaves = 0.166096404744368F;  // log2(10) / 20
    const double amplitude = static_cast<double>(std::exp2(kOctaves * static_cast<float>(db)));
    if (s.pixels == 0) first_db = db, first = amplitude;
    ++s.pixels;
    weights += weight;
    db_sum += weight * (db - first_db);
    db_squares += weight * (db - first_db) * (db - first_db);
    sum += weight * (amplitude - first);
    squares += weight * (amplitude - first) * (amplitude - first);
    s.min_db = std::min(s.min_db, db);
    s.max_db = std::max(s.max_db, db);
  });
  s.share_with_echo = s.pixels_all == 0          ? kNothing
                      : s.pixels == s.pixels_all ? 1.0  // not a rounding error less
                                                 : weights / whole_weight(region);
  if (s.pixels == 0) {
    s.mean_db = s.std_db = s.mean_amplitude = s.std_amplitude = s.min_db = s.max_db = kNothing;
    return s;
  }
  s.mean_db = first_db + db_sum / weights;
  s.std_db = std::sqrt(std::max(0.0, db_squares / weights - (db_sum / weights) * (db_sum / weights)));
  s.mean_amplitude = first + sum / weights;
  s.std_amplitude = std::sqrt(std::max(0.0, squares / weights - (sum / weights) * (sum / weights)));
  return s;
}

PairStats compare_regions(const LevelPicture& picture, const RegionPixels& target, const RegionPixels& background) {
  PairStats pair{.target = measure_region(picture, target), .background = measure_region(picture, background)};
  const RegionStats &t = pair.target, &b = pair.background;
  if (t.pixels == 0 || b.pixels == 0) {
    pair.contrast_db = pair.cnr = pair.gcnr = kNothing;
    return pair;
  }
  pair.contrast_db = t.level_db() - b.level_db();
  pair.cnr = std::abs(t.mean_amplitude - b.mean_amplitude) / std::hypot(t.std_amplitude, b.std_amplitude);
  const double n = static_cast<double>(std::min(t.pixels, b.pixels));
  pair.gcnr_bins = std::max(8, 2 * static_cast<int>(std::lround(2.0 * std::cbrt(n))));
  pair.gcnr = overlap_missing(fine_shares(picture, target), fine_shares(picture, background), pair.gcnr_bins);
  return pair;
}

}  // namespace echoloop
