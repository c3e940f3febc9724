// Layouts that no reader knows: lists of A-scans, folders of lines and transmits of unequal length, arrays with many
// axes of length 1, one element that is moved. Echoes of points computed from distances alone appear where the points
// are, without a description.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "app/opening/source_kinds.h"
#include "core/units.h"
#include "formats/hdf5_fixture.h"
#include "formats/support.h"
#include "support/mat5_file.h"
#include "support/peaks.h"
#include "support/temporary_folder.h"

namespace echoloop::unseen_test {
namespace {

using namespace testing;
using test::Hdf5Fixture;
using test::packed;
namespace fs = std::filesystem;

constexpr PlanePoint kSpots[] = {{0.0, 20e-3}, {-4e-3, 28e-3}, {3e-3, 24e-3}};
constexpr int kElements = 32, kSamples = 1100;
constexpr double kPitch_m = 0.3e-3, kSampling_hz = 25e6, kCenter_hz = 4e6, kSpeed_m_s = 1600.0;

double place_m(int e) { return (e - 0.5 * (kElements - 1)) * kPitch_m; }
double way_m(double x_m, const PlanePoint& s) { return std::hypot(s.x_m - x_m, s.z_m); }

double pulse(double late_s) {
  return std::exp(-std::pow(0.9 * late_s * kCenter_hz, 2)) * std::cos(2.0 * kPi * kCenter_hz * late_s);
}

using Sent = std::function<double(const PlanePoint&)>;  // when the wave passes a point, s

// Of an element at x, from t0 on.
std::vector<double> trace(const Sent& sent_s, double x_m, double t0_s = 0.0, int n = kSamples) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    double value = 0.0;
    for (const PlanePoint& s : kSpots) value += pulse(t0_s + i / kSampling_hz - sent_s(s) - way_m(x_m, s) / kSpeed_m_s);
    values.push_back(1000.0 * value);
  }
  return values;
}

Sent from(double x_m) {
  return [x_m](const PlanePoint& s) { return way_m(x_m, s) / kSpeed_m_s; };
}
Sent plane(double angle_rad) {  // through the centre of the array
  return [angle_rad](const PlanePoint& s) {
    return (s.x_m * std::sin(angle_rad) + s.z_m * std::cos(angle_rad)) / kSpeed_m_s;
  };
}

struct Pairs {
  std::vector<double> tx, rx;  // from 0
  std::vector<double> traces;  // [pair][time]
};

Pairs pairs_of(const std::function<bool(int, int)>& measured) {
  Pairs pairs;
  for (int t = 0; t < kElements; ++t) {
    for (int e = 0; e < kElements; ++e) {
      if (!measured(t, e)) continue;
      pairs.tx.push_back(t);
      pairs.rx.push_back(e);
      const std::vector<double> one = trace(from(place_m(t)), place_m(e));
      pairs.traces.insert(pairs.traces.end(), one.begin(), one.end());
    }
  }
  return pairs;
}
Pairs all_pairs() {
  return pairs_of([](int, int) { return true; });
}
Pairs half_of_pairs() {
  return pairs_of([](int t, int e) { return e >= t; });
}

Pairs shuffled(const Pairs& pairs) {
  Pairs other;
  std::vector<std::size_t> order(pairs.tx.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::shuffle(order, std::mt19937(7));
  for (const std::size_t k : order) {
    other.tx.push_back(pairs.tx[k]);
    other.rx.push_back(pairs.rx[k]);
    const auto at = pairs.traces.begin() + static_cast<std::ptrdiff_t>(k * kSamples);
    other.traces.insert(other.traces.end(), at, at + kSamples);
  }
  return other;
}

std::vector<double> from_one(std::vector<double> list) {
  for (double& one : list) ++one;
  return list;
}

// [time][pair] of [pair][time].
std::vector<double> turned(const std::vector<double>& traces) {
  const std::size_t n = traces.size() / kSamples;
  std::vector<double> columns(traces.size());
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < kSamples; ++i) columns[i * n + k] = traces[k * kSamples + i];
  return columns;
}

std::vector<double> places_m() {
  std::vector<double> x;
  for (int e = 0; e < kElements; ++e) x.push_back(place_m(e));
  return x;
}

const test::DatasetPlan kDoubles{.type = H5T_IEEE_F64LE, .chunk = {}};

void say(Hdf5Fixture& file) {
  file.number("fs", kSampling_hz);
  file.number("fc", kCenter_hz);
  file.number("c", kSpeed_m_s);
}

test::ZipEntry entry(const std::string& name, const std::vector<double>& values, const std::string& shape) {
  return {name + ".npy", npy("<f8", false, shape, packed(values)), false};
}
test::ZipEntry entry(const std::string& name, double value) { return entry(name, std::vector{value}, "()"); }
std::string shape_of(std::size_t a, std::size_t b) { return "(" + std::to_string(a) + ", " + std::to_string(b) + ")"; }
std::string shape_of(std::size_t n) { return "(" + std::to_string(n) + ",)"; }

