// Probes, waves and time zero of the HDF5 formats, with numbers worked out here.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/hdf5_fixture.h"

namespace echoloop::hdf5_geometry_test {
namespace {

using namespace test;

TEST(Uff, DivergingAndFocusedWavesAndTheSignOfDelay) {
  Hdf5Fixture file("w.uff");
  write_uff(file, {});
  uff_wave(file, 1, 1, 0.02, std::numbers::pi - 0.3, -0.4e-6);  // behind the array
  uff_wave(file, 2, 1, 0.05, 0.2, 0.7e-6);                      // a focus
  uff_wave(file, 3, 1, 0.45e-3, std::numbers::pi / 2, 0.0);     // element 4 alone
  const Recording recording = open_recording(file.close());
  const auto& t = recording.acquisition->transmits;
  EXPECT_EQ(t[0].kind, TransmitKind::diverging);
  EXPECT_NEAR(t[0].source_x_m, 0.02 * std::sin(0.3), 1e-8);
  EXPECT_NEAR(t[0].source_z_m, -0.02 * std::cos(0.3), 1e-8);
  EXPECT_NEAR(t[0].t0_s, 2e-6 - 0.4e-6, 1e-12);
  EXPECT_EQ(t[1].kind, TransmitKind::focused);
  EXPECT_NEAR(t[1].source_z_m, 0.05 * std::cos(0.2), 1e-8);
  EXPECT_NEAR(t[1].t0_s, 2e-6 + 0.7e-6, 1e-12);
  EXPECT_EQ(t[2].kind, TransmitKind::diverging);
  EXPECT_NEAR(t[2].source_x_m, 0.45e-3, 1e-9);
  EXPECT_EQ(t[2].source_z_m, 0.0);
}

TEST(Uff, OptionalFieldsMayBeAbsent) {
  Hdf5Fixture file("o.uff");
  write_uff(file, {});
  for (const char* const path : {"PRF", "pulse", "sound_speed", "initial_time", "modulation_frequency"})
    file.remove(std::string("channel_data/") + path);
  file.remove("channel_data/sequence/sequence_0001/delay");
  file.remove("channel_data/sequence/sequence_0001/wavefront");  // plane: its source is at infinity
  file.remove("channel_data/sequence/sequence_0002/source");     // plane: it says so
  file.remove("version");
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.sound_speed_m_s, 1540.0);
  EXPECT_EQ(a.center_hz, kSampling_hz / 4);
  EXPECT_EQ(a.transmits[0].t0_s, 0.0);
  EXPECT_NEAR(a.transmits[0].angle_rad, -0.1, 1e-7);
  EXPECT_EQ(a.transmits[1].kind, TransmitKind::plane);
  EXPECT_EQ(a.transmits[1].angle_rad, 0.0);
  for (const char* const words : {"sound speed", "quarter", "initial_time", "PRF"}) EXPECT_TRUE(assumes(a, words));
}

TEST(Uff, IqTurnsWithADelay) {
  Hdf5Fixture file("iq.uff");
  write_uff(file, {});
  file.remove("channel_data/data");
  uff_object(file, "channel_data/data", "double");
  for (const int part : {0, 1})
    file.numbers(part == 0 ? "channel_data/data/real" : "channel_data/data/imag", {2, 3, 4, 6},
                 sample_table("ftei", {}, part));
  file.number("channel_data/modulation_frequency", kCenter_hz);
  uff_wave(file, 2, 0, HUGE_VAL, 0.0, 0.05e-6);  // a quarter of a period: exp(-i pi/2) = -i
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.signal, SignalKind::iq);
  EXPECT_EQ(a.demod_hz, kCenter_hz);
  EXPECT_EQ(sample(recording, 1, 0, 2, 3, 0), sample_value(1, 0, 2, 3, 0));
  EXPECT_EQ(sample(recording, 1, 2, 2, 3, 1), sample_value(1, 2, 2, 3, 1));
  EXPECT_NEAR(sample(recording, 1, 1, 2, 3, 0), sample_value(1, 1, 2, 3, 1), 1e-3);
  EXPECT_NEAR(sample(recording, 1, 1, 2, 3, 1), -sample_value(1, 1, 2, 3, 0), 1e-3);
}

