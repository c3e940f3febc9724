#include "measure/level_match.h"

#include <algorithm>

namespace echoloop {
namespace {

// Sum of the areas of the pixels below each bin and below the end of the last; nothing where no pixel counts.
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

// The level below which `share` of the pixels lie, linear within a bin; `bin` begins where an earlier call with a
// smaller share ended.
double level_at(const std::vector<double>& below, double share, std::size_t& bin) {
  const double wanted = share * below.back();
  while (bin + 2 < below.size() && below[bin + 1] < wanted) ++bin;
  const double area = below[bin + 1] - below[bin];
  const double part = area > 0.0 ? std::clamp((wanted - below[bin]) / area, 0.0, 1.0) : 0.0;
  return LevelMap::kFirst_db + LevelMap::kStep_db * (static_cast<double>(bin) + part);
}

// Between bins with pixels: linear; outside of them: as the nearest one.
void fill_gaps(std::vector<float>& to_db, const std::vector<std::size_t>& known) {
  std::fill(to_db.begin(), to_db.begin() + static_cast<std::ptrdiff_t>(known.front()), to_db[known.front()]);
  std::fill(to_db.begin() + static_cast<std::ptrdiff_t>(known.back()), to_db.end(), to_db[known.back()]);
  for (std::size_t k = 1; k < known.size(); ++k) {
    const std::size_t from = known[k - 1], to = known[k];
    for (std::size_t i = from + 1; i < to; ++i) {
      to_db[i] = to_db[from] + (to_db[to] - to_db[from]) * static_cast<float>(i - from) / static_cast<float>(to - from);
    }
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

}  // namespace echoloop
