#include "core/results/analysis_images.h"

namespace echoloop {

void find_flow_mask(FlowImage& flow) {
  constexpr float kWeights[5] = {1.0F / 16, 4.0F / 16, 6.0F / 16, 4.0F / 16, 1.0F / 16};
  flow.mask_db.clear();
  if (flow.power_db.size() != flow.grid.pixels()) return;
  const int nx = flow.grid.nx, nz = flow.grid.nz;
  const auto at = [nx](int ix, int iz) {
    return static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(ix);
  };
  std::vector<float> along(flow.grid.pixels(), 0.0F);
  std::vector<float>& both = flow.mask_db;
  both.assign(flow.grid.pixels(), 0.0F);
  // A row between its end levels, each twice more: a loop without clamps, which the compiler makes a vector loop.
  std::vector<float> row(static_cast<std::size_t>(nx) + 4);
  for (int iz = 0; iz < nz; ++iz) {
    for (int i = 0; i < nx + 4; ++i) {
      const float level_db = flow.power_db[at(std::clamp(i - 2, 0, nx - 1), iz)];
      row[static_cast<std::size_t>(i)] = std::max(kLeastMask_db, level_db);
    }
    float* const to = along.data() + at(0, iz);
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t ix = 0; ix < static_cast<std::size_t>(nx); ++ix) to[ix] += kWeights[k] * row[ix + k];
    }
  }
  for (int iz = 0; iz < nz; ++iz) {
    for (int k = -2; k <= 2; ++k) {
      const std::size_t from = at(0, std::clamp(iz + k, 0, nz - 1)), to = at(0, iz);
      for (std::size_t ix = 0; ix < static_cast<std::size_t>(nx); ++ix)
        both[to + ix] += kWeights[k + 2] * along[from + ix];
    }
  }
}

}  // namespace echoloop