TEST(Uff, CurvedArraysKeepTheDepthOfTheFile) {
  constexpr double kRadius_m = 0.04;
  const Extents n{.elements = 33};
  for (const bool listed : {false, true}) {
    Hdf5Fixture file("c.uff");
    write_uff(file, n);
    const double step = 2.0 * std::asin(kPitch_m / (2.0 * kRadius_m)), half = 16 * step;
    const double sag_m = kRadius_m * (1.0 - std::cos(half));  // z = 0 is the apex
    if (listed) {
      std::vector<double> rows(7 * 33, 0.0);
      for (std::size_t e = 0; e < 33; ++e) {
        const double angle = (static_cast<double>(e) - 16) * step;
        rows[e] = kRadius_m * std::sin(angle), rows[2 * 33 + e] = kRadius_m * (std::cos(angle) - 1.0);
      }
      file.numbers("channel_data/probe/geometry", {7, 33}, rows, {.type = H5T_IEEE_F64LE, .chunk = {}});
    } else {
      uff_object(file, "channel_data/probe", "uff.curvilinear_array");
      file.number("channel_data/probe/N", 33);
      file.number("channel_data/probe/pitch", kPitch_m);
      file.number("channel_data/probe/radius", kRadius_m);
    }
    uff_wave(file, 1, 1, 0.04, std::numbers::pi, 0.0);  // from the centre of curvature: all elements at once
    const Recording recording = open_recording(file.close());
    const Acquisition& a = *recording.acquisition;
    EXPECT_EQ(a.probe.kind, ProbeKind::convex);
    EXPECT_NEAR(a.probe.elements[0].z_m, -sag_m, 1e-9);
    EXPECT_NEAR(a.probe.elements[16].z_m, 0.0, 1e-9);
    EXPECT_NEAR(a.probe.elements[0].normal_rad, -half, 1e-5);
    EXPECT_NEAR(a.probe.elements[20].normal_rad, 4 * step, 1e-5);
    EXPECT_NEAR(a.probe.pitch_m, kPitch_m, 1e-9);
    EXPECT_NEAR(a.transmits[0].source_z_m, -kRadius_m, 1e-8);
    EXPECT_NEAR(a.transmits[0].t0_s, 2e-6, 1e-12);
    EXPECT_NEAR(a.transmits[2].t0_s, 2e-6, 1e-12);
    EXPECT_FALSE(assumes(a, "centre of the array"));
  }
}

TEST(Uff, AnArrayBesideTheFilesOriginIsMovedAcrossToIt) {
  Hdf5Fixture file("m.uff");
  write_uff(file, {});
  std::vector<double> rows(28, 0.0);
  for (std::size_t e = 0; e < 4; ++e) rows[e] = static_cast<double>(e) * kPitch_m, rows[8 + e] = 1e-3;
  file.numbers("channel_data/probe/geometry", {7, 4}, rows, {.type = H5T_IEEE_F64LE, .chunk = {}});
  uff_wave(file, 2, 1, 0.03, 0.0, 0.0);  // focus at (0, 30 mm)
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  const double dx = 1.5 * kPitch_m;
  EXPECT_NEAR(a.probe.elements[0].x_m, -dx, 1e-12);
  EXPECT_NEAR(a.probe.elements[0].z_m, 1e-3, 1e-9);  // depth stays the file's
  EXPECT_NEAR(a.transmits[2].t0_s, 2e-6 - dx * std::sin(0.1) / kSpeed_m_s, 1e-12);
  EXPECT_NEAR(a.transmits[1].source_x_m, -dx, 1e-9);
  EXPECT_NEAR(a.transmits[1].t0_s, 2e-6 - (0.03 - std::hypot(dx, 0.03)) / kSpeed_m_s, 1e-11);
  EXPECT_TRUE(assumes(a, "centre of the array"));
}

