// Objects of an image by plain loops: levels kept one by one in double precision, flood fill, a table from pixels.
// Reference of the computing devices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "backend/object_plan.h"
#include "core/results/analysis_images.h"
#include "dsp/refine.h"

namespace echoloop::testing {

inline Background plain_background(std::vector<double> kept, double kappa) {
  Background b;
  std::sort(kept.begin(), kept.end());
  while (!kept.empty()) {
    const std::size_t n = kept.size();
    const double first = kept[(n - 1) / 2];
    b.median_db = 0.5 * (first + kept[n / 2]);
    double sum = 0.0;
    for (const double v : kept) sum += v - first;
    b.mean_db = first + sum / static_cast<double>(n);
    double squares = 0.0;
    for (const double v : kept) squares += (v - b.mean_db) * (v - b.mean_db);
    b.sigma_db = std::sqrt(squares / static_cast<double>(n));
    b.pixels = n;
    b.lowest_db = kept.front();
    b.highest_db = kept.back();
    const double reach_db = kappa * b.sigma_db;
    std::erase_if(kept, [&](double v) { return v < b.median_db - reach_db || v > b.median_db + reach_db; });
    if (kept.size() == n) break;
    ++b.rounds;
  }
  return b;
}

inline bool has_level(float db) { return db > -300.0f && std::isfinite(db); }

inline Background plain_background(const std::vector<float>& db, const std::vector<float>& levels, double kappa) {
  std::vector<double> counting;
  for (std::size_t i = 0; i < db.size(); ++i) {
    if (has_level(db[i])) counting.push_back(static_cast<double>(levels[i]));
  }
  return plain_background(std::move(counting), kappa);
}

inline float lower_median(std::vector<float> levels) {
  std::sort(levels.begin(), levels.end());
  return levels[(levels.size() - 1) / 2];
}

// Subtracts the running median, over half of the lines, of the medians of `lines`, indices of pixels.
inline void subtract_trend(const std::vector<std::vector<std::size_t>>& lines, const std::vector<float>& db,
                           float median_db, std::vector<float>& levels) {
  std::vector<std::vector<float>> counting(lines.size());
  std::vector<float> medians(lines.size());
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (const std::size_t i : lines[l]) {
      if (has_level(db[i])) counting[l].push_back(levels[i]);
    }
    if (!counting[l].empty()) medians[l] = lower_median(counting[l]);
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (counting[l].empty()) continue;
    const std::size_t reach = std::min({lines.size() / 4, l, lines.size() - 1 - l});
    std::vector<float> window;
    for (std::size_t k = l - reach; k <= l + reach; ++k) {
      if (!counting[k].empty()) window.push_back(medians[k]);
    }
    const float above_db = lower_median(window) - median_db;
    for (const std::size_t i : lines[l]) {
      if (has_level(db[i])) levels[i] -= above_db;
    }
  }
}

inline void subtract_trends(const Grid& grid, const std::vector<float>& db, float median_db,
                            std::vector<float>& levels) {
  std::vector<std::vector<std::size_t>> rows(static_cast<std::size_t>(grid.nz));
  std::vector<std::vector<std::size_t>> columns(static_cast<std::size_t>(grid.nx));
  for (std::size_t i = 0; i < db.size(); ++i) {
    rows[i / columns.size()].push_back(i);
    columns[i % columns.size()].push_back(i);
  }
  subtract_trend(rows, db, median_db, levels);
  subtract_trend(columns, db, median_db, levels);
}

// Fills gaps, removes the trend, then smooths along columns, then along rows.
inline std::vector<float> plain_smoothed(const ObjectPlan& plan, const std::vector<float>& db, float stand_in_db) {
  std::vector<float> from;
  for (const float v : db) from.push_back(has_level(v) ? v : stand_in_db);
  if (plan.trend == LevelTrend::remove) subtract_trends(plan.grid, db, stand_in_db, from);
  if (plan.smooth == nullptr) return from;
  const RefinePlan& p = *plan.smooth;
  const auto pass = [&](const auto& pixel) {
    const std::vector<float> before = from;
    const PictureView view{.db = before.data(), .nx = p.nx, .nz = p.nz};
    std::size_t i = 0;
    for (int iz = 0; iz < p.nz; ++iz) {
      for (int ix = 0; ix < p.nx; ++ix) from[i++] = pixel(view, ix, iz);
    }
  };
  if (p.axial_reach > 0) {
    pass([&](const PictureView& v, int ix, int iz) {
      return smooth_axial_pixel(v, {.taps = p.axial_taps.data(), .reach = p.axial_reach}, ix, iz);
    });
  }
  if (p.lateral_reach > 0) {
    pass([&](const PictureView& v, int ix, int iz) {
      const float* taps = &p.lateral_taps[static_cast<std::size_t>(p.taps_row(iz))];
      return smooth_lateral_pixel(v, {.taps = taps, .reach = p.lateral_reach}, ix, iz);
    });
  }
  return from;
}

