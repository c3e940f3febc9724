// What the programs that write these formats put into them beyond the plain examples: zea's lens, pulse and older
// units, float16, PyBF's measurements, PICMUS copies without attributes, pyuff's names.
#include <cmath>

#include "core/units.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::hdf5_writers_test {
namespace {

using namespace test;

// The zea example, changed.
template <class Change>
Recording zea_with(Change&& change, const Facts& facts = {}) {
  Hdf5Fixture file("zea.hdf5");
  write_zea(file, {});
  change(file);
  return open_recording(file.close(), {}, {}, facts);
}

void expect_late(const Acquisition& a, double late_s) {
  for (const Transmit& t : a.transmits) EXPECT_NEAR(t.t0_s, 2e-6 - late_s, 3e-9);
}

TEST(ZeaLate, TheLensIsTakenOff) {
  const Recording recording = zea_with(
      [](Hdf5Fixture& file) {
        file.numbers("probe/lens_thickness", {}, {1.2e-3});
        file.numbers("probe/lens_sound_speed", {}, {1000.0});
      },
      {{"lens", std::string("straight")}});
  expect_late(*recording.acquisition, 2 * 1.2e-3 * (1 / 1000.0 - 1 / kSpeed_m_s));
  EXPECT_TRUE(assumes(*recording.acquisition, "the lens (1.20 mm at 1000 m/s) delays echoes by 0.8"));
}

TEST(ZeaLate, OlderFilesHaveTheLensInWavelengths) {
  for (const char* const place : {"scan/lens_correction", "custom/lens_correction"}) {
    const Recording recording = zea_with([&](Hdf5Fixture& file) { file.numbers(place, {}, {1.5}); });
    expect_late(*recording.acquisition, 2 * 1.5 / kCenter_hz);
    EXPECT_TRUE(assumes(*recording.acquisition, "1.50 wavelengths each way")) << place;
  }
}

TEST(ZeaLate, LensesThatAreNoneAreRefused) {
  for (const double thickness_m : {-1e-3, 1.0, static_cast<double>(NAN)}) {
    Hdf5Fixture file("l.hdf5");
    write_zea(file, {});
    file.numbers("probe/lens_thickness", {}, {thickness_m});
    file.numbers("probe/lens_sound_speed", {}, {1000.0});
    EXPECT_TRUE(contains(refusal(file.close()), "lens_thickness")) << thickness_m;
  }
}

// A pulse of kCenter_hz at 250 MHz that is highest at `peak_s`.
std::vector<double> waveform(double peak_s, std::size_t n) {
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) {
    const double t = static_cast<double>(k) / 250e6 - peak_s;
    values.push_back(std::cos(2 * kPi * kCenter_hz * t) * std::exp(-t * t / (2 * 1.5e-7 * 1.5e-7)));
  }
  return values;
}