std::vector<test::ZipEntry> with_facts(std::vector<test::ZipEntry> entries) {
  entries.push_back(entry("fs", kSampling_hz));
  entries.push_back(entry("fc", kCenter_hz));
  entries.push_back(entry("c", kSpeed_m_s));
  return entries;
}
std::vector<test::Mat5Variable> with_facts(std::vector<test::Mat5Variable> variables) {
  for (const auto& [name, value] :
       {std::pair{"fs", kSampling_hz}, {"fc", kCenter_hz}, {"c", kSpeed_m_s}, {"pitch", kPitch_m}})
    variables.push_back({name, {1, 1}, {value}});
  return variables;
}

// BRAIN, whose velocity is that of `material`.
fs::path brain(const TemporaryFolder& folder, const Pairs& pairs, const std::vector<double>& coefficients) {
  Hdf5Fixture file(folder / "exp_data.h5");
  file.numbers("exp_data/time_data", {kSamples, pairs.tx.size()}, turned(pairs.traces));
  file.numbers("exp_data/tx", {pairs.tx.size()}, from_one(pairs.tx));
  file.numbers("exp_data/rx", {pairs.tx.size()}, from_one(pairs.rx));
  std::vector<double> times_s;
  for (int i = 0; i < kSamples; ++i) times_s.push_back(i / kSampling_hz);
  file.numbers("exp_data/time", {kSamples}, times_s, kDoubles);
  file.numbers("exp_data/array/el_xc", {kElements}, places_m(), kDoubles);
  file.number("exp_data/array/centre_freq", kCenter_hz);
  file.numbers("exp_data/material/vel_spherical_harmonic_coeffs", {1, coefficients.size()}, coefficients);
  return file.close();
}

fs::path half_npz(const TemporaryFolder& folder) {
  const Pairs half = half_of_pairs();
  const std::size_t n = half.tx.size();
  return folder.write("half.npz", test::zip(with_facts({entry("data", half.traces, shape_of(n, kSamples)),
                                                        entry("tx", half.tx, shape_of(n)),
                                                        entry("rx", half.rx, shape_of(n)), entry("pitch", kPitch_m)})));
}

fs::path shuffled_h5(const TemporaryFolder& folder) {
  const Pairs pairs = shuffled(all_pairs());
  Hdf5Fixture file(folder / "a.h5");
  say(file);
  file.numbers("traces", {pairs.tx.size(), kSamples}, pairs.traces);
  file.numbers("tx_elem", {pairs.tx.size()}, from_one(pairs.tx));
  file.numbers("rx_elem", {pairs.tx.size()}, from_one(pairs.rx));
  file.numbers("element_x", {kElements}, places_m(), kDoubles);
  return file.close();
}

// Every fourth element fires; columns, as MATLAB has them.
fs::path subset_mat(const TemporaryFolder& folder) {
  const Pairs some = pairs_of([](int t, int) { return t % 4 == 0; });
  const auto n = static_cast<std::int32_t>(some.tx.size());
  return folder.write("a.mat", test::mat5_file(with_facts({{"rf", {kSamples, n}, some.traces},
                                                           {"tx", {1, n}, from_one(some.tx)},
                                                           {"rx", {1, n}, from_one(some.rx)}})));
}

fs::path table_of_pairs(const TemporaryFolder& folder) {
  const Pairs half = half_of_pairs();
  std::vector<double> table;
  for (std::size_t k = 0; k < half.tx.size(); ++k) table.insert(table.end(), {half.tx[k] + 1.0, half.rx[k] + 1.0});
  Hdf5Fixture file(folder / "a.h5");
  say(file);
  file.number("pitch", kPitch_m);
  file.numbers("ascans", {kSamples, half.tx.size()}, turned(half.traces));
  file.numbers("tx_rx", {half.tx.size(), 2}, table);
  return file.close();
}

// Field II: one file a transmit, as long as its echoes, from its tstart on.
fs::path transmits_of_unequal_length(const TemporaryFolder& folder, const std::string& fact,
                                     const std::vector<double>& values, const std::function<Sent(double)>& wave) {
  fs::create_directories(folder / "scan");
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double t0_s = (2.0 + static_cast<double>(k % 3)) * 1e-6;
    const int n = kSamples - 29 * static_cast<int>(k % 5);
    std::vector<double> rf;
    for (int e = 0; e < kElements; ++e) {
      const std::vector<double> one = trace(wave(values[k]), place_m(e), t0_s, n);
      rf.insert(rf.end(), one.begin(), one.end());
    }
    folder.write("scan/tx" + std::to_string(k + 1) + ".mat",
                 test::mat5_file(with_facts(
                     {{"rf_data", {n, kElements}, rf}, {"tstart", {1, 1}, {t0_s}}, {fact, {1, 1}, {values[k]}}})));
  }
  return folder / "scan";
}

