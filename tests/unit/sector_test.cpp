// Sectors: where polar pixels lie, which acquisitions are looked at in that way, and scan lines.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/plan.h"
#include "core/grid.h"
#include "dsp/scan.h"
#include "support/acquisitions.h"

namespace echoloop::sector_test {
namespace {

using namespace testing;

constexpr double kDegree = kRadiansPerDegree;

TEST(PolarGrid, PointsAndPlacesAreInverse) {
  const Grid g = polar_grid({-0.04, -40 * kDegree, 30 * kDegree, 0.05, 0.15}, 71, 101);
  EXPECT_TRUE(g.polar());
  for (const int ix : {0, 7, 40, 70}) {
    for (const int iz : {0, 33, 100}) {
      const PlanePoint p = g.point(ix, iz);
      const GridPlace place = g.place(p.x_m, p.z_m);
      EXPECT_NEAR(place.column, ix, 1e-9);
      EXPECT_NEAR(place.row, iz, 1e-9);
      EXPECT_TRUE(g.contains(place, 1e-6));
    }
  }
  EXPECT_NEAR(g.point(40, 100).x_m, 0.0, 1e-12);  // column 40: straight down
  EXPECT_NEAR(g.point(40, 100).z_m, 0.11, 1e-12);
  EXPECT_FALSE(g.contains(g.place(0.14, 0.02), 0.5));
  EXPECT_FALSE(g.contains(g.place(0.0, 0.0), 0.5));
}

TEST(PolarGrid, TheBoxHoldsTheSectorAndNoMore) {
  for (const auto& [first, last] : {std::pair{-40.0, 30.0}, {10.0, 50.0}, {-80.0, -20.0}, {-90.0, 90.0}}) {
    const Grid g = polar_grid({-0.02, first * kDegree, last * kDegree, 0.03, 0.1}, 801, 41);
    double x0 = 1, x1 = -1, z0 = 1, z1 = -1;
    for (int ix = 0; ix < g.nx; ++ix) {
      for (const int iz : {0, 40}) {
        const PlanePoint p = g.point(ix, iz);
        x0 = std::min(x0, p.x_m), x1 = std::max(x1, p.x_m);
        z0 = std::min(z0, p.z_m), z1 = std::max(z1, p.z_m);
      }
    }
    EXPECT_NEAR(g.x0_m, x0, 1e-6) << first;
    EXPECT_NEAR(g.x1_m, x1, 1e-6) << first;
    EXPECT_NEAR(g.z0_m, z0, 1e-6) << first;
    EXPECT_NEAR(g.z1_m, z1, 1e-6) << first;
  }
}

TEST(Sector, LinesLeaveACurvedArrayAtRightAngles) {
  Acquisition a = convex_acquisition(33);
  const double apex = sector_apex_z_m(a.probe);
  for (const Element& e : a.probe.elements) {
    EXPECT_NEAR(std::atan2(e.x_m, e.z_m - apex), e.normal_rad, 1e-9);
    EXPECT_NEAR(std::hypot(e.x_m, e.z_m - apex), 50e-3, 1e-9);
  }
  for (Element& e : a.probe.elements) e.normal_rad = 0.0;  // from the places alone
  EXPECT_NEAR(sector_apex_z_m(a.probe), apex, 1e-9);
  EXPECT_EQ(sector_apex_z_m(linear_acquisition().probe), 0.0);
}

TEST(Sector, WhoLooksIntoOne) {
  EXPECT_FALSE(looks_into_sector(linear_acquisition()));
  EXPECT_TRUE(looks_into_sector(convex_acquisition()));
  EXPECT_TRUE(looks_into_sector(phased_acquisition()));
  EXPECT_TRUE(looks_into_sector(scan_line_acquisition()));
  Acquisition coarse = phased_acquisition();  // diverging waves from a linear array
  coarse.probe.pitch_m = 0.3e-3;
  EXPECT_FALSE(looks_into_sector(coarse));
  EXPECT_EQ(default_params(phased_acquisition()).formation.f_number, 0.0);
  EXPECT_GT(default_params(convex_acquisition()).formation.f_number, 0.0);
}

TEST(Sector, TheGridIsWhatTheUserAskedForOrWhatFits) {
  const Acquisition a = convex_acquisition(33, 2000);
  ImagingParams p = default_params(a);
  Grid g = make_grid(p, a);
  ASSERT_TRUE(g.polar());
  EXPECT_NEAR(g.sector.apex_z_m + g.sector.r0_m, p.formation.depth_min_m, 1e-12);
  EXPECT_NEAR(g.sector.apex_z_m + g.sector.r1_m, p.formation.depth_max_m, 1e-12);
  EXPECT_NEAR(g.sector.angle1_rad, a.probe.elements.back().normal_rad, 0.06 * kDegree);
  p.formation.grid_nx = 128;
  p.formation.grid_nz = 512;
  p.formation.sector_min_rad = -0.1;
  g = make_grid(p, a);
  EXPECT_EQ(g.nx, 128);
  EXPECT_EQ(g.nz, 512);
  EXPECT_EQ(g.sector.angle0_rad, -0.1);
  p.formation.grid_kind = GridChoice::cartesian;
  EXPECT_FALSE(make_grid(p, a).polar());
  p.formation.grid_kind = GridChoice::automatic;
  p.formation.recipe = Recipe::course;
  EXPECT_FALSE(make_grid(p, a).polar());
}

TEST(ScanLines, AreFoundInAnyOrder) {
  Acquisition a = scan_line_acquisition(9);
  std::swap(a.transmits[1], a.transmits[7]);
  const auto lines = find_scan_lines(a);
  ASSERT_TRUE(lines.has_value());
  EXPECT_FALSE(lines->parallel);
  EXPECT_EQ(lines->count, 9);
  EXPECT_EQ(lines->per_line, 1);
  EXPECT_NEAR(lines->first, -16 * kDegree, 1e-9);
  EXPECT_EQ(line_of(*lines, 1), 7);
  EXPECT_EQ(line_of(*lines, 7), 1);
  const auto plan = make_plan(share(a), default_params(a));
  EXPECT_EQ(plan->grid.nx, 9);
  EXPECT_FALSE(plan->scan.has_value());  // a sector's columns are the lines themselves
  EXPECT_EQ(plan->das->tables->columns[7].transmit, 1);
}

TEST(ScanLines, FewDirectionsAreCompounded) {
  const Acquisition few = scan_line_acquisition(5);
  ImagingParams p = default_params(few);
  EXPECT_FALSE(forms_lines(p, few));
  p.formation.compounding = Compounding::lines;
  EXPECT_TRUE(forms_lines(p, few));
  const Acquisition many = scan_line_acquisition(9);
  p.formation.compounding = Compounding::automatic;
  EXPECT_TRUE(forms_lines(p, many));
  p.formation.compounding = Compounding::coherent;
  EXPECT_FALSE(forms_lines(p, many));
  p.formation.compounding = Compounding::lines;
  EXPECT_FALSE(forms_lines(p, phased_acquisition()));  // nothing is focused
}

TEST(ScanLines, AnApertureThatWalksHasParallelOnes) {
  Acquisition a = linear_acquisition(32, 400, std::vector<double>(12, 0.0));
  for (int k = 0; k < 12; ++k) {
    Transmit& t = a.transmits[static_cast<std::size_t>(k)];
    t.kind = TransmitKind::focused;
    t.source_x_m = (k - 5.5) * 0.6e-3;
    t.source_z_m = 12e-3;
  }
  ASSERT_TRUE(find_scan_lines(a).has_value());
  EXPECT_TRUE(find_scan_lines(a)->parallel);
  const auto plan = make_plan(share(a), default_params(a));
  EXPECT_FALSE(plan->grid.polar());
  const Grid& beams = plan->das->tables->grid;
  EXPECT_EQ(beams.nx, 12);
  EXPECT_NEAR(beams.x0_m, -3.3e-3, 1e-9);
  EXPECT_TRUE(plan->scan.has_value());
}

TEST(ScanLines, UnevenOnesLeaveNoLineEmpty) {
  Acquisition a = scan_line_acquisition(9);
  a.transmits.erase(a.transmits.begin() + 3);
  const auto plan = make_plan(share(a), default_params(a));
  EXPECT_EQ(plan->grid.nx, 9);
  for (int ix = 0; ix < 9; ++ix) EXPECT_GE(plan->das->tables->columns[static_cast<std::size_t>(ix)].transmit, 0) << ix;
}

TEST(SectorPlan, ScanLinesHaveNoHalfPrecisionForm) {
  const Acquisition a = scan_line_acquisition(9);
  ImagingParams p = default_params(a);
  p.formation.precision = Precision::fp16;
  EXPECT_EQ(make_plan(share(a), p)->packed, nullptr);
}

// Amplitudes that are bilinear in (r, angle) come out exactly; outside there is nothing.
TEST(ScanConversion, IsBilinearInLinesAndRadii) {
  const Grid from = polar_grid({0.0, -30 * kDegree, 30 * kDegree, 0.01, 0.06}, 13, 51);
  const Grid to{.x0_m = -0.04, .x1_m = 0.04, .z0_m = 0.0, .z1_m = 0.07, .nx = 41, .nz = 36};
  const ScanGeometry scan{scan_axes(from), scan_axes(to)};
  const auto field = [&](double column, double row) { return 1.0 + 0.3 * column + 0.1 * row + 0.02 * column * row; };
  for (int iz = 0; iz < to.nz; ++iz) {
    for (int ix = 0; ix < to.nx; ++ix) {
      const GridPlace place = from.place(to.x_m(ix), to.z_m(iz));
      const float got =
          scan_pixel(scan, ix, iz, [&](int at) { return static_cast<float>(field(at % from.nx, at / from.nx)); });
      if (from.contains(place, -0.02)) {
        EXPECT_NEAR(got, field(place.column, place.row), 2e-3) << ix << " " << iz;
      } else if (!from.contains(place, 0.02)) {
        EXPECT_EQ(got, 0.0f) << ix << " " << iz;
      }
    }
  }
}

}  // namespace
}  // namespace echoloop::sector_test
