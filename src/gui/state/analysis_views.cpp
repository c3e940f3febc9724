#include "gui/state/analysis_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/units.h"
#include "measure/region.h"

namespace echoloop {
namespace {

// Numbers the objects, largest first; of equal ones the upper one first.
void rank(ObjectView& view) {
  const auto& objects = view.image->objects;
  view.ranked.resize(objects.size());
  std::iota(view.ranked.begin(), view.ranked.end(), std::size_t{0});
  std::stable_sort(view.ranked.begin(), view.ranked.end(),
                   [&](std::size_t a, std::size_t b) { return objects[a].area_m2 > objects[b].area_m2; });
  view.numbers.resize(objects.size());
  for (std::size_t i = 0; i < view.ranked.size(); ++i) view.numbers[view.ranked[i]] = static_cast<int>(i) + 1;
}

std::string background_line(const char* name, const Background& b) {
  return fmt::format("# {}: median {:.6g} dB, mean {:.6g} dB, sigma {:.6g} dB, {} from {:.6g} to {:.6g} dB, {}\n", name,
                     b.median_db, b.mean_db, b.sigma_db, counted(b.pixels, "pixel"), b.lowest_db, b.highest_db,
                     counted(b.rounds, "iteration"));
}

}  // namespace

void show_objects(ObjectView& view, std::shared_ptr<const ObjectImage> found) {
  view.image = std::move(found);
  rank(view);
  view.outlines = outline_labels(view.image->labels, view.image->grid);
}

int object_at(const ObjectView& view, PlanePoint at) {
  if (view.image == nullptr) return 0;
  const Grid& grid = view.image->grid;
  const GridPlace place = grid.place(at.x_m, at.z_m);
  if (!grid.contains(place, 1e-6)) return 0;
  const auto near = [](double v, int n) { return std::clamp<long>(std::lround(v), 0, n - 1); };
  const auto pixel = static_cast<std::size_t>(near(place.row, grid.nz)) * static_cast<std::size_t>(grid.nx) +
                     static_cast<std::size_t>(near(place.column, grid.nx));
  const std::int32_t label = view.image->labels[pixel];
  return label > 0 ? view.numbers[static_cast<std::size_t>(label - 1)] : 0;
}

int same_object(const ObjectView& view, const FoundObject& before) {
  const double size_m = std::sqrt(before.area_m2);
  double least_m = std::max(size_m, 1e-3);  // bound on distance plus size difference: beyond it is another object
  int found = 0;
  for (int number = 1; number <= view.count(); ++number) {
    const FoundObject& o = view.object(number);
    const double away_m = distance_m(o.centroid, before.centroid) + std::abs(std::sqrt(o.area_m2) - size_m);
    if (away_m >= least_m) continue;
    least_m = away_m;
    found = number;
  }
  return found;
}

std::string objects_csv(const ObjectView& view) {
  if (view.image == nullptr) return {};
  const ObjectImage& found = *view.image;
  std::string text = background_line("background", found.background);
  text += background_line("background of the smoothed image", found.smoothed);
  text += fmt::format("# threshold: {} {:.6g} dB\n",
                      found.params.objects.kind == ObjectKind::bright ? "above" : "below", found.threshold_db);
  text += fmt::format("# objects: {}, and {} below the minimum area\n", found.objects.size(),
                      found.found - found.objects.size());
  text += "number,area_mm2,x_mm,z_mm,mean_db,pixels,ix0,ix1,iz0,iz1\n";
  for (int number = 1; number <= view.count(); ++number) {
    const FoundObject& o = view.object(number);
    fmt::format_to(std::back_inserter(text), "{},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{},{}\n", number, o.area_m2 * 1e6,
                   o.centroid.x_m * 1e3, o.centroid.z_m * 1e3, o.mean_db, o.pixels, o.ix0, o.ix1, o.iz0, o.iz1);
  }
  return text;
}

}  // namespace echoloop
