#include "measure/levels.h"

#include <limits>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double weight_of(const RegionPixels& region, std::size_t i) {
  return region.weight.empty() ? 1.0 : static_cast<double>(region.weight[i]);
}

template <class Take>  // (level in dB, weight)
void each_level(const LevelImage& picture, const RegionPixels& region, Take&& take) {
  for (std::size_t i = 0; i < region.index.size(); ++i) {
    const float db = picture.db[region.index[i]];
    if (!(db > static_cast<float>(kNoEcho_db))) continue;  // also NaN
    take(static_cast<double>(db), weight_of(region, i));
  }
}

double whole_weight(const RegionPixels& region) {
  double sum = 0.0;
  for (std::size_t i = 0; i < region.index.size(); ++i) sum += weight_of(region, i);
  return sum;
}

struct LevelShare {
  float db;
  double in_target, in_background;  // of the region's weight
};

void add_shares(const LevelImage& picture, const RegionPixels& region, double LevelShare::*of,
                std::vector<LevelShare>& to) {
  const std::size_t first = to.size();
  double sum = 0.0;
  each_level(picture, region, [&](double db, double weight) {
    to.push_back({static_cast<float>(db), 0.0, 0.0});
    to.back().*of = weight;
    sum += weight;
  });
  for (std::size_t i = first; i < to.size(); ++i) to[i].*of /= sum;
}

// Returns 1 - sum of min(p, q) over bins (Rodriguez-Molares et al., IEEE TUFFC 67 (2020) 745), whose choice of bins is
// open. Their gCNR does not depend on the scale of levels, so neither do these bins: each holds the same share of both
// regions together, each region with equal weight. Only the order of the levels is used, so that a strictly monotonic
// map does not change the result.
double overlap_missing(std::vector<LevelShare>& levels, int bins) {
  std::ranges::sort(levels, {}, &LevelShare::db);
  double overlap = 0.0, both = 0.0, in_target = 0.0, in_background = 0.0;
  int next = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    in_target += levels[i].in_target;
    in_background += levels[i].in_background;
    both += 0.5 * (levels[i].in_target + levels[i].in_background);
    const bool equal_next = i + 1 < levels.size() && levels[i + 1].db == levels[i].db;
    if (equal_next || both * bins < next - 1e-9) continue;
    overlap += std::min(in_target, in_background);
    in_target = in_background = 0.0;
    next = static_cast<int>(both * bins + 1e-9) + 1;
  }
  return 1.0 - overlap - std::min(in_target, in_background);
}

// Returns 100 if both regions have enough pixels, otherwise fewer, as chance alone would separate the regions: 4
// n^(1/3) of the smaller region, 8 at least. Even: regions without a common level are then separated by an edge.
int gcnr_bins(std::size_t smaller) {
  constexpr std::size_t kEnough = 400;  // 4 pixels of each region per bin
  if (smaller >= kEnough) return 100;
  return std::max(8, 2 * static_cast<int>(std::lround(2.0 * std::cbrt(static_cast<double>(smaller)))));
}

}  // namespace

double RegionStats::level_db() const { return 20.0 * std::log10(mean_amplitude); }

