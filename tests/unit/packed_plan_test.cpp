// The tuned path's plan: what plans share, that every sample a pixel needs lies in its tile's windows and every element
// it hears in its tile's items, and that what does not fit falls back to the plain path.
#include "backend/fp16/packed_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "backend/plan.h"
#include "support/acquisitions.h"

namespace echoloop::packed_plan_test {
namespace {

using namespace testing;

ImagingParams half_precision(const Acquisition& a, int nx = 70, int nz = 90) {
  ImagingParams p = testing::small_picture(a, nx, nz);
  p.formation.precision = Precision::fp16;
  return p;
}

std::shared_ptr<const Plan> half_plan(const Acquisition& a) { return make_plan(share(a), half_precision(a)); }

struct Rig {
  AcquisitionPtr acquisition = share(linear_acquisition(16, 512, {-5.0, 0.0, 5.0}));
  ImagingParams params = half_precision(*acquisition);
  std::shared_ptr<const Plan> before = make_plan(acquisition, params);
  [[nodiscard]] std::shared_ptr<const Plan> after() const { return make_plan(acquisition, params, before); }
};

TEST(PackedPlan, OnlyForHalfPrecision) {
  Rig rig;
  ASSERT_NE(rig.before->packed, nullptr);
  rig.params.formation.precision = Precision::fp32;
  EXPECT_EQ(rig.after()->packed, nullptr);
  EXPECT_EQ(rig.after()->band, rig.before->band) << "the plain path does not depend on the precision";
  EXPECT_EQ(rig.after()->das->tables, rig.before->das->tables);
  rig.params.formation.precision = Precision::fp16;
  rig.params.formation.recipe = Recipe::course;
  EXPECT_EQ(rig.after()->packed, nullptr);
}

TEST(PackedPlan, OnlyForABackendThatHasHalfPrecision) {
  const Rig rig;
  EXPECT_EQ(make_plan(rig.acquisition, rig.params, nullptr, kSinglePrecisionOnly)->packed, nullptr);
}

TEST(PackedPlan, SharesWhatHolds) {
  Rig rig;
  rig.params.display.gain_db = 3.0;
  EXPECT_EQ(rig.after()->packed, rig.before->packed);
  rig.params.formation.f_number = 2.5;
  const auto other_aperture = rig.after();
  EXPECT_EQ(other_aperture->packed->fir, rig.before->packed->fir);
  EXPECT_EQ(other_aperture->packed->das->tables, rig.before->packed->das->tables);
  EXPECT_EQ(other_aperture->packed->tiles->windows, rig.before->packed->tiles->windows);
  EXPECT_FLOAT_EQ(other_aperture->packed->das->geometry.f_number, 2.5f);
  rig.params.formation.grid_nx += 1;
  const auto other_grid = rig.after();
  EXPECT_EQ(other_grid->packed->fir, rig.before->packed->fir);
  EXPECT_NE(other_grid->packed->tiles->windows, rig.before->packed->tiles->windows);
  rig.params.formation.band_high_hz *= 0.9;
  EXPECT_NE(rig.after()->packed->fir, rig.before->packed->fir);
}

TEST(PackedPlan, LinesAreAtLeastAsFastAsTheBandNeeds) {
  const Rig rig;
  const BandPlan& band = *rig.before->packed->band;
  EXPECT_GE(band.line_rate_hz, 3.9 * band.band_width_hz);
  EXPECT_LE(band.line_rate_hz, rig.before->band->line_rate_hz);
  EXPECT_EQ(rig.before->packed->das->geometry.n_valid, band.n_valid);
}

// Every pixel of every tile: its delays begin within the windows, and the elements that it weights are in an item.
void expect_covered(const Plan& plan) {
  const PackedPlan& p = *plan.packed->tiles;
  const DasGeometry& g = plan.packed->das->geometry;
  std::set<std::pair<int, int>> done;  // (tile, element) of the first group
  for (const PackedItem& item : p.items) {
    EXPECT_TRUE(item.tile >= 0 && item.tile < p.n_tiles() && item.part >= 0 && item.part < p.n_parts());
    EXPECT_TRUE(item.first_element >= 0 && item.first_element + item.n_elements <= g.n_el);
    if (item.part >= p.tuning.n_splits) continue;
    for (int e = 0; e < item.n_elements; ++e) {
      EXPECT_TRUE(done.insert({item.tile, item.first_element + e}).second) << "an element twice";
    }
  }
  int missing = 0;
  int outside = 0;
  for (int iz = 0; iz < g.nz; ++iz) {
    for (int ix = 0; ix < g.nx; ++ix) {
      const auto at = plan.packed->das->tables->grid.point(ix, iz);
      const int tile = iz / p.tuning.tile.tile_z * p.tiles_across + ix / p.tuning.tile.tile_x;
      for (int e = 0; e < g.n_el; ++e) {
        const ReceiveTerm term = receive_term(g, g.elements[e], place_of(g, ix, iz));
        if (term.weight != 0.0f && !done.contains({tile, e})) ++missing;
        const double back = std::hypot(at.x_m - static_cast<double>(g.elements[e].x_m),
                                       at.z_m - static_cast<double>(g.elements[e].z_m));
        for (int tx = 0; tx < g.n_tx; ++tx) {
          const auto row = static_cast<std::size_t>(tx * g.nz + iz);
          const double there =
              g.row_base[row] +
              static_cast<double>(g.tx_excess[row * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(ix)]) -
              std::abs(static_cast<double>(g.z_m[iz])) * static_cast<double>(g.samples_per_m);
          const double place = there + back * static_cast<double>(g.samples_per_m) -
                               p.windows->rx_start[static_cast<std::size_t>(tile * g.n_el + e)] -
                               p.windows->tx_start[static_cast<std::size_t>(tile * g.n_tx + tx)];
          if (!(place >= 0.0 && place < p.window)) ++outside;
        }
      }
    }
  }
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(outside, 0);
}

TEST(PackedPlan, TilesCoverLinearArrays) { expect_covered(*half_plan(linear_acquisition(32, 700, {-8.0, 3.0}))); }
TEST(PackedPlan, TilesCoverConvexArrays) { expect_covered(*half_plan(convex_acquisition(24, 700))); }
TEST(PackedPlan, TilesCoverSectors) {
  for (const Acquisition& a : {testing::phased_acquisition(), convex_acquisition(24, 700)}) {
    for (const double f_number : {0.0, 1.2}) {
      ImagingParams p = half_precision(a, 170, 190);
      p.formation.grid_kind = GridChoice::polar;
      p.formation.f_number = f_number;
      const auto plan = make_plan(share(a), p);
      ASSERT_NE(plan->packed, nullptr);
      EXPECT_EQ(plan->packed->tiles->grid, GridKind::polar);
      expect_covered(*plan);
    }
  }
}
TEST(PackedPlan, TilesCoverManyTransmits) {
  expect_covered(*half_plan(linear_acquisition(16, 500, {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8})));
}

TEST(PackedPlan, ManyElementsAreSharedByBlocks) {
  const auto plan = half_plan(linear_acquisition(1800, 500, {-5.0, 0.0, 5.0}));
  ASSERT_NE(plan->packed, nullptr);
  EXPECT_LE(plan->packed->tiles->most_elements, 1024);
  expect_covered(*plan);
}

TEST(PackedPlan, FitsTheSharedMemoryOfEveryDevice) {
  const Rig rig;
  const Multiprocessors turing{.count = 46, .shared_bytes = 64 * 1024, .reserved_bytes = 0};
  const Multiprocessors ada{.count = 128, .shared_bytes = 100 * 1024, .reserved_bytes = 1024};
  for (const Multiprocessors& device : {turing, ada}) {
    const auto plan = make_plan(rig.acquisition, rig.params, nullptr, device);
    ASSERT_NE(plan->packed, nullptr) << device.shared_bytes;
    EXPECT_EQ(plan->why_fp32, nullptr);
    const PackedPlan& tiles = *plan->packed->tiles;
    EXPECT_LE(tiles.shared_bytes, device.shared_of_block(tiles.tuning.form.blocks_per_sm));
    EXPECT_LE(tiles.together.shared_bytes, device.shared_of_block(tiles.tuning.form.blocks_per_sm));
    EXPECT_GE(tiles.tuning.n_slots, 2);
    expect_covered(*plan);
  }
}

// Sums of halves are turned after the same elements as those of a frame alone: a whole number of stages makes one of
// its.
TEST(PackedPlan, FramesTogetherFitTheirRings) {
  for (const int n_tx : {3, 31}) {
    const auto plan = half_plan(linear_acquisition(32, 700, std::vector<double>(static_cast<std::size_t>(n_tx), 1.0)));
    const PackedPlan& p = *plan->packed->tiles;
    const PackedForm& form = p.tuning.form;
    ASSERT_GE(form.most_frames, 2) << n_tx;
    ASSERT_GT(p.together.elements, 0) << n_tx;
    EXPECT_GE(p.together.n_slots, 2);
    EXPECT_LE(p.together.n_slots * p.together.elements * form.n_transmits * p.window * 8, frame_ring(form.most_frames));
    if (form.rotation == Rotation::receive_first) {
      EXPECT_EQ(p.tuning.stage_elements % p.together.elements, 0);
    }
  }
  const Multiprocessors turing{.count = 46, .shared_bytes = 64 * 1024, .reserved_bytes = 0, .code = 75};
  const auto acquisition = share(linear_acquisition(32, 700, {0.0}));
  const auto plan = make_plan(acquisition, half_precision(*acquisition), nullptr, turing);
  ASSERT_NE(plan->packed, nullptr);
  EXPECT_EQ(plan->packed->tiles->together.elements, 0);
}

TEST(PackedPlan, SinglePrecisionHasAReason) {
  const auto why = [](const Acquisition& a, const ImagingParams& params, const Multiprocessors& device = {}) {
    const auto plan = make_plan(share(a), params, nullptr, device);
    EXPECT_EQ(plan->packed, nullptr);
    return std::string(plan->why_fp32 != nullptr ? plan->why_fp32 : "");
  };
  const Acquisition a = linear_acquisition(16, 512, {0.0});
  ImagingParams params = half_precision(a);
  params.formation.adaptive = Adaptive::phase;
  EXPECT_NE(why(a, params).find("adaptive"), std::string::npos);
  params.formation.adaptive = Adaptive::coherence;
  EXPECT_NE(why(linear_acquisition(1100, 512, {0.0}), params).find("1024"), std::string::npos);
  params.formation.adaptive_order = AdaptiveOrder::compounded;
  EXPECT_NE(why(a, params).find("compounded"), std::string::npos);
  params = half_precision(a);
  params.formation.precision = Precision::fp32;
  EXPECT_EQ(why(a, params), "") << "as asked for";
  EXPECT_EQ(why(a, half_precision(a), kSinglePrecisionOnly), "") << "the device has no other";
  params = half_precision(a);
  params.formation.depth_max_m = 2700.0 * a.sound_speed_m_s / a.center_hz;
  EXPECT_NE(why(a, params).find("wavelengths"), std::string::npos);
}

TEST(PackedPlan, LongLinesAreMadeInParts) {
  const Rig rig;
  const PackedFormation& packed = *rig.before->packed;  // of lines of 512 samples
  const auto parts = [&](int n_samples, const Multiprocessors& device) {
    const PackedTaps& taps = *packed.taps;
    const int n_valid = n_samples / 512 * packed.band->n_valid;
    const int n = fir_parts(taps, n_valid, device);
    const FirLayout at = fir_layout(taps, n_valid, n);
    EXPECT_GE(at.part_units * at.n_parts, at.line_units);
    EXPECT_LT(at.part_units * (at.n_parts - 1), at.line_units) << "no part is empty";
    EXPECT_LE(fir_shared_bytes(at), device.shared_of_block(at.n_parts == 1 ? 1 : 2));
    return at.n_parts;
  };
  EXPECT_EQ(parts(8183, {}), 1);
  EXPECT_EQ(parts(65536, {}), 1);
  EXPECT_GT(parts(131072, {}), 1);
  EXPECT_GT(parts(1 << 20, {}), 8);
  EXPECT_GT(parts(65536, {.count = 46, .shared_bytes = 64 * 1024, .reserved_bytes = 0}), 2);
}

TEST(PackedPlan, TheFormFollowsTransmitsAndImage) {
  const auto best = [](int n_tx, int nx, int nz, int frames_together = 1) {
    DasGeometry g{};
    g.nx = nx;
    g.nz = nz;
    g.n_tx = n_tx;
    g.n_el = 128;
    return rank_tunings(g, {}, frames_together).front();
  };
  EXPECT_EQ(best(3, 256, 512).form, kPackedForms[0]);
  EXPECT_EQ(best(3, 512, 1024).form, kPackedForms[1]);
  EXPECT_EQ(best(75, 387, 609).form, kPackedForms[2]);
  EXPECT_EQ(best(1, 512, 1024).form, kPackedForms[3]);
  EXPECT_EQ(best(7, 192, 768, 1).form, kPackedForms[1]);
  EXPECT_EQ(best(7, 192, 768, 2).form, kPackedForms[0]) << "the one that sums frames together";
  EXPECT_EQ(best(3, 512, 1024, 2).form, kPackedForms[0]) << "of large images as well";
  EXPECT_EQ(best(3, 256, 512).n_splits, 1);
  EXPECT_GT(best(3, 64, 64).n_splits, 1) << "a small image has too few tiles for the device";
}

TEST(PackedPlan, ACoherenceFactorHasItsOwnFormsAndWholeTransmits) {
  DasGeometry g{};
  g.nx = g.nz = 64;
  g.n_el = 128;
  for (const int n_tx : {1, 3, 75}) {
    g.n_tx = n_tx;
    for (const PackedMethod method : {PackedMethod::coherence, PackedMethod::coherence_of_transmits}) {
      const std::vector<PackedTuning> ranked = rank_tunings(g, {}, 2, method);
      ASSERT_FALSE(ranked.empty());
      for (const PackedTuning& t : ranked) {
        EXPECT_TRUE(is_compiled(t.form, method));
        EXPECT_TRUE(method == PackedMethod::coherence || t.n_splits == 1);
      }
    }
  }
  const Rig rig;
  const DasGeometry& of_rig = rig.before->packed->das->geometry;
  const auto plan = choose_packed_plan(of_rig, {}, 2, nullptr, PackedMethod::coherence);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->method, PackedMethod::coherence);
  EXPECT_EQ(plan->together.elements, 0) << "frames are summed one by one";
}

TEST(PackedPlan, EveryFormFitsAnOrdinaryImage) {
  const Rig rig;
  for (const PackedTuning& tuning : rank_tunings(rig.before->packed->das->geometry)) {
    const auto plan = make_packed_plan(rig.before->packed->das->geometry, tuning);
    ASSERT_NE(plan, nullptr);
    EXPECT_LE(plan->shared_bytes, Multiprocessors{}.shared_of_block(tuning.form.blocks_per_sm));
    EXPECT_EQ(plan->window % 2, 0);
    EXPECT_EQ(plan->pitch % 2, 0);
    EXPECT_LE(plan->summing_threads + 32, tuning.form.max_threads);
  }
}

TEST(PackedPlan, RefusesWhatItCannotDo) {
  const Rig rig;
  DasGeometry g = rig.before->packed->das->geometry;
  g.n_valid = 1;
  EXPECT_EQ(choose_packed_plan(g, {}, 1, nullptr), nullptr) << "no two samples to interpolate between";
  g = rig.before->packed->das->geometry;
  g.samples_per_m *= 1e5f;  // windows of a million samples
  EXPECT_EQ(choose_packed_plan(g, {}, 1, nullptr), nullptr);
  g = rig.before->packed->das->geometry;
  g.turns_per_sample = 0.0f;
  EXPECT_EQ(choose_packed_plan(g, {}, 1, nullptr), nullptr) << "no phase to measure distances in";
  g = rig.before->packed->das->geometry;
  const std::vector<ColumnTransmit> columns(static_cast<std::size_t>(g.nx));
  g.columns = columns.data();
  EXPECT_EQ(choose_packed_plan(g, {}, 1, nullptr), nullptr) << "scan lines";
}

TEST(WindowPolynomials, FollowTheirWindows) {
  for (const Apodization w :
       {Apodization::boxcar, Apodization::hann, Apodization::hamming, Apodization::tukey, Apodization::gauss}) {
    const WindowPolynomial p = make_window_polynomial(w);
    for (double u = 0.0; u <= 0.5; u += 0.01) {
      const double v = std::max(u - static_cast<double>(p.flat), 0.0);
      double sum = 0.0;
      for (int k = 6; k >= 0; --k) sum = sum * v * v + static_cast<double>(p.c[k]);
      EXPECT_NEAR(sum, static_cast<double>(apodization_weight(w, static_cast<float>(u))), 2e-5) << u;
    }
  }
}

}  // namespace
}  // namespace echoloop::packed_plan_test