fs::path transmits_of_elements(const TemporaryFolder& folder) {
  return transmits_of_unequal_length(folder, "tx_element", {1, 5, 9, 13, 17, 21, 25, 29, 32},
                                     [](double number) { return from(place_m(static_cast<int>(number) - 1)); });
}
fs::path transmits_of_planes(const TemporaryFolder& folder) {
  return transmits_of_unequal_length(folder, "angle", {-0.2, -0.1, 0.0, 0.1, 0.2}, plane);
}

fs::path six_axes_h5(const TemporaryFolder& folder) {
  Hdf5Fixture file(folder / "a.h5");
  say(file);
  file.number("pitch", kPitch_m);
  std::vector<double> rf;
  for (const double angle : {-0.1, 0.0, 0.1}) {
    const double later_s = 0.5 * (kElements - 1) * kPitch_m * std::abs(std::sin(angle)) / kSpeed_m_s;
    const Sent wave = plane(angle);
    for (int e = 0; e < kElements; ++e) {
      const std::vector<double> one =
          trace([&](const PlanePoint& s) { return wave(s) + later_s; }, place_m(e));  // after the first firing
      rf.insert(rf.end(), one.begin(), one.end());
    }
  }
  file.numbers("rf", {1, 3, 1, kElements, 1, kSamples}, rf);
  file.numbers("angles", {3}, {-0.1, 0.0, 0.1}, kDoubles);
  return file.close();
}

fs::path six_axes_npz(const TemporaryFolder& folder) {
  std::vector<double> rf;
  for (int e = 0; e < kElements; ++e) {
    const std::vector<double> one = trace(plane(0.0), place_m(e));
    rf.insert(rf.end(), one.begin(), one.end());
  }
  const std::string shape = "(1, 1, 1, " + std::to_string(kElements) + ", 1, " + std::to_string(kSamples) + ")";
  return folder.write("a.npz", test::zip(with_facts({entry("rf", rf, shape), entry("pitch", kPitch_m)})));
}

