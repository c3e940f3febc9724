// The parameters and the grid that a source starts with.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/facts.h"
#include "core/param_table.h"
#include "core/params.h"
#include "support/acquisitions.h"
#include "support/one_line.h"

namespace echoloop::default_params_test {
namespace {

using testing::linear_acquisition;

TEST(DefaultParams, LinearArrayShowsWhatItRecorded) {
  const Acquisition a = linear_acquisition(64, 1024);
  const ImagingParams p = default_params(a);
  EXPECT_EQ(p.formation.sound_speed_m_s, 1540.0);
  EXPECT_EQ(p.formation.f_number, 1.5);
  // 5 MHz +- 3/4 of the 3 MHz bandwidth.
  EXPECT_DOUBLE_EQ(p.formation.band_low_hz, 2.75e6);
  EXPECT_DOUBLE_EQ(p.formation.band_high_hz, 7.25e6);
  // 1023 samples at 20 MHz are 39.39 mm, of which 96 % are 37.8 mm.
  EXPECT_NEAR(p.formation.depth_max_m, 37.8e-3, 0.05e-3);
  EXPECT_NEAR(p.formation.depth_min_m, 2e-3, 1e-9);
  // Outermost centres at 31.5 pitches, and half a pitch: 9.6 mm.
  EXPECT_NEAR(p.formation.lateral_max_m, 9.6e-3, 1e-9);
  EXPECT_EQ(p.formation.lateral_min_m, -p.formation.lateral_max_m);
  EXPECT_LE(p.level.reference_db, kAutoReference);
  EXPECT_NO_THROW(validate_params(p, a));
}

TEST(DefaultParams, RecordsThatStartLateStartDeep) {
  Acquisition a = linear_acquisition();
  a.transmits[0].t0_s = 9.95e-6;
  a.sound_speed_m_s = 1480.0;
  EXPECT_NEAR(default_params(a).formation.depth_min_m, 0.5 * 1480.0 * 9.95e-6, 0.06e-3);  // rounded to 0.1 mm
}

// An aperture that walks along the array: time zero is no depth of the outer beams.
TEST(DefaultParams, WalkingAperturesBeginWhereTheirRecordsDo) {
  Acquisition a = linear_acquisition(64, 1024);
  a.transmits.clear();
  for (int k = -4; k <= 4; ++k) {
    Transmit t;
    t.kind = TransmitKind::focused;
    t.source_x_m = k * 2e-3, t.source_z_m = 10e-3;
    // Every record begins 8 us after its beam left the array, (|s| - z_s) / c after the wave passed the origin.
    t.t0_s = 8e-6 + (std::hypot(t.source_x_m, t.source_z_m) - t.source_z_m) / a.sound_speed_m_s;
    a.transmits.push_back(t);
  }
  const ImagingParams p = default_params(a);
  EXPECT_NEAR(p.formation.depth_min_m, 0.5 * 1540.0 * 8e-6, 0.06e-3);
  EXPECT_NEAR(p.formation.depth_max_m, 0.96 * 0.5 * 1540.0 * (8e-6 + 1023 / 20e6), 0.06e-3);
}

// Depth stays the file's, wherever its array lies.
TEST(DefaultParams, AnArrayBelowTheOriginIsSeenFromItsSurface) {
  Acquisition a = linear_acquisition(64, 1024);
  for (Element& e : a.probe.elements) e.z_m = 30e-3;
  a.transmits[0].t0_s = 30e-3 / 1540.0;  // leaves the array
  const ImagingParams p = default_params(a);
  EXPECT_NEAR(p.formation.depth_min_m, 32e-3, 0.06e-3);
  EXPECT_NEAR(p.formation.depth_max_m, 0.96 * (30e-3 + 0.5 * 1540.0 * 1023 / 20e6), 0.06e-3);
}

TEST(DefaultParams, BandAndDepthFollowRecordingsOfAnyScale) {
  for (const double scale : {0.01, 0.1, 1.0, 10.0, 100.0}) {  // depth 0.38 mm at 500 MHz to 3.8 m at 50 kHz
    Acquisition a = linear_acquisition(64, 1024);
    a.sampling_hz /= scale;
    a.center_hz /= scale;
    a.bandwidth_hz /= scale;
    a.probe = make_linear_probe("scaled", 64, a.probe.pitch_m * std::min(scale, 10.0), 0.0);
    const ImagingParams p = default_params(a);
    EXPECT_NO_THROW(validate_params(p, a));
    EXPECT_DOUBLE_EQ(p.formation.band_low_hz, 2.75e6 / scale);
    EXPECT_DOUBLE_EQ(p.formation.band_high_hz, 7.25e6 / scale);
    EXPECT_NEAR(p.formation.depth_max_m, 37.8e-3 * scale, 0.3e-3 * scale);
    EXPECT_LE(p.formation.depth_min_m, 6.2e-3 * scale);
    EXPECT_NEAR(p.formation.lateral_max_m, 9.6e-3 * scale, scale < 1.0 ? 1e-3 : 86.5e-3 * scale);
    EXPECT_EQ(limited_defaults(a).size(), scale > 10.0 ? 1U : 0U) << scale;  // adaptive_kernel_m
  }
}

TEST(DefaultParams, ALimitedDefaultIsReported) {
  for (const Acquisition& a : {linear_acquisition(4, 1'000'000), testing::convex_acquisition(4, 1'000'000)}) {
    const ImagingParams p = default_params(a);  // 37 m
    EXPECT_NO_THROW(validate_params(p, a));
    EXPECT_EQ(p.formation.depth_max_m, 10.0);
    const std::vector<std::string> limited = limited_defaults(a);
    ASSERT_FALSE(limited.empty());
    EXPECT_EQ(limited.front().substr(0, 57), "default of depth_max_m limited to 10: the recording gives");
  }
  EXPECT_TRUE(limited_defaults(linear_acquisition()).empty());
}

TEST(DefaultParams, AWideArrayIsImagedWhole) {
  const Acquisition a = linear_acquisition(4096, 256);  // 1.2 m
  const ImagingParams p = default_params(a);
  EXPECT_NO_THROW(validate_params(p, a));
  EXPECT_NEAR(p.formation.lateral_max_m, 0.6144, 1e-4);
  Acquisition lines = a;
  lines.data = DataKind::beamformed;
  lines.n_samples = 1'000'000;
  EXPECT_NO_THROW(validate_params(default_params(lines), lines));
}

TEST(DefaultParams, PhasedArraysUseEveryElementAndLookAside) {
  Acquisition a = linear_acquisition(64, 2048);
  a.probe.kind = ProbeKind::phased;
  const ImagingParams p = default_params(a);
  EXPECT_EQ(p.formation.f_number, 0.0);
  EXPECT_NEAR(p.formation.lateral_max_m, p.formation.depth_max_m * std::sin(35.0 * kRadiansPerDegree), 1e-5);
}

TEST(DefaultParams, BandpassSampledRfStaysInItsNyquistZone) {
  Acquisition a = linear_acquisition();
  a.sampling_hz = 20e6 / 3.0;
  a.bandwidth_hz = 6e6;
  const ImagingParams p = default_params(a);
  EXPECT_GE(p.formation.band_low_hz, 10e6 / 3.0 * (1.0 - 1e-12));
  EXPECT_LE(p.formation.band_high_hz, 20e6 / 3.0 * (1.0 + 1e-12));
  EXPECT_LT(p.formation.band_low_hz, 5e6);
  EXPECT_GT(p.formation.band_high_hz, 5e6);
  EXPECT_NO_THROW(validate_params(p, a));
}

TEST(DefaultParams, IqStaysWithinItsSampledBand) {
  Acquisition a = linear_acquisition();
  a.signal = SignalKind::iq;
  a.demod_hz = 5e6;
  a.sampling_hz = 2.5e6;
  a.bandwidth_hz = 4e6;
  const ImagingParams p = default_params(a);
  EXPECT_DOUBLE_EQ(p.formation.band_low_hz, 3.75e6);
  EXPECT_DOUBLE_EQ(p.formation.band_high_hz, 6.25e6);
  EXPECT_NO_THROW(validate_params(p, a));
}

TEST(MakeGrid, AThirdOfAWavelengthWithinALimit) {
  const Acquisition a = linear_acquisition(64, 1024);
  ImagingParams p = default_params(a);
  const double third = 1540.0 / 5e6 / 3.0;
  Grid grid = make_grid(p, a);
  EXPECT_NEAR(grid.dx_m(), third, 0.01 * third);
  EXPECT_NEAR(grid.dz_m(), third, 0.01 * third);
  EXPECT_EQ(grid.x0_m, p.formation.lateral_min_m);
  EXPECT_EQ(grid.z1_m, p.formation.depth_max_m);
  // An image that would need millions of pixels gets coarser ones instead, as coarse in x as in z.
  p.formation.depth_max_m = 0.4;
  p.formation.lateral_min_m = -0.1;
  p.formation.lateral_max_m = 0.1;
  grid = make_grid(p, a);
  EXPECT_LE(grid.pixels(), 260000U);
  EXPECT_NEAR(grid.dx_m() / grid.dz_m(), 1.0, 0.02);
}

TEST(MakeGrid, CountsThatTheUserGaveHold) {
  const Acquisition a = linear_acquisition();
  ImagingParams p = default_params(a);
  p.formation.grid_nx = 7;
  p.formation.grid_nz = 999;
  const Grid grid = make_grid(p, a);
  EXPECT_EQ(grid.nx, 7);
  EXPECT_EQ(grid.nz, 999);
  EXPECT_DOUBLE_EQ(grid.x_m(6), p.formation.lateral_max_m);
  EXPECT_DOUBLE_EQ(grid.z_m(998), p.formation.depth_max_m);
}

TEST(Acquisition, AnAngleInDegreesIsRefusedInBothUnits) {
  Acquisition a = linear_acquisition();
  a.transmits[0].angle_rad = -10.0;
  testing::expect_refusal(
      [&] { a.validate("a.mat"); },
      "a.mat: transmit angle = -10 rad (-573 degrees) is out of range (-1.5708 to 1.5708 rad, which "
      "are -90 to 90 degrees)");
}

// What the user says about a recording in place of what its reader assumed.

AcquisitionPtr assumed() {
  Acquisition a = testing::linear_acquisition();
  a.assumptions.emplace_back("centre frequency 5 MHz assumed", "center_hz");
  a.assumptions.emplace_back("8-bit samples");
  return std::make_shared<const Acquisition>(std::move(a));
}

TEST(AcquisitionFacts, AreTakenOutOfTheSettings) {
  std::vector<std::string> settings = {"f_number=2", "center_hz=7.5e6", "gamma=1.5", "first_sample_s=-1e-6"};
  EXPECT_EQ(take_facts(settings), (Facts{{"center_hz", 7.5e6}, {"first_sample_s", -1e-6}}));
  EXPECT_EQ(settings, (std::vector<std::string>{"f_number=2", "gamma=1.5"}));
}

TEST(AcquisitionFacts, ReplaceWhatWasAssumed) {
  const AcquisitionPtr a = with_facts("file", assumed(), {{"center_hz", 7.5e6}, {"first_sample_s", 2e-6}});
  EXPECT_EQ(a->center_hz, 7.5e6);
  for (const Transmit& t : a->transmits) EXPECT_EQ(t.t0_s, 2e-6);
  ASSERT_EQ(a->assumptions.size(), 3U);
  EXPECT_EQ(a->assumptions[0].text, "8-bit samples");
  EXPECT_EQ(a->assumptions[1].text, "Centre frequency 7.5 MHz (set by the user)");
  EXPECT_EQ(a->assumptions[1].fact, "center_hz");
}

TEST(AcquisitionFacts, AFirstSampleLeavesWhatTheTransmitsDifferBy) {
  Acquisition a = testing::linear_acquisition(16, 256, {-5.0, 0.0, 5.0});
  for (std::size_t k = 0; k < a.transmits.size(); ++k) a.transmits[k].t0_s = -4e-6 + 1e-6 * static_cast<double>(k);
  const AcquisitionPtr b = with_facts("file", std::make_shared<const Acquisition>(a), {{"first_sample_s", 2e-6}});
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    EXPECT_NEAR(b->transmits[k].t0_s, a.transmits[k].t0_s + 6e-6, 1e-18) << k;
  }
}

TEST(AcquisitionFacts, EveryFactIsReadBackAsItWasSet) {
  for (const FactRow* const row : given_facts()) {
    const FactRow::Given& spec = row->given;
    Acquisition a = testing::linear_acquisition();
    const double value = 0.5 * (spec.track_least + spec.track_most);
    set_fact(a, *row, value);
    EXPECT_EQ(fact_of(a, *row), value) << row->name;
    EXPECT_LE(spec.least, spec.track_least) << row->name;
    EXPECT_GE(spec.most, spec.track_most) << row->name;
  }
}

TEST(AcquisitionFacts, RefuseWhatIsNoNumberOrOutOfRange) {
  for (const char* bad : {"center_hz=", "center_hz=5MHz", "center_hz=nan", "center_hz=-1", "frame_rate_hz=1e9"}) {
    std::vector<std::string> settings = {bad};
    EXPECT_THROW((void)take_facts(settings), Error) << bad;
  }
  EXPECT_THROW((void)with_facts("file", assumed(), {{"no_such_fact", 1.0}}), Error);
  EXPECT_THROW((void)with_facts("file", assumed(), {{"center_hz", 9.9e8}}), Error) << "sampled at 20 MHz";
}

}  // namespace
}  // namespace echoloop::default_params_test