TEST(ZeaLate, EchoesArePlacedByThePulsesPeak) {
  std::vector<double> rows;
  for (int k = 0; k < 3; ++k) {
    const auto row = waveform(0.6e-6, 300);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const Recording recording = zea_with([&](Hdf5Fixture& file) {
    file.numbers("scan/waveforms_two_way", {3, 300}, rows);
  });
  expect_late(*recording.acquisition, 0.6e-6);
  EXPECT_FALSE(assumes(*recording.acquisition, "transmitted pulse"));

  const Recording plain = zea_with([](Hdf5Fixture&) {});
  expect_late(*plain.acquisition, 0.0);
  EXPECT_TRUE(assumes(*plain.acquisition, "no correction for the length of the transmitted pulse"));
  EXPECT_TRUE(assumes(*plain.acquisition, "0.15 mm"));
}

TEST(ZeaLate, OlderFilesSayWhichWaveformFired) {
  const Recording recording = zea_with([](Hdf5Fixture& file) {
    file.numbers("scan/waveforms_two_way/waveform_000", {300}, waveform(0.6e-6, 300));
    file.numbers("scan/waveforms_two_way/waveform_001", {400}, waveform(0.9e-6, 400));
    file.numbers("scan/tx_waveform_indices", {3}, {0, 1, 0}, {.type = H5T_STD_I64LE, .chunk = {}});
  });
  for (const std::size_t k : {0U, 1U, 2U})
    EXPECT_NEAR(recording.acquisition->transmits[k].t0_s, 2e-6 - (k == 1 ? 0.9e-6 : 0.6e-6), 3e-9);

  Hdf5Fixture file("i.hdf5");
  write_zea(file, {});
  file.numbers("scan/waveforms_two_way/waveform_000", {300}, waveform(0.6e-6, 300));
  file.numbers("scan/tx_waveform_indices", {3}, {0, 1, 0});
  EXPECT_TRUE(contains(refusal(file.close()), "waveform 1"));
}

TEST(Zea, ProbesHaveTheirNamesAndKinds) {
  EXPECT_EQ(zea_with([](Hdf5Fixture&) {}).acquisition->probe.name, "linear array");
  const Recording now = zea_with([](Hdf5Fixture& file) {
    file.group("probe");
    file.text("probe/name", "verasonics_p4_2v");
    file.text("probe/type", "phased");
  });
  EXPECT_EQ(now.acquisition->probe.name, "verasonics_p4_2v");
  EXPECT_EQ(now.acquisition->probe.kind, ProbeKind::phased);
  for (const char* const attribute : {"probe", "probe_name"}) {
    const auto named = [&](const char* name) {
      return zea_with([&](Hdf5Fixture& file) { file.attribute("/", attribute, name, TextKind::variable); });
    };
    EXPECT_EQ(named("verasonics_l11_4v").acquisition->probe.name, "verasonics_l11_4v");
    EXPECT_EQ(named("generic").acquisition->probe.name, "linear array");
  }
}

TEST(Zea, FociInWavelengths) {
  const Recording recording = zea_with([](Hdf5Fixture& file) {
    file.remove("scan/t0_delays");
    file.numbers("scan/focus_distances", {3}, {100, 100, 100});
  });
  EXPECT_EQ(recording.acquisition->transmits[1].kind, TransmitKind::focused);
  EXPECT_NEAR(recording.acquisition->transmits[1].source_z_m, 100 * kSpeed_m_s / kCenter_hz, 1e-9);
  EXPECT_TRUE(assumes(*recording.acquisition, "wavelengths"));
}

TEST(Zea, HarmonicImagingLooksWhereTheFileSays) {
  const auto received_at = [&](double hz) {
    return zea_with([&](Hdf5Fixture& file) { file.numbers("scan/demodulation_frequency", {}, {hz}); });
  };
  const Recording harmonic = received_at(2 * kCenter_hz);
  EXPECT_EQ(harmonic.acquisition->center_hz, 2 * kCenter_hz);
  EXPECT_TRUE(assumes(*harmonic.acquisition, "transmitted at 5.00 MHz, received at 10.00 MHz"));
  EXPECT_EQ(received_at(1.1 * kCenter_hz).acquisition->center_hz, kCenter_hz);
  EXPECT_EQ(received_at(0.0).acquisition->center_hz, kCenter_hz);
}

TEST(Zea, PulseInversionIsSaid) {
  const auto with_weights = [&](double first, double others) {
    std::vector<double> weights(12, others);
    std::fill_n(weights.begin(), 4, first);
    return zea_with([&](Hdf5Fixture& file) { file.numbers("scan/tx_apodizations", {3, 4}, weights); });
  };
  EXPECT_TRUE(assumes(*with_weights(-1.0, 1.0).acquisition, "1 of 3 transmits have the opposite polarity"));
  EXPECT_FALSE(assumes(*with_weights(1.0, 1.0).acquisition, "polarity"));
  EXPECT_FALSE(assumes(*with_weights(-1.0, -1.0).acquisition, "polarity"));
}

TEST(Zea, AGainCurveMayBeLongerThanTheLines) {
  const Recording recording =
      zea_with([](Hdf5Fixture& file) { file.numbers("scan/tgc_gain_curve", {9}, std::vector<double>(9, 2.0)); });
  expect_samples(recording, {}, 0.5);
}

TEST(Zea, PicturesWithoutAScanAreStillZeas) {
  Hdf5Fixture file("p.hdf5");
  file.numbers("data/image_sc", {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(contains(refusal(file.close()), "no channel data, only maps image_sc"));
}

hid_t half_type(hid_t like) {
  const hid_t half = H5Tcopy(like);
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  return half;
}

TEST(Hdf5Samples, HalvesAreReadAndSaid) {
  for (const hid_t order : {H5T_IEEE_F32LE, H5T_IEEE_F32BE}) {
    const hid_t half = half_type(order);
    Hdf5Fixture file("h.uff");
    write_uff(file, {});
    file.numbers("channel_data/data", sample_dims("ftei", {}), sample_table("ftei", {}), {.type = half, .chunk = {}});
    const Recording recording = open_recording(file.close());
    expect_samples(recording, {});  // whole numbers up to 2048 are halves
    EXPECT_TRUE(assumes(*recording.acquisition, "float16"));
    H5Tclose(half);
  }
}

TEST(Hdf5Samples, HalvesOfAllKinds) {
  const hid_t half = half_type(H5T_IEEE_F32LE);
  Hdf5Fixture file("k.uff");
  write_uff(file, {});
  std::vector<double> values(sample_table("ftei", {}).size(), 0.333251953125);
  const double kinds[] = {-0.0, 0x1p-24, -0x1p-15, -65504.0, HUGE_VAL, NAN};
  std::copy(std::begin(kinds), std::end(kinds), values.begin());
  file.numbers("channel_data/data", sample_dims("ftei", {}), values, {.type = half, .chunk = {}});
  const Recording recording = open_recording(file.close());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sample(recording, 0, 0, 0, i), kinds[i]);
  EXPECT_TRUE(std::signbit(sample(recording, 0, 0, 0, 0)));
  EXPECT_TRUE(std::isnan(sample(recording, 0, 0, 0, 5)));
  EXPECT_EQ(sample(recording, 1, 2, 3, 5), 0.333251953125);
  H5Tclose(half);
}

TEST(Hdf5Samples, PairsOfHalvesAreIq) {
  const Extents n{.values = 2};
  const hid_t half = half_type(H5T_IEEE_F32LE);
  const hid_t stored = H5Tcreate(H5T_COMPOUND, 4), given = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  H5Tinsert(stored, "r", 0, half);
  H5Tinsert(stored, "i", 2, half);
  H5Tinsert(given, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(given, "i", sizeof(double), H5T_NATIVE_DOUBLE);
  Hdf5Fixture file("q.uff");
  write_uff(file, {});
  file.number("channel_data/modulation_frequency", kCenter_hz);
  file.empty("channel_data/data", sample_dims("ftei", n), {.type = stored, .chunk = {}});
  std::vector<double> pairs;
  for (const double value : sample_table("ftei", n)) pairs.insert(pairs.end(), {value, value + 0.5});
  const hid_t data = H5Dopen2(file.file(), "channel_data/data", H5P_DEFAULT);
  H5Dwrite(data, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, pairs.data());
  H5Dclose(data);
  const Recording recording = open_recording(file.close());
  ASSERT_EQ(recording.acquisition->values_per_sample(), 2);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(sample(recording, 0, 2, 3, i, 0), sample_value(0, 2, 3, i, 0));
    EXPECT_EQ(sample(recording, 0, 2, 3, i, 1), sample_value(0, 2, 3, i, 1));
  }
  for (const hid_t type : {half, stored, given}) H5Tclose(type);
}

TEST(Hdf5Samples, OtherFloatsOf16BitsAreNoHalves) {
  const hid_t brain = H5Tcopy(H5T_IEEE_F32LE);  // bfloat16
  H5Tset_fields(brain, 15, 7, 8, 0, 7);
  H5Tset_size(brain, 2);
  H5Tset_ebias(brain, 127);
  Hdf5Fixture file("b.uff");
  write_uff(file, {});
  file.numbers("channel_data/data", sample_dims("ftei", {}), sample_table("ftei", {}), {.type = brain, .chunk = {}});
  EXPECT_TRUE(contains(refusal(file.close()), "float16 as samples"));
  H5Tclose(brain);
}

TEST(Pybf, MeasurementsCountFromTheFirstFiring) {
  Hdf5Fixture file("m.hdf5");
  write_pybf(file, {});
  file.remove("data/correction_time_shift");
  file.numbers("hardware_params/start_time", {1, 1}, {3e-6});
  file.numbers("hardware_params/correction_time", {1, 1}, {0.5e-6});
  const Recording recording = open_recording(file.close());
  const auto angles = wave_angles(3);
  for (std::size_t k = 0; k < 3; ++k) {
    const double first_s = -1.5 * kPitch_m * std::abs(std::sin(angles[k])) / 1540.0;
    EXPECT_NEAR(recording.acquisition->transmits[k].t0_s, 2.5e-6 + first_s, 1e-12) << k;
  }
}

TEST(Pybf, SimulationsSayHowLongThePulseIs) {
  Hdf5Fixture file("s.hdf5");
  write_pybf(file, {});
  file.remove("data/correction_time_shift");
  file.numbers("sim_params/start_time", {1, 1}, {3e-6});
  file.numbers("sim_params/f_sim_hz", {1, 1}, {100e6});
  file.numbers("sim_params/excitation", {1, 22}, std::vector<double>(22, 0.0));
  file.numbers("sim_params/electroacoustic_impulse_response", {1, 40}, std::vector<double>(40, 0.0));
  const Recording recording = open_recording(file.close());
  for (const Transmit& t : recording.acquisition->transmits) EXPECT_NEAR(t.t0_s, 3e-6 - 0.5e-6, 1e-12);
}

TEST(Pybf, TheBandwidthIsAFractionOrHertz) {
  for (const auto& [stored, bandwidth_hz] : {std::pair{0.6, 0.6 * kCenter_hz}, {3.5e6, 3.5e6}}) {
    Hdf5Fixture file("b.hdf5");
    write_pybf(file, {});
    file.numbers("trans_params/bandwidth", {1, 1}, {stored}, {.type = H5T_IEEE_F64LE, .chunk = {}});
    EXPECT_NEAR(open_recording(file.close()).acquisition->bandwidth_hz, bandwidth_hz, 1.0);
  }
}

TEST(Pybf, AnglesMayBeDegrees) {
  Hdf5Fixture file("d.hdf5");
  write_pybf(file, {});
  file.numbers("data/tx_mode/PW_3_6", {1, 3}, {-6, 0, 6});
  const Recording recording = open_recording(file.close());
  EXPECT_NEAR(recording.acquisition->transmits[2].angle_rad, 6 * kRadiansPerDegree, 1e-9);
  EXPECT_TRUE(assumes(*recording.acquisition, "degrees"));
}

TEST(Picmus, CopiesMayLackTheAttributes) {
  const std::string us = "US/US_DATASET0000";
  for (const double modulation_hz : {0.0, 5e6}) {
    Hdf5Fixture file("p.hdf5");
    write_picmus(file, {});
    for (const char* const name : {"type", "subtype", "signal_format"})
      H5Adelete_by_name(file.file(), us.c_str(), name, H5P_DEFAULT);
    file.numbers(us + "/modulation_frequency", {1}, {modulation_hz});
    const Recording recording = open_recording(file.close());
    EXPECT_EQ(recording.acquisition->values_per_sample(), modulation_hz > 0.0 ? 2 : 1);
    EXPECT_EQ(recording.acquisition->demod_hz, modulation_hz);
  }
}

TEST(Uff, LowerCaseRatesAndPhotoacoustics) {
  Hdf5Fixture file("l.uff");
  write_uff(file, {});
  file.remove("channel_data/PRF");
  file.numbers("channel_data/prf", {}, {3000.0}, {.type = H5T_IEEE_F64LE, .chunk = {}});
  EXPECT_NEAR(open_recording(file.close()).acquisition->frame_rate_hz, 1000.0, 1e-9);

  Hdf5Fixture listening("p.uff");
  write_uff(listening, {});
  uff_wave(listening, 2, 2.0, HUGE_VAL, 0.0, 0.0);
  EXPECT_TRUE(contains(refusal(listening.close()), "photoacoustic"));
}

}  // namespace
}  // namespace echoloop::hdf5_writers_test
