// Files of arrays with names of their own: echoes of points computed here from distances alone appear where the points
// are, when the file is read by its names, and the doubt about a wrong centre frequency names the right one.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>

#include "app/opening/source_kinds.h"
#include "app/outputs/doubts.h"
#include "core/param_table.h"
#include "core/units.h"
#include "formats/file_outline.h"
#include "formats/hdf5_fixture.h"
#include "support/peaks.h"
#include "support/temporary_folder.h"

namespace echoloop::import_test {
namespace {

using namespace testing;

constexpr PlanePoint kSpots[] = {{0.0, 20e-3}, {-5e-3, 30e-3}, {6e-3, 25e-3}};
constexpr int kElements = 64, kSamples = 1700;
constexpr double kPitch_m = 0.3e-3, kSampling_hz = 40e6, kCenter_hz = 5e6, kFirst_s = 5e-6;

double element_x_m(int e) { return (e - 0.5 * (kElements - 1)) * kPitch_m; }

double pulse(double late_s) {
  return std::exp(-std::pow(0.9 * late_s * kCenter_hz, 2)) * std::cos(2.0 * kPi * kCenter_hz * late_s);
}

// [transmit][element][time]; `sent_s`: when the wave of a transmit passes a point, from the first firing.
std::vector<double> echoes(int n_transmits, double c_m_s, const std::function<double(int, const PlanePoint&)>& sent_s) {
  std::vector<double> samples;
  for (int k = 0; k < n_transmits; ++k) {
    for (int e = 0; e < kElements; ++e) {
      for (int i = 0; i < kSamples; ++i) {
        double value = 0.0;
        for (const PlanePoint& s : kSpots)
          value +=
              pulse(kFirst_s + i / kSampling_hz - sent_s(k, s) - std::hypot(s.x_m - element_x_m(e), s.z_m) / c_m_s);
        samples.push_back(1000.0 * value);
      }
    }
  }
  return samples;
}

std::vector<double> places_m(double unit) {
  std::vector<double> x;
  for (int e = 0; e < kElements; ++e) x.push_back(element_x_m(e) / unit);
  return x;
}

void expect_points(const OpenedSource& opened) { testing::expect_points(opened.source, 10e-3, 15e-3, 35e-3, kSpots); }

// Elements and virtual sources in mm, sampling in MHz.
void write_diverging(test::Hdf5Fixture& file, double said_center_hz) {
  const double c_m_s = 1540.0;
  const std::vector<PlanePoint> sources{{-5e-3, -12e-3}, {0.0, -13e-3}, {5e-3, -12e-3}};
  file.numbers("acq/rf", {3, kElements, kSamples},
               echoes(3, c_m_s,
                      [&](int k, const PlanePoint& s) {
                        const PlanePoint& from = sources[static_cast<std::size_t>(k)];
                        double first_m = HUGE_VAL;
                        for (int e = 0; e < kElements; ++e)
                          first_m = std::min(first_m, std::hypot(element_x_m(e) - from.x_m, from.z_m));
                        return (std::hypot(s.x_m - from.x_m, s.z_m - from.z_m) - first_m) / c_m_s;
                      }),
               {.type = H5T_STD_I16LE, .chunk = {}});
  file.number("acq/fs", 40.0);
  file.number("acq/fc", said_center_hz);
  file.number("acq/c", c_m_s);
  file.number("t0", kFirst_s);
  file.numbers("probe/elem_x", {kElements}, places_m(1e-3));
  file.numbers("tx/src", {3, 2}, {-5.0, -12.0, 0.0, -13.0, 5.0, -12.0});
}

TEST(ImportedPoints, DivergingWavesInMillimetres) {
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "div.h5");
  write_diverging(file, kCenter_hz);
  const OpenedSource opened = open_source(file.close().string());
  expect_points(opened);
  EXPECT_TRUE(measure_doubts(opened).empty());
}

TEST(ImportedPoints, AWrongCentreFrequencyIsDoubted) {
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "div.h5");
  write_diverging(file, 3e6);
  const std::vector<Doubt> doubts = measure_doubts(open_source(file.close().string()));
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].text.find("centre frequency of 3 MHz"), std::string::npos) << doubts[0].text;
  double cured_hz = 0.0;
  ASSERT_EQ(std::sscanf(doubts[0].cure.c_str(), "--set center_hz=%lf", &cured_hz), 1) << doubts[0].cure;
  EXPECT_NEAR(cured_hz, kCenter_hz, 0.05 * kCenter_hz);
  EXPECT_EQ(doubts[0].cure.find("fs_hz"), std::string::npos) << doubts[0].cure;
}