RegionStats measure_region(const LevelImage& picture, const RegionPixels& region) {
  RegionStats s{.pixels_all = region.index.size(), .area_m2 = region.area_m2};
  s.min_db = std::numeric_limits<double>::max();
  s.max_db = -s.min_db;
  // Sums of deviations from the first value: squares of the values would lose digits.
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
                      : s.pixels == s.pixels_all ? 1.0  // exactly
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

PairStats compare_regions(const LevelImage& picture, const RegionPixels& target, const RegionPixels& background) {
  PairStats pair{.target = measure_region(picture, target), .background = measure_region(picture, background)};
  const RegionStats &t = pair.target, &b = pair.background;
  if (t.pixels == 0 || b.pixels == 0) {
    pair.contrast_db = pair.cnr = pair.gcnr = kNothing;
    return pair;
  }
  pair.contrast_db = t.level_db() - b.level_db();
  pair.cnr = std::abs(t.mean_amplitude - b.mean_amplitude) / std::hypot(t.std_amplitude, b.std_amplitude);
  pair.gcnr_bins = gcnr_bins(std::min(t.pixels, b.pixels));
  std::vector<LevelShare> levels;
  levels.reserve(t.pixels + b.pixels);
  add_shares(picture, target, &LevelShare::in_target, levels);
  add_shares(picture, background, &LevelShare::in_background, levels);
  pair.gcnr = overlap_missing(levels, pair.gcnr_bins);
  return pair;
}

namespace {

// Returns the areas of the pixels below each bin and below the end of the last; empty if no pixel counts.
std::vector<double> areas_below(const LevelImage& picture, const Grid& other) {
  std::vector<double> below(LevelMap::kBins + 1, 0.0);
  const bool whole = picture.grid == other;
  for (int iz = 0; iz < picture.grid.nz; ++iz) {
    const double area = picture.grid.polar() ? picture.grid.r_m(iz) : 1.0;
    for (int ix = 0; ix < picture.grid.nx; ++ix) {
      const auto level_db = static_cast<double>(picture.at(ix, iz));
      if (!(level_db > kNoEcho_db)) continue;
      const double at = (level_db - LevelMap::kFirst_db) / LevelMap::kStep_db;
      if (!whole) {
        const PlanePoint p = picture.grid.point(ix, iz);
        if (!other.contains(other.place(p.x_m, p.z_m), 0.0)) continue;
      }
      below[static_cast<std::size_t>(std::min(at, LevelMap::kBins - 1.0)) + 1] += area;
    }
  }
  for (std::size_t i = 1; i < below.size(); ++i) below[i] += below[i - 1];
  return below.back() > 0.0 ? below : std::vector<double>();
}

// Returns the level below which `share` of the pixels lie, linear within a bin; `bin` continues from a call with a
// smaller share.
double level_at(const std::vector<double>& below, double share, std::size_t& bin) {
  const double wanted = share * below.back();
  while (bin + 2 < below.size() && below[bin + 1] < wanted) ++bin;
  const double area = below[bin + 1] - below[bin];
  const double part = area > 0.0 ? std::clamp((wanted - below[bin]) / area, 0.0, 1.0) : 0.0;
  return LevelMap::kFirst_db + LevelMap::kStep_db * (static_cast<double>(bin) + part);
}

// Interpolates between bins with pixels; constant outside of them.
void fill_gaps(std::vector<float>& to_db, const std::vector<std::size_t>& known) {
  std::fill(to_db.begin(), to_db.begin() + static_cast<std::ptrdiff_t>(known.front()), to_db[known.front()]);
  std::fill(to_db.begin() + static_cast<std::ptrdiff_t>(known.back()), to_db.end(), to_db[known.back()]);
  for (std::size_t k = 1; k < known.size(); ++k) {
    const std::size_t from = known[k - 1], to = known[k];
    for (std::size_t i = from + 1; i < to; ++i)
      to_db[i] = to_db[from] + (to_db[to] - to_db[from]) * static_cast<float>(i - from) / static_cast<float>(to - from);
  }
}

}  // namespace

float LevelMap::at(float level_db) const {
  if (empty() || !(static_cast<double>(level_db) > kNoEcho_db)) return level_db;
  const double at = std::clamp((static_cast<double>(level_db) - kFirst_db) / kStep_db - 0.5, 0.0, kBins - 1.0);
  const auto i = std::min(static_cast<std::size_t>(at), std::size_t{kBins - 2});
  return to_db[i] + static_cast<float>(at - static_cast<double>(i)) * (to_db[i + 1] - to_db[i]);
}

LevelMap match_levels(const LevelImage& of, const LevelImage& like) {
  const std::vector<double> from = areas_below(of, like.grid), to = areas_below(like, of.grid);
  if (from.empty() || to.empty()) return {};
  LevelMap map;
  map.to_db.resize(LevelMap::kBins);
  std::vector<std::size_t> known;
  std::size_t bin = 0;
  for (std::size_t i = 0; i < map.to_db.size(); ++i) {
    if (from[i + 1] <= from[i]) continue;
    map.to_db[i] = static_cast<float>(level_at(to, 0.5 * (from[i] + from[i + 1]) / from.back(), bin));
    known.push_back(i);
  }
  fill_gaps(map.to_db, known);
  return map;
}

double level_at(const LevelImage& picture, PlanePoint p) {
  const Grid& g = picture.grid;
  const GridPlace at = g.place(p.x_m, p.z_m);
  constexpr double kRounding = 1e-6;  // pixels
  if (picture.db.empty() || !g.contains(at, kRounding)) return std::numeric_limits<double>::quiet_NaN();
  const int ix = std::clamp(static_cast<int>(at.column), 0, std::max(0, g.nx - 2));
  const int iz = std::clamp(static_cast<int>(at.row), 0, std::max(0, g.nz - 2));
  const double right = std::clamp(at.column - ix, 0.0, 1.0), down = std::clamp(at.row - iz, 0.0, 1.0);
  const auto amplitude = [&](int dx, int dz) {
    return std::pow(10.0,
                    0.05 * static_cast<double>(picture.at(std::min(ix + dx, g.nx - 1), std::min(iz + dz, g.nz - 1))));
  };
  const auto row = [&](int dz) { return (1.0 - right) * amplitude(0, dz) + right * amplitude(1, dz); };
  return 20.0 * std::log10((1.0 - down) * row(0) + down * row(1));
}

LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to) {
  constexpr int kMost = 2048;
  const Grid& g = picture.grid;
  LineProfile profile;
  if (picture.db.empty()) return profile;
  const double length_m = distance_m(from, to);
  const double pixel_x_m = (g.x1_m - g.x0_m) / std::max(1, g.nx - 1);
  const double pixel_z_m = g.polar() ? (g.sector.r1_m - g.sector.r0_m) / std::max(1, g.nz - 1) : g.dz_m();
  const double steps = 2.0 * length_m / std::max(std::min(pixel_x_m, pixel_z_m), 1e-9);
  const int n = std::clamp(static_cast<int>(std::ceil(steps - 1e-6)) + 1, 2, kMost);
  for (int i = 0; i < n; ++i) {
    const double share = static_cast<double>(i) / (n - 1);
    profile.at_m.push_back(share * length_m);
    profile.level_db.push_back(static_cast<float>(
        level_at(picture, {from.x_m + share * (to.x_m - from.x_m), from.z_m + share * (to.z_m - from.z_m)})));
  }
  return profile;
}

