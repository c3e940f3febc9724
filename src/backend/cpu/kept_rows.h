// Executor of methods that read rows above and below the pixel, by blocks of rows: what a block keeps and the rows
// around it is in memory at once.
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_steps.h"

namespace echoloop {

struct KeptFloats {
  long long row, scratch;  // kept of a row; of a thread
};

// Calls store(row, kept) for all rows, and form(rows, row, first) for all parts of kMethodPixels pixels.
template <class Store, class Form>
void run_kept_rows(WorkerPool& pool, KeptFloats floats, int kernel_rows, const DasInput& input, MethodScratch& scratch,
                   Complex* pixels, float* weights, const Store& store, const Form& form) {
  const DasGeometry& g = input.geometry;
  const auto nx = static_cast<std::size_t>(g.nx);
  const auto row_at = [&](int iz, int thread) {
    const std::size_t first = static_cast<std::size_t>(iz) * nx;
    return MethodRow{
        g, input.lines, iz, &scratch.own[static_cast<std::size_t>(thread)].front().re, pixels + first, weights + first};
  };
  const int block = std::max(64, 4 * pool.threads());
  const auto per_row = static_cast<std::size_t>(floats.row);
  const auto per_thread = static_cast<std::size_t>(floats.scratch) / 2 + 1;
  for (std::vector<Complex>& own : scratch.own) own.resize(std::max(own.size(), per_thread));
  const std::size_t n_kept = static_cast<std::size_t>(std::min(block + 2 * kernel_rows, g.nz)) * per_row;
  scratch.rows.resize(std::max(scratch.rows.size(), n_kept));
  pool.run_parts(2 * g.nz, [&] {
    int begin = 0, stored = 0;  // rows that are kept
    const auto kept = [&](int iz) { return scratch.rows.data() + static_cast<std::size_t>(iz - begin) * per_row; };
    for (int first = 0; first < g.nz; first += block) {
      const int next = std::min(first + block, g.nz);
      const int needed = std::min(next + kernel_rows, g.nz), since = std::max(first - kernel_rows, 0);
      std::copy(kept(since), kept(stored), kept(begin));
      begin = since;
      pool.run(needed - stored, 1, [&](int from, int to, int thread) {
        for (int iz = stored + from; iz < stored + to; ++iz) store(row_at(iz, thread), kept(iz));
      });
      stored = needed;
      pool.run(next - first, 1, [&](int from, int to, int thread) {
        for (int iz = first + from; iz < first + to; ++iz) {
          const int above = std::max(iz - kernel_rows, 0);
          const KeptRows rows{kept(above), static_cast<long long>(per_row),
                              std::min(iz + kernel_rows + 1, g.nz) - above, iz - above};
          for (int pixel = 0; pixel < g.nx; pixel += kMethodPixels) form(rows, row_at(iz, thread), pixel);
        }
      });
    }
  });
}

}  // namespace echoloop