// Lines that are beamformed already, with another frequency than theirs: named with its correction, right ones not.
TEST(ImportedLines, AWrongCentreFrequencyIsDoubted) {
  for (const double stated_hz : {kCenter_hz, 2.0 * kCenter_hz}) {
    const TemporaryFolder folder;
    test::Hdf5Fixture file(folder / "lines.h5");
    file.numbers("lines", {kElements, kSamples},
                 echoes(1, 1540.0, [](int, const PlanePoint& s) { return s.z_m / 1540.0; }));
    file.close();
    folder.write("lines.json", R"({"axes": ["line", "time"], "fs_hz": 40e6, "pitch_m": 0.3e-3, "fc_hz": )" +
                                   std::to_string(stated_hz) + "}");
    const std::vector<Doubt> doubts = measure_doubts(open_source((folder / "lines.h5").string()));
    ASSERT_EQ(doubts.size(), stated_hz == kCenter_hz ? 0U : 1U);
    if (doubts.empty()) continue;
    EXPECT_NE(doubts[0].text.find("lines of 10 MHz, but the echoes"), std::string::npos) << doubts[0].text;
    EXPECT_EQ(doubts[0].key, "fc_hz");
    EXPECT_NEAR(doubts[0].measured, kCenter_hz, 0.1 * kCenter_hz);
  }
}

// Half of the sampling frequency doubles all distances and halves the measured frequency.
TEST(ImportedPoints, AWrongSamplingFrequencyIsDoubted) {
  for (const double factor : {0.5, 2.0}) {
    const TemporaryFolder folder;
    test::Hdf5Fixture file(folder / "div.h5");
    write_diverging(file, kCenter_hz);
    file.number("acq/fs", factor * kSampling_hz * 1e-6);
    const std::vector<Doubt> doubts = measure_doubts(open_source(file.close().string()));
    ASSERT_EQ(doubts.size(), 1U) << factor;
    EXPECT_EQ(doubts[0].key, "fs_hz") << doubts[0].text;
    EXPECT_NEAR(doubts[0].measured, kSampling_hz, 0.03 * kSampling_hz) << doubts[0].text;
  }
}

// As of a Hilbert transform: here the pulse a quarter of a period later.
TEST(ImportedPoints, AnalyticRfIsDoubted) {
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "analytic.h5");
  for (const auto& [name, later_s] : {std::pair{"acq/rf_real", 0.0}, {"acq/rf_imag", 0.25 / kCenter_hz}})
    file.numbers(name, {1, kElements, kSamples},
                 echoes(1, 1540.0, [&](int, const PlanePoint& s) { return s.z_m / 1540.0 + later_s; }));
  file.number("acq/fs", 40.0);
  file.number("acq/fc", kCenter_hz);
  file.number("t0", kFirst_s);
  file.numbers("probe/elem_x", {kElements}, places_m(1e-3));
  const std::vector<Doubt> doubts = measure_doubts(open_source(file.close().string()));
  ASSERT_FALSE(doubts.empty());
  EXPECT_NE(doubts[0].text.find("analytic RF"), std::string::npos) << doubts[0].text;
  EXPECT_EQ(doubts[0].cure, "\"demod_hz\": 0 in a description");
}

constexpr int kThinned = 5;

// Of IQ of every fifth sample; `sign` of the quadrature part.
std::vector<Doubt> doubts_of_iq(double said_sampling_hz, double sign) {
  std::vector<double> in_phase, quadrature;
  for (int e = 0; e < kElements; ++e) {
    for (int i = 0; i < kSamples / kThinned; ++i) {
      std::complex<double> value;
      for (const PlanePoint& s : kSpots) {
        const double way_s = (s.z_m + std::hypot(s.x_m - element_x_m(e), s.z_m)) / 1540.0;
        const double late_s = kFirst_s + i * kThinned / kSampling_hz - way_s;
        value +=
            std::polar(1000.0 * std::exp(-std::pow(0.9 * late_s * kCenter_hz, 2)), -2.0 * kPi * kCenter_hz * way_s);
      }
      in_phase.push_back(value.real()), quadrature.push_back(sign * value.imag());
    }
  }
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "iq.h5");
  file.numbers("acq/iq_real", {1, kElements, kSamples / kThinned}, in_phase);
  file.numbers("acq/iq_imag", {1, kElements, kSamples / kThinned}, quadrature);
  file.number("acq/fs", said_sampling_hz);
  file.number("acq/fc", kCenter_hz);
  file.number("t0", kFirst_s);
  file.numbers("probe/elem_x", {kElements}, places_m(1e-3));
  return measure_doubts(open_source(file.close().string()));
}