// The law of a wave as zea stores it: the first of the firing elements at 0.
std::vector<double> zea_law(double x_m, double z_m, const Extents& n, int first = 0, int last = 1 << 20) {
  std::vector<double> law;
  for (int e = 0; e < n.elements; ++e) {
    const double distance = std::hypot((e - 0.5 * (n.elements - 1)) * kPitch_m - x_m, z_m);
    law.push_back((z_m > 0.0 ? -distance : distance) / kSpeed_m_s);
  }
  double least = HUGE_VAL;
  for (int e = first; e <= std::min(last, n.elements - 1); ++e)
    least = std::min(least, law[static_cast<std::size_t>(e)]);
  for (double& delay : law) delay -= least;
  return law;
}

struct ZeaWave {
  double x_m, z_m;            // source or focus
  double polar_rad, focus_m;  // what the file notes
  int first, last;            // firing elements
};

TEST(Zea, WavesAreWhatTheDelaysMakeWhateverTheNotesSay) {
  const Extents n{.elements = 32};
  const ZeaWave waves[3] = {
      {0.03 * std::sin(0.2), 0.03 * std::cos(0.2), 0.2, 0.03, 0, 31},  // a focused beam of a sector
      {1.2e-3, 0.02, 0.0, 0.02, 8, 30},                                // a walking aperture: the note has no x
      {-0.01 * std::sin(0.2), -0.01 * std::cos(0.2), 0.2, -0.01, 0, 31}};
  Hdf5Fixture file("z.hdf5");
  write_zea(file, n);
  std::vector<double> delays, weights, polar, focus;
  for (const ZeaWave& wave : waves) {
    const auto law = zea_law(wave.x_m, wave.z_m, n, wave.first, wave.last);
    delays.insert(delays.end(), law.begin(), law.end());
    for (int e = 0; e < n.elements; ++e) weights.push_back(e >= wave.first && e <= wave.last ? 1.0 : 0.0);
    polar.push_back(wave.polar_rad), focus.push_back(wave.focus_m);
  }
  file.numbers("scan/t0_delays", {3, 32}, delays);
  file.numbers("scan/tx_apodizations", {3, 32}, weights);
  file.numbers("scan/polar_angles", {3}, polar);
  file.numbers("scan/focus_distances", {3}, focus);
  file.numbers("scan/initial_times", {3}, {1e-6, 2e-6, 3e-6});
  const Recording recording = open_recording(file.close());
  for (std::size_t k = 0; k < 3; ++k) {
    const Transmit& t = recording.acquisition->transmits[k];
    const ZeaWave& wave = waves[k];
    EXPECT_EQ(t.kind, wave.z_m > 0 ? TransmitKind::focused : TransmitKind::diverging) << k;
    EXPECT_NEAR(t.source_x_m, wave.x_m, 2e-5) << k;
    EXPECT_NEAR(t.source_z_m, wave.z_m, 1e-4) << k;
    double first = HUGE_VAL;  // of the firing elements, relative to the wave passing the origin
    for (int e = wave.first; e <= wave.last; ++e) {
      const double longer_m = std::hypot((e - 15.5) * kPitch_m - wave.x_m, wave.z_m) - std::hypot(wave.x_m, wave.z_m);
      first = std::min(first, (wave.z_m > 0 ? -longer_m : longer_m) / kSpeed_m_s);
    }
    EXPECT_NEAR(t.t0_s, 1e-6 * static_cast<double>(k + 1) + first, 5e-9) << k;  // 7.5 micrometres
  }
}

TEST(Zea, InfiniteAndMissingNotesArePlaneWaves) {
  for (const bool noted : {true, false}) {
    Hdf5Fixture file("p.hdf5");
    write_zea(file, {});
    file.numbers("scan/focus_distances", {3}, {HUGE_VAL, HUGE_VAL, HUGE_VAL});
    if (!noted) file.remove("scan/polar_angles");
    const Recording recording = open_recording(file.close());
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(recording.acquisition->transmits[k].kind, TransmitKind::plane);
      EXPECT_NEAR(recording.acquisition->transmits[k].angle_rad, wave_angles(3)[k], 1e-6);
      EXPECT_NEAR(recording.acquisition->transmits[k].t0_s, 2e-6, 1e-12);
    }
  }
  Hdf5Fixture file("a.hdf5");  // angles without delays: the first firing follows from them
  write_zea(file, {});
  file.remove("scan/t0_delays");
  const Recording recording = open_recording(file.close());
  EXPECT_NEAR(recording.acquisition->transmits[0].t0_s, 2e-6, 1e-12);
}

