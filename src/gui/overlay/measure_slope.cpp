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

}  // namespace

void measure_slopes(Measured& m, const Marks& marks, const LevelPicture& picture, const LevelPicture& das,
                    RegionPixelCache& pixels) {
  std::erase_if(m.values, [](const MeasuredValue& v) { return v.quantity == kSlope || v.quantity == kSlopeFit; });
  if (!(picture.grid == das.grid) || picture.db.size() != das.db.size()) return;
  const auto add = [&](const std::string& object, const RegionPixels& region) {
    const LevelSlope slope = level_slope(picture, das, region);
    m.values.push_back({object, kSlope, "", slope.slope});
    m.values.push_back({object, kSlopeFit, "", slope.r_squared});
  };
  for (const MeasuredPair& pair : m.pairs) {
    const Mark* target = mark_of(marks, pair.target);
    const Mark* background = mark_of(marks, pair.background);
    if (target == nullptr || background == nullptr) continue;
    const RegionPixels of_target = pixels.of(*target, picture.grid);
    add(pair.object, joined(of_target, pixels.of(*background, picture.grid)));
  }
  for (const MeasuredRegion& region : m.regions) add(region.object, pixels.of(region.mark, picture.grid));
}

bool changed_by_method(const ImagingParams& params) {
  return params.formation.adaptive != Adaptive::off && params.formation.recipe == Recipe::analytic;
}

}  // namespace echoloop
