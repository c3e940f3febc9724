// A full matrix of an inspection (steel, 5 MHz, 32 elements) in an MFMC file: echoes of points computed here from
// distances alone appear where the points are.
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "app/opening/source_kinds.h"
#include "core/param_table.h"
#include "core/units.h"
#include "formats/hdf5_fixture.h"
#include "support/peaks.h"
#include "support/temporary_folder.h"

namespace echoloop::mfmc_test {
namespace {

using namespace testing;

constexpr PlanePoint kSpots[] = {{0.0, 20e-3}, {-6e-3, 28e-3}, {7e-3, 35e-3}};
constexpr int kElements = 32, kSamples = 900;
constexpr double kPitch_m = 0.6e-3, kSteel_m_s = 5900.0, kFirst_s = 3e-6;
constexpr double kSampling_hz = 50e6;

double pulse(double late_s) {
  return std::exp(-std::pow(late_s * test::kCenter_hz, 2)) * std::cos(2.0 * kPi * test::kCenter_hz * late_s);
}

struct Layer {  // between array and steel
  double thickness_m = 0.0, speed_m_s = kSteel_m_s;
};

// The fastest path of an element to a point, by halving the interval of the place where it leaves the layer: there, the
// slowness along the surface is the same on both sides.
double travel_s(const PlanePoint& s, double element_x_m, const Layer& layer) {
  const double h = std::abs(s.x_m - element_x_m), below_m = s.z_m - layer.thickness_m;
  double near = 0.0, far = h;
  for (int k = 0; k < 100; ++k) {
    const double u = 0.5 * (near + far), inside = std::hypot(u, layer.thickness_m),
                 outside = std::hypot(h - u, below_m);
    const bool beyond = inside > 0.0 && u / inside / layer.speed_m_s > (h - u) / outside / kSteel_m_s;
    (beyond ? far : near) = u;
  }
  return std::hypot(near, layer.thickness_m) / layer.speed_m_s + std::hypot(h - near, below_m) / kSteel_m_s;
}

// One element fires at time 0, the first sample is taken at kFirst_s, later by the way through the layer.
void write_inspection(test::Hdf5Fixture& file, const Layer& layer) {
  const double first_s = kFirst_s + 2.0 * layer.thickness_m * (1.0 / layer.speed_m_s - 1.0 / kSteel_m_s);
  std::vector<double> x_m, samples;
  for (int e = 0; e < kElements; ++e) x_m.push_back((e - 0.5 * (kElements - 1)) * kPitch_m);
  test::mfmc_probe(file, x_m);
  file.attribute("SEQUENCE<1>", "TIME_STEP", 1.0 / kSampling_hz);
  file.attribute("SEQUENCE<1>", "START_TIME", first_s);
  file.attribute("SEQUENCE<1>", "SPECIMEN_VELOCITY", std::vector<double>{3230.0, kSteel_m_s});
  for (int e = 1; e <= kElements; ++e) test::mfmc_law(file, e, {static_cast<double>(e)}, {});
  std::vector<int> sent, received;
  for (int e = 0; e < kElements; ++e) {
    for (int t = 0; t < kElements; ++t) {
      sent.push_back(t + 1), received.push_back(e + 1);
      std::vector<double> echoes_s;
      for (const PlanePoint& s : kSpots)
        echoes_s.push_back(travel_s(s, x_m[static_cast<std::size_t>(t)], layer) +
                           travel_s(s, x_m[static_cast<std::size_t>(e)], layer));
      for (int n = 0; n < kSamples; ++n) {
        double value = 0.0;
        for (const double echo_s : echoes_s) value += pulse(first_s + n / kSampling_hz - echo_s);
        samples.push_back(1000.0 * value);
      }
    }
  }
  if (layer.thickness_m > 0.0) {
    file.attribute("PROBE<1>", "WEDGE_SURFACE_POINT", std::vector<double>{0.0, 0.0, layer.thickness_m});
    file.attribute("PROBE<1>", "WEDGE_SURFACE_NORMAL", std::vector<double>{0.0, 0.0, 1.0});
    file.attribute("SEQUENCE<1>", "WEDGE_VELOCITY", std::vector<double>{0.0, layer.speed_m_s});
  }
  test::mfmc_scans(file, sent, received);
  file.numbers("SEQUENCE<1>/MFMC_DATA", {1, sent.size(), kSamples}, samples, {.type = H5T_STD_I16LE, .chunk = {}});
}

// Contact, a delay line of 8 mm of plastic, and 10 mm of water.
TEST(MfmcInspection, ShowsPointsWhereTheyAre) {
  for (const Layer& layer : {Layer{}, Layer{8e-3, 2330.0}, Layer{10e-3, 1480.0}}) {
    SCOPED_TRACE(layer.speed_m_s);
    const TemporaryFolder folder;
    test::Hdf5Fixture file(folder / "steel.mfmc");
    write_inspection(file, layer);
    const OpenedSource opened = open_source(file.close().string());
    // Refracted paths are computed pixel by pixel: a small part of the plane.
    const double worst_m = layer.thickness_m == 0.0
                               ? expect_points(opened.source, 12e-3, 14e-3, 40e-3, kSpots)
                               : expect_points(opened.source, 2e-3, 18.4e-3, 21.6e-3, std::span(kSpots).first(1));
    std::printf("MFMC, layer of %.0f mm: points within %.4f mm\n", 1e3 * layer.thickness_m, 1e3 * worst_m);
  }
}

}  // namespace
}  // namespace echoloop::mfmc_test