TEST(Zea, OtherLawsStayLaws) {
  Hdf5Fixture file("l.hdf5");
  write_zea(file, {});
  file.numbers("scan/t0_delays", {3, 4}, {0, 1e-6, 0, 1e-6, 0, 0, 0, 0, 3e-6, 0, 0, 0});
  std::vector<double> weights(12, 1.0);
  weights[8] = 0.0;
  file.numbers("scan/tx_apodizations", {3, 4}, weights);
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.transmits[0].kind, TransmitKind::delays);
  EXPECT_NEAR(a.transmits[0].element_delays_s[1], 1e-6, 1e-12);
  EXPECT_EQ(a.transmits[1].kind, TransmitKind::plane);
  EXPECT_EQ(a.transmits[2].kind, TransmitKind::plane);  // the late element is silent
  EXPECT_TRUE(assumes(a, "t0_delays of 1 transmit is"));
}

TEST(Zea, OneElementAloneIsASource) {
  Hdf5Fixture file("e.hdf5");
  write_zea(file, {});
  std::vector<double> weights(12, 0.0);
  weights[0] = weights[5] = weights[11] = 1.0;  // elements 0, 1, 3 in turn
  file.numbers("scan/t0_delays", {3, 4}, std::vector<double>(12, 0.0));
  file.numbers("scan/tx_apodizations", {3, 4}, weights);
  file.numbers("scan/initial_times", {3}, {1e-6, 1e-6, 1e-6});
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  for (const auto& [k, e] : {std::pair{0U, 0U}, std::pair{1U, 1U}, std::pair{2U, 3U}}) {
    EXPECT_EQ(a.transmits[k].kind, TransmitKind::diverging);
    EXPECT_EQ(a.transmits[k].source_x_m, a.probe.elements[e].x_m);
    EXPECT_NEAR(a.transmits[k].t0_s, 1e-6 - std::abs(a.probe.elements[e].x_m) / kSpeed_m_s, 1e-12);
  }
}

TEST(Zea, GainIqAndEvents) {
  const Extents n{.values = 2};
  Hdf5Fixture file("g.hdf5");
  write_zea(file, n);
  file.numbers("scan/tgc_gain_curve", {6}, std::vector<double>(6, 4.0));
  file.numbers("scan/demodulation_frequency", {}, {4e6});
  const double period_s = 1.0 / 4e6;  // whole periods from the first sample: nothing turns
  file.numbers("scan/t0_delays", {3, 4}, std::vector<double>(12, 0.0), {.type = H5T_IEEE_F64LE, .chunk = {}});
  file.remove("scan/polar_angles");
  file.numbers("scan/initial_times", {3}, {period_s, 2 * period_s, period_s}, {.type = H5T_IEEE_F64LE, .chunk = {}});
  for (const char* const name : {"data", "scan"}) {
    file.group(std::string("event_0"));
    H5Lmove(file.file(), name, file.file(), (std::string("event_0/") + name).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(recording.acquisition->demod_hz, 4e6);
  EXPECT_TRUE(assumes(*recording.acquisition, "gain"));
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(sample(recording, 1, 2, 1, i, 0), sample_value(1, 2, 1, i, 0) / 4.0, 1e-3);
    EXPECT_NEAR(sample(recording, 1, 2, 1, i, 1), sample_value(1, 2, 1, i, 1) / 4.0, 1e-3);
  }
}

TEST(Zea, FilesWithoutChannelDataSayWhatTheyHold) {
  Hdf5Fixture file("i.hdf5");
  write_zea(file, {});
  file.remove("data/raw_data");
  file.numbers("data/image", {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(contains(refusal(file.close()), "no channel data, only maps image"));
}

}  // namespace
}  // namespace echoloop::hdf5_geometry_test