// Alternating I and Q, under a name of RF.
TEST(ImportedPoints, PairsUnderANameOfRfAreDoubted) {
  std::vector<double> pairs;
  for (int e = 0; e < kElements; ++e) {
    for (int i = 0; i < kSamples / kThinned; ++i) {
      const double late_s =
          kFirst_s + i * kThinned / kSampling_hz - 2.0 * std::hypot(20e-3, 0.5 * element_x_m(e)) / 1540.0;
      const auto value = std::polar(1000.0 * std::exp(-std::pow(0.9 * late_s * kCenter_hz, 2)),
                                    2.0 * kPi * kCenter_hz * (late_s - i * kThinned / kSampling_hz));
      pairs.push_back(value.real()), pairs.push_back(value.imag());
    }
  }
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "pairs.h5");
  file.numbers("acq/rf", {kElements, 2 * (kSamples / kThinned)}, pairs);
  file.number("acq/fs", kSampling_hz / kThinned);
  file.number("acq/fc", kCenter_hz);
  file.number("t0", kFirst_s);
  file.numbers("probe/elem_x", {kElements}, places_m(1e-3));
  const std::vector<Doubt> doubts = measure_doubts(open_source(file.close().string()));
  ASSERT_FALSE(doubts.empty());
  EXPECT_NE(doubts[0].text.find("alternating I and Q, 340 of each"), std::string::npos) << doubts[0].text;
}

TEST(ImportedPoints, IqOfTheWrongRateOrSignIsDoubted) {
  EXPECT_TRUE(doubts_of_iq(kSampling_hz / kThinned, 1.0).empty());
  const std::vector<Doubt> fast = doubts_of_iq(kSampling_hz, 1.0),
                           mirrored = doubts_of_iq(kSampling_hz / kThinned, -1.0);
  ASSERT_FALSE(fast.empty());
  EXPECT_EQ(fast[0].text.find("IQ at 40 MHz, but the echoes"), 0U) << fast[0].text;
  ASSERT_EQ(mirrored.size(), 1U);
  EXPECT_NE(mirrored[0].text.find("the quadrature part of the opposite sign"), std::string::npos) << mirrored[0].text;
}

// BRAIN: A-scans of pairs, those of tx > rx are not in the file.
TEST(ImportedPoints, HalfAMatrixOfBrain) {
  const double c_m_s = 6300.0 / 4.0;
  const TemporaryFolder folder;
  test::Hdf5Fixture file(folder / "exp_data.h5");
  const std::vector<double> all = echoes(
      kElements, c_m_s, [&](int k, const PlanePoint& s) { return std::hypot(s.x_m - element_x_m(k), s.z_m) / c_m_s; });
  std::vector<double> tx, rx, times_s;
  for (int t = 0; t < kElements; ++t) {
    for (int e = t; e < kElements; ++e) tx.push_back(t + 1), rx.push_back(e + 1);
  }
  std::vector<double> lines(kSamples * tx.size());
  for (std::size_t k = 0; k < tx.size(); ++k) {
    const auto from = static_cast<std::size_t>((tx[k] - 1.0) * kElements + rx[k] - 1.0) * kSamples;
    for (std::size_t i = 0; i < kSamples; ++i) lines[i * tx.size() + k] = all[from + i];
  }
  for (int i = 0; i < kSamples; ++i) times_s.push_back(kFirst_s + i / kSampling_hz);
  const test::DatasetPlan doubles{.type = H5T_IEEE_F64LE, .chunk = {}};
  file.numbers("exp_data/time_data", {kSamples, tx.size()}, lines);
  file.numbers("exp_data/tx", {tx.size()}, tx);
  file.numbers("exp_data/rx", {rx.size()}, rx);
  file.numbers("exp_data/time", {kSamples}, times_s, doubles);
  file.numbers("exp_data/array/el_xc", {kElements}, places_m(1.0), doubles);
  file.number("exp_data/array/centre_freq", kCenter_hz);
  file.number("exp_data/ph_velocity", c_m_s);
  const std::filesystem::path path = file.close();
  const OpenedSource opened = open_source(path.string());
  EXPECT_EQ(opened.info.format, "HDF5 (BRAIN exp_data)");
  EXPECT_EQ(opened.info.acquisition->n_transmits(), kElements);
  expect_points(opened);
  // The description that says it cannot replace the reader leaves the layout in force.
  folder.write("exp_data.json", description_template(outline_file(path), "exp_data.h5"));
  EXPECT_EQ(open_source(path.string()).info.format, "HDF5 (BRAIN exp_data)");
}

}  // namespace
}  // namespace echoloop::import_test