std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db) {
  if (temporal_vector.empty() || bins < 2) return {};
  const auto n = static_cast<double>(temporal_vector.size());
  std::vector<double> power;
  for (int bin = 0; bin < bins; ++bin) {
    const double turn = -kPi * (2.0 * bin / (bins - 1) - 1.0);  // per frame
    const std::complex<double> step(std::cos(turn), std::sin(turn));
    std::complex<double> phase = 1.0, sum = 0.0;
    for (std::size_t t = 0; t < temporal_vector.size(); ++t) {
      const double window = 0.5 - 0.5 * std::cos(2.0 * kPi * (static_cast<double>(t) + 0.5) / n);
      sum += window * phase * std::complex<double>(temporal_vector[t]);
      phase *= step;
    }
    power.push_back(std::norm(sum));
  }
  const double most = *std::ranges::max_element(power);
  std::vector<float> levels_db;
  for (const double p : power) {
    const double share = most > 0.0 ? p / most : 0.0;
    levels_db.push_back(static_cast<float>(share > 0.0 ? std::max(10.0 * std::log10(share), floor_db) : floor_db));
  }
  return levels_db;
}

LevelsApart levels_apart(const LevelImage& of, const LevelImage& against, double range_db) {
  LevelsApart found;
  if (of.db.size() != against.db.size() || of.db.empty()) return found;
  const float floor_db = *std::ranges::max_element(against.db) - static_cast<float>(range_db);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < of.db.size(); ++i) {
    if (!(against.db[i] >= std::max(floor_db, static_cast<float>(kNoEcho_db)))) continue;
    const double by = static_cast<double>(std::max(of.db[i], floor_db) - against.db[i]);
    sum += by;
    squares += by * by;
    ++found.pixels;
  }
  const double n = std::max(1.0, static_cast<double>(found.pixels));
  found.rms_db = std::sqrt(squares / n);
  found.mean_db = sum / n;
  return found;
}

LevelSlope level_slope(const LevelImage& of, const LevelImage& against, const RegionPixels& region) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  LevelSlope made{kNone, kNone, kNone, 0};
  double n = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t k = 0; k < region.index.size(); ++k) {
    const std::size_t i = region.index[k];
    const double x = static_cast<double>(against.db[i]);
    const double y = static_cast<double>(of.db[i]);
    if (!(x > kNoEcho_db) || !(y > kNoEcho_db)) continue;
    const double weight = region.weight.empty() ? 1.0 : static_cast<double>(region.weight[k]);
    n += weight;
    ++made.pixels;
    const double dx = x - mean_x, dy = y - mean_y;
    mean_x += weight / n * dx;
    mean_y += weight / n * dy;
    xx += weight * dx * (x - mean_x);
    xy += weight * dx * (y - mean_y);
    yy += weight * dy * (y - mean_y);
  }
  if (made.pixels < 3 || !(xx > 0.0)) return made;
  made.slope = xy / xx;
  made.intercept_db = mean_y - made.slope * mean_x;
  made.r_squared = yy > 0.0 ? xy * xy / (xx * yy) : 1.0;
  return made;
}

}  // namespace echoloop
