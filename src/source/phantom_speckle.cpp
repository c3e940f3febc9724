#include "source/phantom_speckle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace echoloop {

std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

void add_speckle(Scatterers& out, const Field& field, const SpeckleArea& area, Random& random,
                 const std::function<Tissue(double, double)>& tissue) {
  const double box_m = std::sqrt(field.cell_area_m2 / area.per_cell);
  const int nx = std::max(1, static_cast<int>(std::ceil((area.x1_m - area.x0_m) / box_m)));
  const int nz = std::max(1, static_cast<int>(std::ceil((area.z1_m - area.z0_m) / box_m)));
  Scatterers fresh;
  for (int iz = 0; iz < nz; ++iz) {
    for (int ix = 0; ix < nx; ++ix) {
      const double x_m = area.x0_m + (ix + random.uniform()) * box_m;
      const double z_m = area.z0_m + (iz + random.uniform()) * box_m;
      const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
      const double draw = random.uniform();
      if (x_m > area.x1_m || z_m > area.z1_m) continue;
      const Tissue here = tissue(x_m, z_m);
      if (here.amplitude <= 0.0 || draw >= here.density) continue;
      fresh.add(x_m, z_m, sign * here.amplitude / std::sqrt(area.per_cell * here.density));
    }
  }
  shuffle_locally(fresh, random);
  for (std::size_t i = 0; i < fresh.size(); ++i) out.add(fresh.x_m[i], fresh.z_m[i], fresh.amplitude[i]);
}

void shuffle_locally(Scatterers& s, Random& random) {
  constexpr std::size_t kStretch = 512;
  for (std::size_t first = 0; first < s.size(); first += kStretch) {
    const std::size_t n = std::min(kStretch, s.size() - first);
    for (std::size_t i = n; i > 1; --i) {
      const std::size_t a = first + i - 1;
      const std::size_t b = first + random.bits() % i;
      std::swap(s.x_m[a], s.x_m[b]);
      std::swap(s.z_m[a], s.z_m[b]);
      std::swap(s.amplitude[a], s.amplitude[b]);
    }
  }
}

}  // namespace echoloop
