// A full matrix of an inspection (steel, 5 MHz, 32 elements) in an MFMC file: echoes of points computed here from
// distances alone appear where the points are.
#include <gtest/gtest.h>

#include <cmath>

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

// One element fires at time 0, the first sample is taken at kFirst_s.
void write_inspection(test::Hdf5Fixture& file) {
  std::vector<double> x_m, samples;
  for (int e = 0; e < kElements; ++e) x_m.push_back((e - 0.5 * (kElements - 1)) * kPitch_m);
  test::mfmc_probe(file, x_m);
  file.attribute("SEQUENCE<1>", "TIME_STEP", 1.0 / kSampling_hz);
  file.attribute("SEQUENCE<1>", "START_TIME", kFirst_s);
  file.attribute("SEQUENCE<1>", "SPECIMEN_VELOCITY", std::vector<double>{3230.0, kSteel_m_s});
  for (int e = 1; e <= kElements; ++e) test::mfmc_law(file, e, {static_cast<double>(e)}, {});
  std::vector<int> sent, received;
  for (int e = 0; e < kElements; ++e) {
    for (int t = 0; t < kElements; ++t) {
      sent.push_back(t + 1), received.push_back(e + 1);
      for (int n = 0; n < kSamples; ++n) {
        double value = 0.0;
        for (const PlanePoint& s : kSpots) {
          const double path_m = std::hypot(s.x_m - x_m[static_cast<std::size_t>(t)], s.z_m) +
                                std::hypot(s.x_m - x_m[static_cast<std::size_t>(e)], s.z_m);
          value += pulse(kFirst_s + n / kSampling_hz - path_m / kSteel_m_s);
        }
        samples.push_back(1000.0 * value);
      }
    }
  }
  test::mfmc_scans(file, sent, received);
  file.numbers("SEQUENCE<1>/MFMC_DATA", {1, sent.size(), kSamples}, samples, {.type = H5T_STD_I16LE, .chunk = {}});
}

TEST(MfmcInspection, ShowsPointsWhereTheyAre) {
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "steel.mfmc");
  write_inspection(file);
  const OpenedSource opened = open_source(file.close().string());
  const double worst_m = expect_points(opened.source, 12e-3, 14e-3, 40e-3, kSpots);
  std::printf("MFMC: points within %.4f mm\n", 1e3 * worst_m);
}

}  // namespace
}  // namespace echoloop::mfmc_test
