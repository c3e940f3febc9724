// Images with objects, and the findings of a device in them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "backend/object_plan.h"
#include "support/level_images.h"

namespace echoloop::testing {

// Returns parameters that find a pattern of two levels exactly: every level beyond the mean is an object's.
inline ImagingParams exact_params(ObjectKind wanted = ObjectKind::bright) {
  ImagingParams p;
  p.objects.kind = wanted;
  p.objects.trend = LevelTrend::keep;
  p.objects.smooth_m = p.objects.sigmas = p.objects.min_area_m2 = 0.0;
  p.objects.kappa = 10.0;
  return p;
}

// Returns an image: '#' is 0 dB, '.' is -40; pixels of 0.1 x 0.1 mm from (0, 0).
inline MadeImage pattern_picture(const std::vector<std::string>& rows) {
  MadeImage picture;
  picture.grid.nx = static_cast<int>(rows.front().size());
  picture.grid.nz = static_cast<int>(rows.size());
  picture.grid.x1_m = 1e-4 * (picture.grid.nx - 1);
  picture.grid.z1_m = 1e-4 * (picture.grid.nz - 1);
  for (const std::string& row : rows) {
    for (const char c : row) picture.db.push_back(c == '#' ? 0.0F : -40.0F);
  }
  return picture;
}

inline Image image_of(MadeImage& picture, const ImagingParams& params = {}) {
  Image image;
  image.grid = picture.grid;
  image.params = params;
  image.host_db = picture.db.data();
  return image;
}

inline ObjectImage find_objects(ObjectDevice& device, MadeImage picture, const ImagingParams& params, int slot = 0) {
  ObjectImage result;
  device.store(slot, image_of(picture, params));
  device.find(slot, make_object_plan(params, picture.grid), result);
  return result;
}

// Returns speckle over a slope in depth, with bright and dark discs; some pixels without an echo or a value.
inline MadeImage speckle_picture(const Grid& grid, unsigned seed, int empty_every = 0) {
  Speckle speckle(seed);
  MadeImage picture = make_picture(grid, [&](PlanePoint p) {
    const double x = (p.x_m - grid.x0_m) / (grid.x1_m - grid.x0_m), z = (p.z_m - grid.z0_m) / (grid.z1_m - grid.z0_m);
    double level = speckle.level_db(1.0) - 30.0 - 4.0 * z;
    if (std::hypot(x - 0.3, z - 0.4) < 0.08 || std::hypot(x - 0.7, z - 0.2) < 0.05) level += 30.0;
    if (std::hypot(x - 0.6, z - 0.7) < 0.1) level -= 40.0;
    return level;
  });
  for (std::size_t i = 0; empty_every > 0 && i < picture.db.size(); i += static_cast<std::size_t>(empty_every)) {
    picture.db[i] = i % 2 == 0 ? -600.0F : std::nanf("");
  }
  return picture;
}

}  // namespace echoloop::testing
