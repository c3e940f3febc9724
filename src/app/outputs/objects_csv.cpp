#include "app/outputs/objects_csv.h"

#include <fmt/format.h>

#include <iterator>

namespace echoloop {
namespace {

std::string background_line(const char* name, const Background& b) {
  return fmt::format(
      "# {}: median {:.6g} dB, mean {:.6g} dB, sigma {:.6g} dB, {} pixels from {:.6g} to {:.6g} dB, {} iterations\n",
      name, b.median_db, b.mean_db, b.sigma_db, b.pixels, b.lowest_db, b.highest_db, b.rounds);
}

}  // namespace

std::string objects_csv(const StructureView& view, const std::string& comments) {
  if (view.image == nullptr) return comments;
  const StructureImage& found = *view.image;
  std::string text = comments + background_line("background", found.background);
  text += background_line("background of the smoothed image", found.smoothed);
  text += fmt::format("# threshold: {} {:.6g} dB\n", found.params.objects.kind == Structure::bright ? "above" : "below",
                      found.threshold_db);
  text += fmt::format("# objects: {}, and {} below the minimum area\n", found.objects.size(),
                      found.found - found.objects.size());
  text += "number,area_mm2,x_mm,z_mm,mean_db,pixels,ix0,ix1,iz0,iz1\n";
  for (int number = 1; number <= view.count(); ++number) {
    const StructureObject& o = view.object(number);
    fmt::format_to(std::back_inserter(text), "{},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{},{}\n", number, o.area_m2 * 1e6,
                   o.centroid.x_m * 1e3, o.centroid.z_m * 1e3, o.mean_db, o.pixels, o.ix0, o.ix1, o.iz0, o.iz1);
  }
  return text;
}

}  // namespace echoloop
