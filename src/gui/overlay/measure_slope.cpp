#include "gui/overlay/measure_slope.h"

#include <algorithm>
#include <iterator>

#include "measure/level_slope.h"

namespace echoloop {
namespace {

// Pixels of both; weights are left out, as regions of a pair lie close to each other.
RegionPixels joined(const RegionPixels& a, const RegionPixels& b) {
  RegionPixels both;
  std::set_union(a.index.begin(), a.index.end(), b.index.begin(), b.index.end(), std::back_inserter(both.index));
  return both;
}

const Mark* mark_of(const Marks& marks, int number) {
  const auto found = std::ranges::find(marks.list, number, &Mark::number);
  return found == marks.list.end() ? nullptr : &*found;
}

struct Levels {
  const LevelPicture& method;
  const LevelPicture& das;
};

// Adds the pixels with an echo in both.
void add_points(std::vector<ScatterPoint>& points, const Levels& levels, const RegionPixels& region, RegionRole role) {
  for (const std::uint32_t i : region.index) {
    const float das_db = levels.das.db[i], method_db = levels.method.db[i];
    if (static_cast<double>(das_db) > kNoEcho_db && static_cast<double>(method_db) > kNoEcho_db) {
      points.push_back({das_db, method_db, role});
    }
  }
}

// Every n-th, so that no more than kMostScatterPoints remain.
void thin(std::vector<ScatterPoint>& points) {
  const std::size_t step = points.size() / kMostScatterPoints + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += step) points[kept++] = points[i];
  points.resize(kept);
}

}  // namespace

void clear_slopes(Measured& m) {
  std::erase_if(m.values, [](const MeasuredValue& v) {
    return v.quantity == kSlope || v.quantity == kSlopeFit || v.quantity == kSlopeIntercept;
  });
  m.scatters.clear();
}

void measure_slopes(Measured& m, const Marks& marks, const LevelPicture& picture, const LevelPicture& das,
                    RegionPixelCache& pixels) {
  clear_slopes(m);
  if (!(picture.grid == das.grid) || picture.db.size() != das.db.size()) return;
  const Levels levels{picture, das};
  const auto add = [&](const std::string& object, const RegionPixels& region) -> MeasuredScatter& {
    const LevelSlope slope = level_slope(picture, das, region);
    m.values.push_back({object, kSlope, "", slope.slope});
    m.values.push_back({object, kSlopeIntercept, "dB", slope.intercept_db});
    m.values.push_back({object, kSlopeFit, "", slope.r_squared});
    return m.scatters.emplace_back(MeasuredScatter{.object = object, .points = {}, .line = slope});
  };
  for (const MeasuredPair& pair : m.pairs) {
    const Mark* target = mark_of(marks, pair.target);
    const Mark* background = mark_of(marks, pair.background);
    if (target == nullptr || background == nullptr) continue;
    const RegionPixels of_target = pixels.of(*target, picture.grid);
    const RegionPixels& of_background = pixels.of(*background, picture.grid);
    std::vector<ScatterPoint>& points = add(pair.object, joined(of_target, of_background)).points;
    add_points(points, levels, of_background, RegionRole::background);
    add_points(points, levels, of_target, RegionRole::target);
    thin(points);
  }
  for (const MeasuredRegion& region : m.regions) {
    const RegionPixels& of_region = pixels.of(region.mark, picture.grid);
    std::vector<ScatterPoint>& points = add(region.object, of_region).points;
    add_points(points, levels, of_region, region.mark.role);
    thin(points);
  }
}

bool changed_by_method(const ImagingParams& params) {
  return params.formation.adaptive != Adaptive::off && params.formation.recipe == Recipe::analytic;
}

}  // namespace echoloop
