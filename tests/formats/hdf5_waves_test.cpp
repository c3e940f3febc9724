// Synthetic aperture in USTB's files, later zea layouts, and waves of curved arrays: what no other test of the HDF5
// formats sees. Numbers are worked out here.
#include <cmath>
#include <limits>

#include "formats/hdf5_fixture.h"

namespace echoloop::hdf5_waves_test {
namespace {

using namespace test;

// Elements 0, 1 and 3 fire in turn at 0 s; `delay` of |s|/c each, times `sign`.
Acquisition element_by_element(double sign) {
  Hdf5Fixture file("s.uff");
  write_uff(file, {});
  for (const auto& [index, element] : {std::pair{1, 0}, std::pair{2, 1}, std::pair{3, 3}}) {
    const double x_m = (element - 1.5) * kPitch_m;
    uff_wave(file, index, 1, std::abs(x_m), std::copysign(std::acos(0.0), x_m), sign * std::abs(x_m) / kSpeed_m_s);
  }
  return *open_recording(file.close()).acquisition;
}

TEST(Uff, SingleElementsFireAtOneTimeInBothReadingsOfTimeZero) {
  for (const double sign : {1.0, -1.0}) {  // USTB's scripts; UFF's own words
    const Acquisition a = element_by_element(sign);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(a.transmits[k].kind, TransmitKind::diverging);
      // Fires 2 us before the first sample, and the wave takes |s|/c to the origin.
      EXPECT_NEAR(a.transmits[k].t0_s, 2e-6 - std::abs(a.transmits[k].source_x_m) / kSpeed_m_s, 1e-12) << sign;
    }
  }
}

TEST(Uff, SingleElementsWithoutDelaysFollowUstb) {
  const Acquisition a = element_by_element(0.0);  // samples were shifted to |s|/c after the firing
  for (const Transmit& t : a.transmits) EXPECT_NEAR(t.t0_s, 2e-6 - 2.0 * std::abs(t.source_x_m) / kSpeed_m_s, 1e-12);
}

TEST(Uff, AMatrixOfOneRowIsALinearArray) {
  Hdf5Fixture file("m.uff");
  write_uff(file, {});
  uff_object(file, "channel_data/probe", "uff.matrix_array");
  file.number("channel_data/probe/N_x", 4);
  file.number("channel_data/probe/pitch_x", kPitch_m);
  file.number("channel_data/probe/N_y", 1);
  const Recording recording = open_recording(file.close());
  EXPECT_NEAR(recording.acquisition->probe.elements[3].x_m, 1.5 * kPitch_m, 1e-9);
  Hdf5Fixture matrix("n.uff");
  write_uff(matrix, {});
  uff_object(matrix, "channel_data/probe", "uff.matrix_array");
  matrix.number("channel_data/probe/N_x", 2);
  matrix.number("channel_data/probe/N_y", 2);
  EXPECT_TRUE(contains(refusal(matrix.close()), "matrix array of 2 rows"));
}

TEST(Uff, ElementsAFewMicrometresOffThePlaneAreInIt) {
  for (const double y_m : {20e-6, -0.5e-3}) {
    Hdf5Fixture file("y.uff");
    write_uff(file, {});
    std::vector<double> rows(28, 0.0);
    for (std::size_t e = 0; e < 4; ++e) rows[e] = (static_cast<double>(e) - 1.5) * kPitch_m, rows[4 + e] = y_m;
    file.numbers("channel_data/probe/geometry", {7, 4}, rows);
    if (y_m > 0.0) {
      EXPECT_EQ(open_recording(file.close()).acquisition->n_elements(), 4);
    } else {
      EXPECT_TRUE(contains(refusal(file.close()), "matrix arrays are not supported"));
    }
  }
}

void move(const Hdf5Fixture& file, const std::string& from, const std::string& to) {
  H5Lmove(file.file(), from.c_str(), file.file(), to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

TEST(Zea, TracksWithAProbeOfTheirOwn) {
  const Extents n;
  Hdf5Fixture file("t.hdf5");
  write_zea(file, n);
  file.group("probe");
  move(file, "scan/probe_geometry", "probe/probe_geometry");
  file.numbers("probe/element_width", {}, {0.25e-3});
  file.numbers("scan/center_frequency", {3}, {kCenter_hz, kCenter_hz, kCenter_hz});
  file.numbers("scan/time_to_next_transmit", {5}, std::vector<double>(5, 1.0 / 3000.0));  // the last is not known
  file.remove("scan/sound_speed");
  file.group("tracks/track_10");  // only images
  file.numbers("tracks/track_10/data/image", {1}, {0.0});
  file.group("tracks/track_2");
  for (const char* const name : {"data", "scan"}) move(file, name, std::string("tracks/track_2/") + name);
  file.text("tracks/track_2/label", "planewave");
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  expect_samples(recording, n);
  EXPECT_EQ(a.center_hz, kCenter_hz);
  EXPECT_NEAR(a.frame_rate_hz, 1000.0, 1e-3);
  EXPECT_NEAR(a.probe.element_width_m, 0.25e-3, 1e-9);
  EXPECT_EQ(a.sound_speed_m_s, 1540.0);
  EXPECT_TRUE(assumes(a, "sound speed 1540 m/s"));
  EXPECT_TRUE(assumes(a, "track planewave, one of planewave, track_10"));
}

TEST(Zea, FrequenciesThatDifferAreSaid) {
  Hdf5Fixture file("f.hdf5");
  write_zea(file, {});
  file.numbers("scan/center_frequency", {3}, {kCenter_hz, 2 * kCenter_hz, kCenter_hz});
  const Recording recording = open_recording(file.close());
  EXPECT_NEAR(recording.acquisition->center_hz, 1.5 * kCenter_hz, 1.0);  // one band over all
  EXPECT_TRUE(assumes(*recording.acquisition, "centre frequencies differ between transmits, 5.00 to 10.00 MHz"));
}

struct ArcWave {
  TransmitKind kind;
  double x_m, z_m, angle_rad;
  int first, last;  // firing elements
};

constexpr int kArcElements = 65;

std::vector<Element> arc_elements() {
  constexpr double kRadius_m = 0.05;
  std::vector<Element> elements;
  for (int e = 0; e < kArcElements; ++e) {
    const double angle = (e - 32) * 0.5e-3 / kRadius_m;
    elements.push_back({.x_m = kRadius_m * std::sin(angle), .z_m = kRadius_m * (std::cos(angle) - 1.0)});
  }
  return elements;
}

// From the wave's passage of the origin, the apex of the array, until it leaves element e.
double arc_law_s(const ArcWave& w, const Element& e) {
  if (w.kind == TransmitKind::plane)
    return (e.x_m * std::sin(w.angle_rad) + e.z_m * std::cos(w.angle_rad)) / kSpeed_m_s;
  const double longer_m = std::hypot(e.x_m - w.x_m, e.z_m - w.z_m) - std::hypot(w.x_m, w.z_m);
  return (w.kind == TransmitKind::focused ? -longer_m : longer_m) / kSpeed_m_s;
}

TEST(Zea, WavesOfACurvedArrayAreFoundWithoutNotes) {
  const Extents n{.transmits = 4, .elements = kArcElements};
  const std::vector<ArcWave> waves = {{TransmitKind::plane, 0, 0, 0.25, 0, 64},
                                      {TransmitKind::diverging, 0.006, -0.05, 0, 0, 64},
                                      {TransmitKind::focused, 0.02, 0.05, 0, 20, 60},  // a walking aperture
                                      {TransmitKind::diverging, 0, -0.05, 0, 0, 64}};  // all at once
  const std::vector<Element> elements = arc_elements();
  Hdf5Fixture file("c.hdf5");
  write_zea(file, n);
  std::vector<double> geometry, delays, weights, first_s;
  for (const Element& e : elements) geometry.insert(geometry.end(), {e.x_m, 0.0, e.z_m});
  for (const ArcWave& w : waves) {
    double first = std::numeric_limits<double>::infinity();
    for (int e = w.first; e <= w.last; ++e)
      first = std::min(first, arc_law_s(w, elements[static_cast<std::size_t>(e)]));
    for (int e = 0; e < kArcElements; ++e) {
      const bool fires = e >= w.first && e <= w.last;
      delays.push_back(fires ? arc_law_s(w, elements[static_cast<std::size_t>(e)]) - first : 0.0);
      weights.push_back(fires ? 1.0 : 0.0);
    }
    first_s.push_back(first);
  }
  const DatasetPlan real64{.type = H5T_IEEE_F64LE, .chunk = {}};
  file.numbers("scan/probe_geometry", {kArcElements, 3}, geometry, real64);
  file.numbers("scan/t0_delays", {4, kArcElements}, delays, real64);
  file.numbers("scan/tx_apodizations", {4, kArcElements}, weights);
  file.numbers("scan/initial_times", {4}, std::vector<double>(4, 2e-6));
  file.remove("scan/polar_angles");
  file.remove("scan/focus_distances");
  const Recording recording = open_recording(file.close());
  for (std::size_t k = 0; k < waves.size(); ++k) {
    const Transmit& t = recording.acquisition->transmits[k];
    ASSERT_EQ(t.kind, waves[k].kind) << k;
    EXPECT_NEAR(t.angle_rad, waves[k].angle_rad, 1e-4) << k;
    EXPECT_NEAR(t.source_x_m, waves[k].x_m, 1e-4) << k;
    EXPECT_NEAR(t.source_z_m, waves[k].z_m, 2e-4) << k;
    EXPECT_NEAR(t.t0_s, 2e-6 + first_s[k], 5e-9) << k;
  }
}

// A walking aperture: the note counts from the beam's own origin.
TEST(Zea, NotesCountFromTheBeamsOrigin) {
  const Extents n{.transmits = 1, .elements = kArcElements};
  const std::vector<Element> elements = arc_elements();
  const Element& middle = elements[50];
  const double angle = 18 * 0.5e-3 / 0.05;
  const ArcWave w{TransmitKind::focused,
                  middle.x_m + 0.04 * std::sin(angle),
                  middle.z_m + 0.04 * std::cos(angle),
                  0,
                  49,
                  51};  // three elements fit many waves: the note decides
  Hdf5Fixture file("o.hdf5");
  write_zea(file, n);
  std::vector<double> geometry, delays, weights;
  for (int e = 0; e < kArcElements; ++e) {
    const Element& place = elements[static_cast<std::size_t>(e)];
    geometry.insert(geometry.end(), {place.x_m, 0.0, place.z_m});
    weights.push_back(e >= w.first && e <= w.last ? 1.0 : 0.0);
    delays.push_back(weights.back() > 0.0 ? arc_law_s(w, place) - arc_law_s(w, elements[49]) : 0.0);
  }
  file.numbers("scan/probe_geometry", {kArcElements, 3}, geometry);
  file.numbers("scan/t0_delays", {1, kArcElements}, delays);
  file.numbers("scan/tx_apodizations", {1, kArcElements}, weights);
  file.numbers("scan/polar_angles", {1}, {angle});
  file.numbers("scan/focus_distances", {1}, {0.04});
  file.numbers("scan/transmit_origins", {1, 3}, {middle.x_m, 0.0, middle.z_m});
  const Recording recording = open_recording(file.close());
  const Transmit& t = recording.acquisition->transmits[0];
  EXPECT_EQ(t.kind, TransmitKind::focused);
  EXPECT_NEAR(t.source_x_m, w.x_m, 1e-7);
  EXPECT_NEAR(t.source_z_m, w.z_m, 1e-7);
}

}  // namespace
}  // namespace echoloop::hdf5_waves_test
