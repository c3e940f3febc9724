#include "backend/cpu/cpu_refiner.h"

#include <algorithm>

#include "dsp/level.h"

namespace echoloop {

void CpuRefiner::set_plan(const std::shared_ptr<const RefinePlan>& plan) {
  plan_ = plan;
  if (plan == nullptr) return;
  const std::size_t pixels = static_cast<std::size_t>(plan->nx) * static_cast<std::size_t>(plan->nz);
  if (plan->average) average_.resize(pixels);
  if (plan->filters()) scratch_.resize(pixels);
}

void CpuRefiner::average(WorkerPool& pool, const CpuRefiner* before, float keep, const float* amplitudes,
                         float reference_db, float* db) {
  const float* past = before != nullptr ? before->average_.data() : amplitudes;
  const auto nx = static_cast<std::size_t>(plan_->nx);
  pool.run(plan_->nz, 32, [&](int begin, int end, int) {
    for (std::size_t i = static_cast<std::size_t>(begin) * nx; i < static_cast<std::size_t>(end) * nx; ++i) {
      average_[i] = averaged(past[i], amplitudes[i], keep);
      db[i] = to_db(average_[i], reference_db);
    }
  });
}

// `pixel(view, ix, iz)` everywhere, from scratch_ to db.
template <class Pixel>
void CpuRefiner::pass(WorkerPool& pool, float* db, const Pixel& pixel) {
  std::copy_n(db, scratch_.size(), scratch_.begin());
  const PictureView view{.db = scratch_.data(), .nx = plan_->nx, .nz = plan_->nz};
  pool.run(plan_->nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = db + static_cast<std::size_t>(iz) * static_cast<std::size_t>(view.nx);
      for (int ix = 0; ix < view.nx; ++ix) row[ix] = pixel(view, ix, iz);
    }
  });
}

// `smooth(iz, row)` everywhere, from scratch_ to db.
template <class Row>
void CpuRefiner::smooth_rows(WorkerPool& pool, float* db, const Row& smooth) {
  std::copy_n(db, scratch_.size(), scratch_.begin());
  pool.run(plan_->nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      smooth(iz, db + static_cast<std::size_t>(iz) * static_cast<std::size_t>(plan_->nx));
    }
  });
}

// As smooth_axial_pixel(), term after term for a whole row: the same sums in the same order, which vectorise.
void CpuRefiner::smooth_axial(int iz, float* row) const {
  const int nx = plan_->nx;
  const auto row_at = [&](int z) {
    return scratch_.data() + static_cast<std::size_t>(std::clamp(z, 0, plan_->nz - 1)) * static_cast<std::size_t>(nx);
  };
  const float* own = row_at(iz);
  const float middle = plan_->axial_taps[0];
  for (int ix = 0; ix < nx; ++ix) row[ix] = middle * own[ix];
  for (int k = 1; k <= plan_->axial_reach; ++k) {
    const float tap = plan_->axial_taps[static_cast<std::size_t>(k)];
    const float *above = row_at(iz - k), *below = row_at(iz + k);
    for (int ix = 0; ix < nx; ++ix) row[ix] += tap * (above[ix] + below[ix]);
  }
}

// As smooth_lateral_pixel(), likewise; pixels near the edges one by one.
void CpuRefiner::smooth_lateral(int iz, float* row) const {
  const int nx = plan_->nx, reach = plan_->lateral_reach;
  const float* taps = &plan_->lateral_taps[static_cast<std::size_t>(plan_->taps_row(iz))];
  const float* own = scratch_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx);
  const int first = std::min(reach, nx), end = std::max(first, nx - reach);
  for (int ix = first; ix < end; ++ix) row[ix] = taps[0] * own[ix];
  for (int k = 1; k <= reach; ++k) {
    const float tap = taps[k];
    const float *left = own - k, *right = own + k;
    for (int ix = first; ix < end; ++ix) row[ix] += tap * (left[ix] + right[ix]);
  }
  const PictureView view{.db = scratch_.data(), .nx = nx, .nz = plan_->nz};
  const auto edge = [&](int ix) { row[ix] = smooth_lateral_pixel(view, {.taps = taps, .reach = reach}, ix, iz); };
  for (int ix = 0; ix < first; ++ix) edge(ix);
  for (int ix = end; ix < nx; ++ix) edge(ix);
}

void CpuRefiner::filter(WorkerPool& pool, float* db) {
  const RefinePlan& p = *plan_;
  const auto apply = [&](const std::vector<PixelFilter>& filters) {
    for (const PixelFilter& filter : filters) {
      std::visit([&](const auto& pixel) { pass(pool, db, pixel); }, filter);
    }
  };
  apply(p.first);
  if (p.axial_reach > 0) {
    smooth_rows(pool, db, [&](int iz, float* row) { smooth_axial(iz, row); });
  }
  if (p.lateral_reach > 0) {
    smooth_rows(pool, db, [&](int iz, float* row) { smooth_lateral(iz, row); });
  }
  apply(p.last);
}

}  // namespace echoloop
