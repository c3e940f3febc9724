// Paths through a lens, and to elements outside the image plane, against sums and searches in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/plan.h"
#include "core/params.h"
#include "dsp/das.h"
#include "support/acquisitions.h"

namespace echoloop::bent_paths_test {
namespace {

using namespace testing;

// Fermat's principle by search: path from (0, 0) through a layer to (h, z), in metres of the medium.
double searched_path_m(double h, double z, double lens, double index) {
  double low = 0.0, high = h;
  const auto path = [&](double u) { return index * std::hypot(u, lens) + std::hypot(h - u, z - lens); };
  for (int step = 0; step < 200; ++step) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (path(a) < path(b) ? high : low) = path(a) < path(b) ? b : a;
  }
  return path(0.5 * (low + high));
}

TEST(Lens, PathsAreTheShortestInTime) {
  for (const double index : {1.54, 1.05, 0.8})
    for (const double lens : {0.3e-3, 1e-3})
      for (const double z : {1.2e-3, 4e-3, 20e-3, 80e-3})
        for (const double h : {0.0, 0.5e-3, 3e-3, 15e-3}) {
          const double wanted = searched_path_m(h, z, lens, index) - std::hypot(h, z);
          EXPECT_NEAR(lens_excess_m(h, z, lens, index), wanted, 1e-9) << h << " " << z << " " << index;
          const auto single = lens_excess_m(static_cast<float>(h), static_cast<float>(z), static_cast<float>(lens),
                                            static_cast<float>(index));
          EXPECT_NEAR(static_cast<double>(single), wanted, 3e-8) << h << " " << z << " " << index;
        }
}

// First arrival of elements that are dense enough to be a line.
double first_arrival_s(const Transmit& t, const Lens& lens, double x, double z, double c) {
  double first = std::numeric_limits<double>::infinity();
  for (double e = -40e-3; e <= 40e-3; e += 5e-6) {
    const double fires_s = arrival_s(t, Probe(), e, 0.0, c);
    const double path = searched_path_m(std::abs(x - e), z, lens.thickness_m, c / lens.sound_speed_m_s);
    first = std::min(first, fires_s + path / c);
  }
  return first;
}

TEST(Lens, WavesArriveWithTheFirstOfTheElementsPaths) {
  constexpr double kC = 1540.0;
  Probe probe = make_linear_probe("p", 64, 0.3e-3);
  probe.lens = {1e-3, 1000.0};
  Transmit plane;
  plane.angle_rad = 0.2;
  Transmit diverging;
  diverging.kind = TransmitKind::diverging;
  diverging.source_x_m = 2e-3, diverging.source_z_m = -6e-3;
  for (const Transmit& t : {plane, diverging})
    for (const double x : {-3e-3, 4e-3})
      for (const double z : {3e-3, 15e-3})
        EXPECT_NEAR(transmit_delay_s(t, probe, x, z, kC), first_arrival_s(t, probe.lens, x, z, kC), 1e-10);
  Transmit law;
  law.kind = TransmitKind::delays;
  law.element_delays_s.assign(64, std::numeric_limits<double>::quiet_NaN());
  law.element_delays_s[10] = 2e-7;
  const double h = std::abs(1e-3 - probe.elements[10].x_m);
  EXPECT_NEAR(transmit_delay_s(law, probe, 1e-3, 9e-3, kC), 2e-7 + searched_path_m(h, 9e-3, 1e-3, 1.54) / kC, 1e-12);
}

Acquisition small_array() {
  Acquisition a;
  a.probe = make_linear_probe("p", 16, 0.3e-3);
  a.transmits.resize(1);
  a.n_samples = 512;
  a.sampling_hz = 20e6;
  a.center_hz = 5e6;
  return a;
}

TEST(BentPaths, OfElementsOutsideThePlaneAreDistancesInSpace) {
  auto a = std::make_shared<Acquisition>(small_array());
  for (std::size_t e = 0; e < a->probe.elements.size(); ++e) a->probe.elements[e].y_m = 0.2e-3 * static_cast<double>(e);
  const auto plan = make_plan(a, default_params(*a));
  const DasGeometry& g = plan->das->geometry;
  ASSERT_TRUE(g.bent.any());
  EXPECT_FALSE(is_plain(g));
  for (const int ix : {0, g.nx / 3, g.nx - 1})
    for (const int iz : {g.nz / 4, g.nz - 1})
      for (int e = 0; e < g.n_el; ++e) {
        const Element& element = a->probe.elements[static_cast<std::size_t>(e)];
        const PixelPlace at = place_of(g, ix, iz);
        const double x = static_cast<double>(at.x_m), z = static_cast<double>(at.z_m);
        const double path = std::hypot(x - element.x_m, element.y_m, z);
        const ReceiveTerm term = receive_term(g, g.elements[e], at);
        const double excess_m = static_cast<double>(term.excess) / static_cast<double>(g.samples_per_m);
        const double along = g.down_m == nullptr ? z : static_cast<double>(at.r_m);
        EXPECT_NEAR(excess_m, path - along, 2e-8);
      }
}

TEST(BentPaths, OrdinaryArraysHaveNone) {
  const auto a = std::make_shared<Acquisition>(small_array());
  const auto plan = make_plan(a, default_params(*a));
  EXPECT_FALSE(plan->das->geometry.bent.any());
  EXPECT_TRUE(plan->das->tables->element_y_m.empty());
}

TEST(BentPaths, PixelsInTheLensAreEmpty) {
  auto a = std::make_shared<Acquisition>(small_array());
  a->probe.lens = {2e-3, 1000.0};
  const auto plan = make_plan(a, default_params(*a));
  const DasGeometry& g = plan->das->geometry;
  for (int e = 0; e < g.n_el; ++e)
    EXPECT_EQ(receive_term(g, g.elements[e], PixelPlace{0.0F, 1.5e-3F, 0.0F}).weight, 0.0F);
}

TEST(ReceiveOnly, HasNoTransmitTime) {
  Acquisition a = small_array();
  a.transmits[0].kind = TransmitKind::none;
  a.validate("test");
  EXPECT_EQ(transmit_delay_s(a.transmits[0], a.probe, 3e-3, 20e-3, 1540.0), 0.0);
}

}  // namespace
}  // namespace echoloop::bent_paths_test