// One element that is moved: 61 places, 0.25 mm apart.
constexpr int kShots = 61;
double shot_m(int k) { return (k - 0.5 * (kShots - 1)) * 0.25e-3; }
std::vector<double> shots() {
  std::vector<double> all;
  for (int k = 0; k < kShots; ++k) {
    const std::vector<double> one = trace(from(shot_m(k)), shot_m(k));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}
std::vector<double> shot_places() {
  std::vector<double> x;
  for (int k = 0; k < kShots; ++k) x.push_back(shot_m(k));
  return x;
}

fs::path moved_npz(const TemporaryFolder& folder) {
  return folder.write("a.npz", test::zip(with_facts({entry("bscan", shots(), shape_of(kShots, kSamples)),
                                                     entry("scan_x", shot_places(), shape_of(kShots))})));
}

fs::path moved_mat(const TemporaryFolder& folder) {
  std::vector<double> numbers;
  for (int k = 0; k < kShots; ++k) numbers.push_back(k + 1.0);
  std::vector<test::Mat5Variable> all = with_facts({{"rf", {kSamples, kShots}, shots()},
                                                    {"tx", {1, kShots}, numbers},
                                                    {"rx", {1, kShots}, numbers},
                                                    {"x_elem", {1, kShots}, shot_places()}});
  all.pop_back();  // the pitch is another
  return folder.write("a.mat", test::mat5_file(all));
}

fs::path moved_h5(const TemporaryFolder& folder) {
  Hdf5Fixture file(folder / "a.h5");
  say(file);
  std::vector<double> places;
  for (int k = 0; k < kShots; ++k) places.insert(places.end(), {shot_m(k), 0.0, 0.0});
  file.numbers("ascans", {kShots, kSamples}, shots());
  file.numbers("tx_pos", {kShots, 3}, places, kDoubles);
  file.numbers("rx_pos", {kShots, 3}, places, kDoubles);
  return file.close();
}

fs::path moved_folder(const TemporaryFolder& folder) {
  fs::create_directories(folder / "scan");
  for (int k = 0; k < kShots; ++k)
    folder.write("scan/shot_" + std::to_string(k) + ".npz",
                 test::zip(with_facts({entry("rf", trace(from(shot_m(k)), shot_m(k)), shape_of(kSamples)),
                                       entry("x_probe", shot_m(k))})));
  return folder / "scan";
}

struct Unseen {
  const char* name;
  std::function<fs::path(const TemporaryFolder&)> write;
};
const Unseen kUnseen[] = {
    {"BrainByItsMaterial", [](const TemporaryFolder& f) { return brain(f, all_pairs(), {kSpeed_m_s}); }},
    {"HalfOfBrain", [](const TemporaryFolder& f) { return brain(f, half_of_pairs(), {kSpeed_m_s}); }},
    {"BrainThatDependsOnDirection",
     [](const TemporaryFolder& f) {
       return brain(f, half_of_pairs(), {0.0, 0.0, kSpeed_m_s, 0.0, 0.0});
     }},
    {"HalfAMatrixFromZero", half_npz},
    {"AnyOrder", shuffled_h5},
    {"SomeTransmits", subset_mat},
    {"TableOfPairs", table_of_pairs},
    {"TransmitsOfUnequalLength", transmits_of_elements},
    {"PlanesOfUnequalLength", transmits_of_planes},
    {"SixAxesOfHdf5", six_axes_h5},
    {"SixAxesOfNpz", six_axes_npz},
    {"MovedByItsPlaces", moved_npz},
    {"MovedByPairs", moved_mat},
    {"MovedByPlacesOfBoth", moved_h5},
    {"MovedFileByFile", moved_folder}};

class UnseenLayout : public ::testing::TestWithParam<Unseen> {};

TEST_P(UnseenLayout, PointsAreWhereTheyAre) {
  const TemporaryFolder folder;
  const OpenedSource opened = open_source(GetParam().write(folder).string());
  EXPECT_EQ(opened.info.acquisition->sound_speed_m_s, kSpeed_m_s);
  testing::expect_points(opened.source, 8e-3, 16e-3, 32e-3, kSpots);
}

INSTANTIATE_TEST_SUITE_P(Layouts, UnseenLayout, ::testing::ValuesIn(kUnseen),
                         [](const auto& info) { return std::string(info.param.name); });

// Lines of Field II with a tstart each, in a folder whose facts are in a JSON file; `step_m` below 0: from right to
// left, with a place in each file.
OpenedSource lines_of_unequal_length(const TemporaryFolder& folder, double step_m) {
  constexpr int kLines = 40;
  fs::create_directories(folder / "lines");
  for (int k = 0; k < kLines; ++k) {
    const double x_m = (k - 0.5 * (kLines - 1)) * step_m, t0_s = (12.0 + k % 5) * 1e-6;
    std::vector<double> rf;
    for (int i = 0; i < 700 - 11 * (k % 7); ++i) {
      double value = 0.0;
      for (const PlanePoint& s : kSpots)
        value +=
            std::exp(-std::pow((s.x_m - x_m) / 0.5e-3, 2)) * pulse(t0_s + i / kSampling_hz - 2.0 * s.z_m / kSpeed_m_s);
      rf.push_back(1000.0 * value);
    }
    const auto n = static_cast<std::int32_t>(rf.size());
    std::vector<test::Mat5Variable> all{{"rf_data", {n, 1}, rf}, {"tstart", {1, 1}, {t0_s}}};
    if (step_m < 0.0) all.push_back({"line_x", {1, 1}, {x_m}});
    folder.write("lines/rf_ln" + std::to_string(k + 1) + ".mat", test::mat5_file(all));
  }
  folder.write("lines/params.json", R"({"fs": 25e6, "fc": 4e6, "c": 1600, "line_spacing_mm": 0.3})");
  return open_source((folder / "lines").string());
}

void expect_lines(const OpenedSource& opened, const std::string& left) {
  const Acquisition& a = *opened.info.acquisition;
  EXPECT_EQ(a.data, DataKind::beamformed);
  EXPECT_TRUE(test::assumes(a, "one line each, " + left + " at the left"));
  const Picture picture = process({.source = opened.source, .params = default_params(a)}).at(0);
  for (const PlanePoint& s : kSpots) {
    const Peak peak = find_peak(picture, s.x_m, s.z_m, 1.5e-3, 1.5e-3);
    EXPECT_NEAR(peak.x_m, s.x_m, 0.16e-3);
    EXPECT_NEAR(peak.z_m, s.z_m, 0.05e-3);
    EXPECT_GT(peak.db, -12.0F);
  }
}

TEST(UnseenLayout, LinesOfUnequalLength) {
  const TemporaryFolder folder;
  expect_lines(lines_of_unequal_length(folder, 0.3e-3), "rf_ln1.mat");
}

TEST(UnseenLayout, LinesFromRightToLeft) {
  const TemporaryFolder folder;
  const OpenedSource opened = lines_of_unequal_length(folder, -0.3e-3);
  EXPECT_TRUE(test::assumes(*opened.info.acquisition, "lines are stored from right to left"));
  expect_lines(opened, "rf_ln40.mat");
}

}  // namespace
}  // namespace echoloop::unseen_test
