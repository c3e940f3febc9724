#include "backend/cpu/refiner.h"

#include <algorithm>

#include "dsp/level.h"

namespace echoloop {

void Refiner::set_plan(const std::shared_ptr<const RefinePlan>& plan) {
  plan_ = plan;
  if (plan == nullptr) return;
  const std::size_t pixels = static_cast<std::size_t>(plan->nx) * static_cast<std::size_t>(plan->nz);
  if (plan->average) average_.resize(pixels);
  if (plan->filters()) scratch_.resize(pixels);
}

void Refiner::average(WorkerPool& pool, const Refiner* before, float keep, const float* amplitudes, float reference_db,
                      float* db) {
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
void Refiner::pass(WorkerPool& pool, float* db, const Pixel& pixel) {
  std::copy_n(db, scratch_.size(), scratch_.begin());
  const PictureView view{.db = scratch_.data(), .nx = plan_->nx, .nz = plan_->nz};
  pool.run(plan_->nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = db + static_cast<std::size_t>(iz) * static_cast<std::size_t>(view.nx);
      for (int ix = 0; ix < view.nx; ++ix) row[ix] = pixel(view, ix, iz);
    }
  });
}

void Refiner::filter(WorkerPool& pool, float* db) {
  const RefinePlan& p = *plan_;
  if (p.median_radius == 1) {
    pass(pool, db, [](const PictureView& v, int ix, int iz) { return median_pixel<1>(v, ix, iz); });
  } else if (p.median_radius == 2) {
    pass(pool, db, [](const PictureView& v, int ix, int iz) { return median_pixel<2>(v, ix, iz); });
  }
  if (p.axial_reach > 0) {
    const SmoothTaps taps{.taps = p.axial_taps.data(), .reach = p.axial_reach};
    pass(pool, db, [&](const PictureView& v, int ix, int iz) { return smooth_axial_pixel(v, taps, ix, iz); });
  }
  if (p.lateral_reach > 0) {
    pass(pool, db, [&](const PictureView& v, int ix, int iz) {
      return smooth_lateral_pixel(
          v, {.taps = &p.lateral_taps[static_cast<std::size_t>(p.taps_row(iz))], .reach = p.lateral_reach}, ix, iz);
    });
  }
  if (p.per_db2 > 0.0f) {
    pass(pool, db, [&](const PictureView& v, int ix, int iz) { return bilateral_pixel(v, p.per_db2, ix, iz); });
  }
}

}  // namespace echoloop