inline LevelHistogram plain_histogram(const std::vector<float>& db) {
  LevelHistogram h{.first_db = kHistogramFirst_db,
                   .step_db = kHistogramStep_db,
                   .counts = std::vector<std::uint32_t>(kHistogramBins)};
  for (const float v : db) {
    // In single precision: levels within a rounding below an edge count above it.
    const float bin = std::floor((v - static_cast<float>(kHistogramFirst_db)) / static_cast<float>(kHistogramStep_db));
    if (std::isnan(v)) {
      ++h.without;
    } else if (bin < 0.0f) {
      ++h.below;
    } else if (bin >= static_cast<float>(kHistogramBins)) {
      ++h.above;
    } else {
      ++h.counts[static_cast<std::size_t>(bin)];
    }
  }
  return h;
}

// Numbers all objects of pixels that are `on` from 1, in the order of their first pixels; returns their number.
inline int flood(const std::vector<bool>& on, int nx, int nz, std::vector<std::int32_t>& labels) {
  labels.assign(on.size(), 0);
  int found = 0;
  std::vector<int> waiting;
  const auto visit = [&](int i) {
    if (!on[static_cast<std::size_t>(i)] || labels[static_cast<std::size_t>(i)] != 0) return;
    labels[static_cast<std::size_t>(i)] = found;
    waiting.push_back(i);
  };
  for (int first = 0; first < nx * nz; ++first) {
    if (!on[static_cast<std::size_t>(first)] || labels[static_cast<std::size_t>(first)] != 0) continue;
    ++found;
    visit(first);
    while (!waiting.empty()) {
      const int i = waiting.back();
      waiting.pop_back();
      if (i % nx > 0) visit(i - 1);
      if (i % nx < nx - 1) visit(i + 1);
      if (i >= nx) visit(i - nx);
      if (i < nx * (nz - 1)) visit(i + nx);
    }
  }
  return found;
}

// Removes small objects from labels; returns the sums of the others.
inline std::vector<ObjectSums> keep_large(const ObjectPlan& plan, const std::vector<float>& db, int found,
                                          std::vector<std::int32_t>& labels) {
  std::vector<ObjectSums> all(static_cast<std::size_t>(found));
  const int nx = plan.grid.nx;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const int label = labels[static_cast<std::size_t>(i)];
    if (label == 0) continue;
    const ObjectSums s = pixel_sums(plan.moments.view(), db[static_cast<std::size_t>(i)], i % nx, i / nx);
    ObjectSums& object = all[static_cast<std::size_t>(label - 1)];
    if (object.pixels == 0) {
      object = s;
    } else {
      add_sums(object, s);
    }
  }
  std::vector<ObjectSums> kept;
  std::vector<std::int32_t> numbers{0};
  for (const ObjectSums& s : all) {
    const bool large = s.area >= plan.least_area;
    if (large) kept.push_back(s);
    numbers.push_back(large ? static_cast<std::int32_t>(kept.size()) : 0);
  }
  for (std::int32_t& label : labels) label = numbers[static_cast<std::size_t>(label)];
  return kept;
}

inline ObjectImage plain_objects(const ObjectPlan& plan, const std::vector<float>& db) {
  ObjectImage r;
  r.histogram = plain_histogram(db);
  r.background = plain_background(db, db, plan.kappa);
  const std::vector<float> smoothed = plain_smoothed(plan, db, static_cast<float>(r.background.median_db));
  r.smoothed = plain_background(db, smoothed, plan.kappa);
  const double reach_db = plan.sigmas * r.smoothed.sigma_db;
  const bool dark = plan.wanted == ObjectKind::dark;
  if (r.smoothed.pixels > 0) r.threshold_db = r.smoothed.mean_db + (dark ? -reach_db : reach_db);
  std::vector<bool> on;
  for (std::size_t i = 0; i < db.size(); ++i) {
    const auto level_db = static_cast<double>(smoothed[i]);
    on.push_back(has_level(db[i]) && (dark ? level_db < r.threshold_db : level_db > r.threshold_db));
  }
  const int found = flood(on, plan.grid.nx, plan.grid.nz, r.labels);
  r.found = static_cast<std::uint64_t>(found);
  for (const ObjectSums& s : keep_large(plan, db, found, r.labels)) r.objects.push_back(plan.object(s));
  return r;
}

}  // namespace echoloop::testing
