// What files of arrays with plain names are taken for, and what is asked in place of a wrong guess.
#include "formats/import/guess.h"

#include <cmath>
#include <numbers>

#include "formats/file_outline.h"
#include "formats/guess_support.h"
#include "formats/import/import.h"

namespace echoloop::guess_test {
namespace {

using namespace test;
using namespace test::guess;

// The samples' own prefix goes from all names; words that mean something stay.
TEST(Guess, ACommonPrefixOfTheNamesIsLeftOut) {
  const auto recording = [](const std::string& prefix, const TemporaryFolder& folder) {
    Hdf5Fixture file(folder.path() / "a.h5");
    file.numbers(prefix + "rf", sample_dims("tei", kSize), sample_table("tei", kSize));
    file.number(prefix + "fs", 20e6);
    file.number(prefix + "fc", 5e6);
    file.number(prefix + "pitch_mm", 0.3);
    file.numbers(prefix + "tx_angles", {3}, {-0.1, 0.0, 0.1});
    return file.close();
  };
  for (const char* const prefix : {"us_", "exp_2024_"}) {
    const TemporaryFolder folder;
    const Recording opened = open_recording(recording(prefix, folder));
    expect_samples(opened, kSize);
    EXPECT_EQ(opened.acquisition->sampling_hz, 20e6);
    EXPECT_NEAR(opened.acquisition->probe.pitch_m, 0.3e-3, 1e-9);
    EXPECT_NEAR(opened.acquisition->transmits[2].angle_rad, 0.1, 1e-7);
  }
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(refusal(recording("rx_", folder)), "expected"));
}

TEST(Guess, PositionsInWavelengthsByATextBesideThem) {
  std::vector<double> x_wavelengths;
  for (int e = 0; e < 16; ++e) x_wavelengths.push_back((e - 7.5) * 0.9);
  const auto named = [&](const char* units) {
    return [&x_wavelengths, units](Hdf5Fixture& file) {
      angles(file);
      file.numbers("Trans/elem_x", {16}, x_wavelengths);
      if (units != nullptr) file.text("Trans/units", units);
    };
  };
  const Acquisition a = opened(named("wavelengths"));
  EXPECT_NEAR(a.probe.elements[15].x_m, 7.5 * 0.9 * 1540.0 / 5e6, 1e-9);
  EXPECT_NEAR(opened(named("mm")).probe.elements[15].x_m, 7.5 * 0.9e-3, 1e-9);
  const std::string asked = refused(named(nullptr));  // 0.9 mm are three wavelengths
  EXPECT_TRUE(contains(asked, "millimetres or wavelengths"));
}

// An axis of length 1 is a frame, and not I and Q.
TEST(Guess, AnAxisOfOneIsAFrame) {
  const auto axes = guess_axes({1, 3, 1700, 64}, {.n_transmits = 3});
  ASSERT_TRUE(axes.has_value());
  EXPECT_EQ(axes->axes, (std::vector<std::string>{"frame", "transmit", "time", "element"}));
}

TEST(Guess, PointsAsTwoLists) {
  const Acquisition behind = opened([](Hdf5Fixture& file) {
    file.numbers("vs_x", {3}, {-5e-3, 0.0, 5e-3});
    file.numbers("vs_z", {3}, {-12e-3, -13e-3, -12e-3});
  });
  EXPECT_EQ(behind.transmits[2].kind, TransmitKind::diverging);
  EXPECT_NEAR(behind.transmits[2].source_x_m, 5e-3, 1e-9);
  EXPECT_NEAR(behind.transmits[1].source_z_m, -13e-3, 1e-9);
  EXPECT_TRUE(assumes(behind, "vs_x, vs_z"));
  const Acquisition front = opened([](Hdf5Fixture& file) {
    file.numbers("focus_x_mm", {3}, {-5.0, 0.0, 5.0});
    file.number("focus_z_mm", 30.0);
  });
  EXPECT_EQ(front.transmits[2].kind, TransmitKind::focused);
  EXPECT_NEAR(front.transmits[2].source_x_m, 5e-3, 1e-9);
  EXPECT_NEAR(front.transmits[0].source_z_m, 30e-3, 1e-9);
}

TEST(Guess, FociAtOneDepthLeaveTheEventOpen) {
  const auto foci = [](Hdf5Fixture& file) {
    file.numbers("focus_x_mm", {3}, {-5.0, 0.0, 5.0});
    file.number("focus_depth_mm", 30.0);
  };
  EXPECT_TRUE(contains(refused(foci), "event at time 0 (focus_depth_mm: foci"));
  const Acquisition said = opened([&](Hdf5Fixture& file) {
    foci(file);
    file.text("t_zero", "origin");
  });
  EXPECT_EQ(said.transmits[2].kind, TransmitKind::focused);
  EXPECT_NEAR(said.transmits[2].source_x_m, 5e-3, 1e-9);
  EXPECT_NEAR(said.transmits[0].source_z_m, 30e-3, 1e-9);
}

TEST(Guess, SourcesInFrontOfTheArrayAreAskedFor) {
  const std::string line = refused([](Hdf5Fixture& file) {
    file.numbers("virtual_sources", {3, 2}, {-5e-3, 12e-3, 0.0, 13e-3, 5e-3, 12e-3});
  });
  EXPECT_TRUE(contains(line, "foci in front of the array, or virtual sources behind it"));
}

TEST(Guess, DirectionsWithoutElevationAreAngles) {
  const auto directions = [](double elevation) {
    return [elevation](Hdf5Fixture& file) {
      file.numbers("transmit_direction", {2, 3}, {-0.1, 0.0, 0.1, 0.0, elevation, 0.0});
    };
  };
  EXPECT_NEAR(opened(directions(0.0)).transmits[0].angle_rad, -0.1, 1e-7);
  EXPECT_TRUE(contains(refused(directions(0.2)), "transmits"));
}

TEST(Guess, ElementsThatFireCountFromZeroOrOne) {
  const auto source_x = [](std::vector<double> fired) {
    return opened([&](Hdf5Fixture& file) { file.numbers("tx_idx", {3}, fired); }).transmits[1].source_x_m;
  };
  EXPECT_NEAR(source_x({1, 8, 16}), -0.5 * 0.3e-3, 1e-9);
  EXPECT_NEAR(source_x({0, 8, 15}), 0.5 * 0.3e-3, 1e-9);
}

// 2500 would be kHz by its size.
TEST(Guess, TheTimesOfTheSamplesSayTheUnitOfTheSampling) {
  const auto with = [](double step, double fs) {
    return [=](Hdf5Fixture& file) {
      angles(file);
      file.number("fs", fs);
      std::vector<double> times;
      for (int i = 0; i < kSize.samples; ++i) times.push_back(i * step);
      file.numbers("t", {static_cast<hsize_t>(kSize.samples)}, times, {.type = H5T_IEEE_F64LE, .chunk = {}});
    };
  };
  EXPECT_NEAR(opened(with(0.4e-9, 2500)).sampling_hz, 2.5e9, 1.0);
  EXPECT_NEAR(opened(with(50e-9, 20)).sampling_hz, 20e6, 1.0);
  const std::string asked = refused(with(50e-9, 33));
  EXPECT_TRUE(contains(asked, "choice of the sampling frequency (fs: 33 MHz, the steps of t: 20 MHz)"));
}

TEST(Guess, TheSpeedIsThatOfTheMaterial) {
  const auto with = [](const char* path, const std::vector<double>& values) {
    return [=](Hdf5Fixture& file) {
      angles(file);
      file.numbers(path, {values.size()}, values);
    };
  };
  EXPECT_EQ(opened(with("material/vel_spherical_harmonic_coeffs", {5850})).sound_speed_m_s, 5850);
  EXPECT_EQ(opened(with("material/shear_velocity", {3230})).sound_speed_m_s, 1540);
  const Acquisition steel = opened([](Hdf5Fixture& file) {
    angles(file);
    file.text("material", "steel, 5850 m/s");
  });
  EXPECT_EQ(steel.sound_speed_m_s, 5850);
}

// Settings of a scanner, whose largest array is what it sends, or room for what it has not received.
TEST(Guess, SettingsAreNoRecording) {
  const auto settings = [](const std::string& name, double value) {
    return [=](Hdf5Fixture& file) {
      angles(file);
      file.remove("rf");
      file.numbers(name, {3, 16, 256}, std::vector<double>(3 * 16 * 256, value));
    };
  };
  EXPECT_TRUE(contains(refused(settings("twoway_waveform", 1.0)), "an HDF5 file with"));
  const std::string silent = refused(settings("buffer", 0.0));
  EXPECT_TRUE(contains(silent, "the largest array, (3, 16, 256) float32, all of whose values are the same"));
}

TEST(Guess, UnitsAreNamedAsTheyAreRead) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("ang", {3}, {-0.1, 0.0, 0.1});
    file.number("t0_ms", 2e-3);
  });
  EXPECT_NEAR(a.transmits[2].angle_rad, 0.1, 1e-7);
  EXPECT_TRUE(assumes(a, "t0_ms, 2 us"));
  const Acquisition delayed = opened([](Hdf5Fixture& file) {
    std::vector<double> delays(48, 0.0);
    delays[47] = 1e-3;
    file.numbers("delays_ms", {3, 16}, delays);
  });
  EXPECT_TRUE(assumes(delayed, "read as milliseconds"));
  EXPECT_NEAR(delayed.transmits[2].element_delays_s[15], 1e-6, 1e-11);
}

TEST(Guess, StepsInNanosecondsByTheCentreFrequency) {  // as microseconds 40 kHz
  const auto open_with = [](bool list) {
    Hdf5Fixture file("a.h5");
    write_samples(file);
    std::vector<double> times;
    for (int k = 0; k < kSize.samples; ++k) times.push_back(2000.0 + 25.0 * k);
    list ? file.numbers("t", {256}, times) : file.number("dt", 25.0);
    file.number("fc", 5.0);
    file.number("pitch", 0.3);
    angles(file);
    return *open_recording(file.close()).acquisition;
  };
  EXPECT_NEAR(open_with(false).sampling_hz, 40e6, 1.0);
  const Acquisition a = open_with(true);
  EXPECT_NEAR(a.sampling_hz, 40e6, 1.0);
  EXPECT_NEAR(a.transmits[1].t0_s, 2e-6, 1e-12);
}

TEST(Guess, SpeedsInCentimetresASecondAndNone) {
  const auto with = [](double c) {
    return opened([&](Hdf5Fixture& file) {
      angles(file);
      file.number("c", c);
    });
  };
  EXPECT_NEAR(with(148'000.0).sound_speed_m_s, 1480.0, 1e-9);
  const Acquisition none = with(42.0);
  EXPECT_EQ(none.sound_speed_m_s, 1540.0);
  EXPECT_TRUE(assumes(none, "c = 42 is no speed of sound"));
}

// Half a degree is also half a radian, and 500 ns are 500 samples.
TEST(Guess, UnitsAreTextsBesideTheNumbers) {
  const auto expect = [](const std::function<void(Hdf5Fixture&)>& add) {
    const Acquisition a = opened(add);
    EXPECT_NEAR(a.transmits[2].angle_rad, 0.5 * std::numbers::pi / 180.0, 1e-9);
    EXPECT_TRUE(assumes(a, ", 0.5 us"));
  };
  for (const auto& [degrees, nanoseconds] : {std::pair{"deg", "ns"}, {"Degree", "[ns]"}}) {
    expect([&](Hdf5Fixture& file) {
      file.numbers("angles", {3}, {-0.5, 0.0, 0.5});
      file.text("angles_unit", degrees);
      file.number("t0/value", 500.0);
      file.text("t0/unit", nanoseconds);
    });
  }
  EXPECT_EQ(unit_of_text("\xc2\xb5s", "t0_s"), find_unit("us"));
  EXPECT_EQ(unit_of_text("m/s", "c_m_s"), nullptr);
  EXPECT_EQ(unit_of_text("samples", "pitch_m"), nullptr);
}

TEST(Guess, RealNumbersNamedIqAreAskedFor) {
  const auto asked = [](const std::vector<hsize_t>& dims, std::size_t n) {
    Hdf5Fixture file("a.h5");
    file.numbers("iq", dims, std::vector<double>(n, 1.0));
    for (const auto& [name, value] : {std::pair{"fs", 20e6}, {"fc", 5e6}, {"pitch", 0.3e-3}}) file.number(name, value);
    angles(file);
    return refusal(file.close());
  };
  const std::string line = asked({3, 16, 512}, 3 * 16 * 512);
  EXPECT_TRUE(contains(line, "\"shape\": [3,16,256,2]"));
  const std::string odd = asked({3, 16, 511}, 3 * 16 * 511);
  EXPECT_TRUE(contains(odd, "by its name I and Q)"));
}

// Three plane waves with slopes of -1, 0 and 1 `step` from element to element, 0 at the first element; steps above 1
// are rounded.
std::vector<double> slopes(double step) {
  std::vector<double> laws;
  for (int k = 0; k < 48; ++k) {
    const double delay = step * (k / 16 - 1) * (k % 16);
    laws.push_back(step > 1.0 ? std::round(delay) : delay);
  }
  return laws;
}

TEST(Guess, DelaysInSamplesByTheirName) {  // without it these were microseconds
  const Acquisition a = opened([](Hdf5Fixture& file) { file.numbers("TxDelaySamples", {3, 16}, slopes(0.05)); });
  EXPECT_NEAR(a.transmits[2].angle_rad, std::asin(0.05 / 20e6 * 1540.0 / 0.3e-3), 1e-6);
}

TEST(Guess, DelaysInWavelengths) {  // of 5 MHz
  const auto angle_rad = [](const char* name, bool trans) {
    const Acquisition a = opened([&](Hdf5Fixture& file) {
      if (trans) file.number("Trans/frequency", 5.0);
      file.numbers(name, {3, 16}, slopes(0.02));
    });
    EXPECT_TRUE(assumes(a, "wavelengths"));
    return a.transmits[2].angle_rad;
  };
  const double expected = std::asin(0.02 / 5e6 * 1540.0 / 0.3e-3);
  EXPECT_NEAR(angle_rad("tx_delay_wavelengths", false), expected, 1e-6);
  EXPECT_NEAR(angle_rad("TX/Delay", true), expected, 1e-6);
}

TEST(Guess, DelaysInSamplesAndNanoseconds) {
  const auto angle_rad = [](const char* unit, double step) {
    const Acquisition a = opened([&](Hdf5Fixture& file) { file.numbers("delays", {3, 16}, slopes(step)); });
    EXPECT_TRUE(assumes(a, unit)) << unit;
    return a.transmits[2].angle_rad;
  };
  EXPECT_NEAR(angle_rad("read as samples", 2.0), std::asin(2.0 / 20e6 * 1540.0 / 0.3e-3), 1e-6);
  EXPECT_NEAR(angle_rad("read as samples", 1.3), std::asin(1.3 / 20e6 * 1540.0 / 0.3e-3), 0.01);  // rounded below
  EXPECT_NEAR(angle_rad("read as nanoseconds", 50.0), std::asin(50e-9 * 1540.0 / 0.3e-3), 1e-6);
}

TEST(Guess, DelaysThatDoNotBeginAtZeroHaveAClock) {
  const auto first_s = [](double later_s) {
    return opened([&](Hdf5Fixture& file) {
             std::vector<double> laws = slopes(50e-9);
             for (double& delay : laws) delay += later_s;
             for (int e = 0; e < 16; ++e) laws[static_cast<std::size_t>(e)] += 15.0 * 50e-9;
             file.numbers("delays", {3, 16}, laws);
           })
        .transmits[1]
        .t0_s;
  };
  EXPECT_NEAR(first_s(0.0), 0.0, 1e-9);
  EXPECT_NEAR(first_s(2e-6), -2e-6, 1e-9);
}

TEST(Guess, APointBesideDelaysIsNoTransmit) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("delays", {3, 16}, slopes(50e-9));
    file.numbers("focus", {2}, {0.0, 30e-3});
  });
  EXPECT_EQ(a.transmits.size(), 3U);
  EXPECT_EQ(a.transmits[2].kind, TransmitKind::plane);
}

TEST(Guess, TheEventMayBeAText) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    angles(file);
    file.text("t_zero", "origin");
  });
  EXPECT_EQ(a.transmits[0].t0_s, 0.0);
  EXPECT_TRUE(assumes(a, "t_zero = origin"));
}

TEST(Guess, WidthAndKerfAreThePitch) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    angles(file);
    file.remove("pitch");
    file.number("width_mm", 0.28);
    file.number("kerf", 0.02e-3);
  });
  EXPECT_NEAR(a.probe.elements[1].x_m - a.probe.elements[0].x_m, 0.3e-3, 1e-9);
}

// The passage through x = 0 is not that through the centre of the array.
TEST(Guess, PositionsFromElsewhereAreSaid) {
  const auto says = [](double first_m) {
    return assumes(opened([&](Hdf5Fixture& file) {
                     std::vector<double> x_m;
                     for (int e = 0; e < 16; ++e) x_m.push_back(first_m + 0.3e-3 * e);
                     angles(file);
                     file.numbers("element_x", {16}, x_m);
                     file.text("t_zero", "origin");
                   }),
                   "not through the centre of the array at x = 2.25 mm");
  };
  EXPECT_TRUE(says(0.0));
  EXPECT_FALSE(says(-2.25e-3));
}

// All that is known of an image is in the description, which one answer completes.
TEST(Guess, LinesByNameKeepTheirFacts) {
  const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "a.h5");
  file.numbers("image_lines", {8, 256}, std::vector<double>(8 * 256, 1.0));
  file.number("fs", 20e6);
  file.number("fc", 5e6);
  file.number("pitch", 0.3e-3);
  const auto path = file.close();
  EXPECT_TRUE(contains(refusal(path), "beamformed already"));
  folder.write("a.json", description_template(outline_file(path), "a.h5"));
  EXPECT_EQ(open_recording(path).acquisition->data, DataKind::beamformed);
}

TEST(Guess, ElementsOfKWaveLieAlongY) {
  Hdf5Fixture file("a.h5");
  file.numbers("sensor_data", {16, 256}, std::vector<double>(16 * 256, 1.0));
  file.number("dt", 50e-9);
  file.number("dx", 0.1e-3);
  file.number("dy", 0.3e-3);
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, "steps of dy, or of dx: 0.1 mm"));
}

std::string facts_of(const Acquisition& a) {
  std::string text;
  for (const double value : {a.sampling_hz * 1e-6, a.center_hz * 1e-6, a.sound_speed_m_s,
                             1e3 * (a.probe.elements[1].x_m - a.probe.elements[0].x_m)})
    text += std::to_string(value) + " ";
  return text;
}

TEST(Guess, NumbersMayBeTextsWithTheirUnit) {
  const auto read = [](const std::vector<std::pair<std::string, std::string>>& texts) {
    Hdf5Fixture file("a.h5");
    write_samples(file);
    angles(file);
    for (const auto& [name, text] : texts) file.text(name, text);
    const std::filesystem::path path = file.close();
    return texts.front().second == "fast" ? refusal(path) : facts_of(*open_recording(path).acquisition);
  };
  const std::string whole = read({{"fs", "2e7"}, {"fc", "5000000"}, {"pitch", "0.0003"}, {"c", "1480"}});
  EXPECT_EQ(whole, "20.000000 5.000000 1480.000000 0.300000 ");
  EXPECT_EQ(read({{"fs", "20 MHz"}, {"fc", "5000kHz"}, {"pitch", "0.3 mm"}, {"c", "1480 m/s"}}), whole);
  EXPECT_TRUE(contains(read({{"fs", "fast"}, {"fc", "5 MHz"}, {"pitch", "0.3 mm"}}), "without sampling frequency"));
}

TEST(Guess, OneSpeedOfAMap) {
  const auto speed = [](std::vector<double> map) {
    return opened([&](Hdf5Fixture& file) {
      angles(file);
      file.numbers("sound_speed", {2, 3}, map);
    });
  };
  EXPECT_EQ(speed(std::vector<double>(6, 1500.0)).sound_speed_m_s, 1500.0);
  const Acquisition varied = speed({1400, 1500, 1500, 1500, 1500, 1600});
  EXPECT_EQ(varied.sound_speed_m_s, 1500.0);
  EXPECT_TRUE(assumes(varied, "median of sound_speed, which has 1400 to 1600 m/s"));
}

TEST(Guess, TheFirstSampleByItsNumber) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("angles", {3}, {0.0, 0.0, 0.0});
    file.number("start_sample", 400.0);
  });
  EXPECT_NEAR(a.transmits[0].t0_s, 400.0 / 20e6, 1e-12);
  EXPECT_TRUE(assumes(a, "start_sample = 400 samples, 20 us"));
}

// Half of the array is 15 x 0.15 mm long: the wave of 0.3 rad needs 0.43 us for it.
TEST(Guess, ATimeOfEachWaveSaysTheEvent) {
  const double way_s = 15.0 * 0.15e-3 * std::sin(0.3) / 1540.0;
  const auto with = [](std::vector<double> times_s, const char* name = "t0") {
    return opened([&](Hdf5Fixture& file) {
      file.numbers("angles", {3}, {-0.3, 0.0, 0.3});
      file.numbers(name, {3}, times_s);
    });
  };
  const Acquisition after = with({2e-6 - way_s, 2e-6, 2e-6 - way_s});  // of sample 0, after the passage
  EXPECT_NEAR(after.transmits[0].t0_s, 2e-6 - way_s, 1e-9);
  EXPECT_TRUE(assumes(after, "as t0 differs by the waves' ways along the array"));
  const std::vector<double> longer_s = {2e-6 + way_s, 2e-6, 2e-6 + way_s};
  const Acquisition before = with(longer_s, "time_zero");  // of the passage, after sample 0
  EXPECT_NEAR(before.transmits[0].t0_s, -2e-6 - way_s, 1e-9);
  EXPECT_NEAR(with(longer_s, "start_time").transmits[0].t0_s, 2e-6, 1e-8);  // of sample 0, after the first firing
  EXPECT_NEAR(with({way_s, 0.0, way_s}).transmits[0].t0_s, -way_s, 1e-8);   // sample 0 at the first firing
  const std::string either = refused([&](Hdf5Fixture& file) {
    file.numbers("angles", {3}, {-0.3, 0.0, 0.3});
    file.numbers("t0", {3}, longer_s);
  });
  EXPECT_TRUE(contains(either, "meaning of t0 (larger for larger angles"));
  const Acquisition firing = with({2e-6, 2e-6, 2e-6});
  EXPECT_NEAR(firing.transmits[0].t0_s, 2e-6 - way_s, 1e-8);
  EXPECT_TRUE(assumes(firing, "time counted from the first firing, not in the file (or from the passage"));
}

TEST(Guess, WritersThatCountFromThePassageAreKnown) {
  const auto first_s = [](const char* t0, const char* angles) {
    return opened([&](Hdf5Fixture& file) {
             file.numbers(angles, {3}, {-0.3, 0.0, 0.3});
             file.number(t0, 2e-6);
           })
        .transmits[0]
        .t0_s;
  };
  EXPECT_NEAR(first_s("tstart", "angles"), 2e-6, 1e-9);
  EXPECT_NEAR(first_s("start_time", "transmit_direction"), 2e-6, 1e-9);
  EXPECT_NEAR(first_s("t0", "sender_angle"), 2e-6, 1e-9);
  for (const char* const t0 : {"start_time", "t_start"}) EXPECT_LT(first_s(t0, "angles"), 1.7e-6) << t0;
  const Acquisition elements = opened([](Hdf5Fixture& file) {
    file.numbers("tx_element", {3}, {1, 2, 3});
    file.number("tstart", 2e-6);
  });
  EXPECT_NEAR(elements.transmits[0].t0_s, 2e-6 - 7.5 * 0.3e-3 / 1540.0, 1e-9);  // from the firing
}

TEST(Guess, UnitsThatMayBeSamplesOrWavelengthsAreAskedFor) {
  const std::string first = refused([](Hdf5Fixture& file) {
    angles(file);
    file.number("t0", 200.0);
  });
  EXPECT_TRUE(contains(first, "unit of t0 = 200: microseconds or samples"));
  const std::string delays = refused([](Hdf5Fixture& file) {
    std::vector<double> laws(48, 0.0);
    laws[3] = 85.0;
    file.numbers("tx_delays", {3, 16}, laws);
  });
  EXPECT_TRUE(contains(delays, "unit of tx_delays (up to 85: samples"));
  const std::string pitch = refused([](Hdf5Fixture& file) {
    angles(file);
    file.remove("pitch");
    file.number("spacing", 0.97);
  });
  EXPECT_TRUE(contains(pitch, "unit of spacing = 0.97: millimetres or wavelengths"));
  const std::string turned = refused([](Hdf5Fixture& file) { file.numbers("angles", {3}, {-0.7, 0.0, 0.7}); });
  EXPECT_TRUE(contains(turned, "degrees or radians"));
}

TEST(Guess, ADemodulationFrequencyOfRfIsThatOfTheEchoes) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    angles(file);
    file.remove("fc");
    file.number("modulation_frequency", 4e6);
  });
  EXPECT_EQ(a.center_hz, 4e6);
}

TEST(Guess, ADescriptionNeedsNoCentreFrequency) {
  const TemporaryFolder folder;
  const auto path = write(folder, [](Hdf5Fixture& file) { file.remove("fc"); });
  folder.write("a.json", R"({"data": "rf", "axes": ["transmit", "element", "time"], "fs_hz": "fs", "pitch_m": "pitch",
      "t0_s": 0, "t_zero": "origin", "tx_angles_rad": [-0.1, 0, 0.1]})");
  EXPECT_TRUE(assumes(*open_recording(path).acquisition, "centre frequency"));
}

TEST(Guess, ADescriptionSaysTheTransmitsOnce) {
  const TemporaryFolder folder;
  const auto path = write(folder, angles);
  folder.write("a.json", R"({"data": "rf", "axes": ["transmit", "element", "time"], "fs_hz": "fs", "pitch_m": "pitch",
      "t0_s": 0, "t_zero": "origin", "tx_angles_rad": [-0.1, 0, 0.1], "tx_elements": [1, 2, 3]})");
  const std::string line = refusal(path);
  EXPECT_TRUE(contains(line, "both tx_angles_rad and tx_elements"));
}

// One group a transmit, in the order of their numbers.
void write_groups(Hdf5Fixture& file, const std::vector<const char*>& names) {
  const std::vector<double> all = sample_table("tei", kSize);
  const std::size_t n = all.size() / 3;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string group = names[k];
    file.group(group);
    file.numbers(
        group + "/rf", {16, 256},
        {all.begin() + static_cast<std::ptrdiff_t>(k * n), all.begin() + static_cast<std::ptrdiff_t>((k + 1) * n)});
    file.number(group + "/angle", 0.1 * static_cast<double>(k));
  }
  file.number("fs", 20e6);
  file.number("fc", 5e6);
  file.number("pitch", 0.3e-3);
}

TEST(Guess, OneArrayATransmitIsJoined) {
  Hdf5Fixture file("a.h5");
  write_groups(file, {"tx_2", "tx_9", "tx_10"});
  const Recording recording = open_recording(file.close());
  expect_samples(recording, kSize);
  EXPECT_NEAR(recording.acquisition->transmits[2].angle_rad, 0.2, 1e-7);
  EXPECT_TRUE(assumes(*recording.acquisition, "tx_*/angle"));
}

TEST(Guess, ArraysOfOneNameAreNotPassedOver) {
  Hdf5Fixture file("a.h5");
  write_groups(file, {"left", "middle", "right"});
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, "choice among 3 arrays named rf"));
}

TEST(Guess, RingsAndPhotoacousticDataAreNamed) {
  const std::string ring = refused([](Hdf5Fixture& file) {
    std::vector<double> places;
    for (int e = 0; e < 16; ++e) places.push_back(0.05 * std::cos(e * 0.3927));
    for (int e = 0; e < 16; ++e) places.push_back(0.05 * std::sin(e * 0.3927));
    file.numbers("transducerPositionsXY", {2, 16}, places);
  });
  EXPECT_TRUE(contains(ring, "a ring of elements (transducerPositionsXY)"));
  const std::string light = refused([](Hdf5Fixture& file) { file.number("laser_wavelength_nm", 800.0); });
  EXPECT_TRUE(contains(light, "photoacoustic data (laser_wavelength_nm)"));
}

TEST(Guess, OtherKindsOfFilesAreNamed) {
  const auto named = [](const std::string& content) { return identify_other_kind(bytes_of(content)).found; };
  EXPECT_EQ(named("TDSm" + std::string(600, '\1')), "a LabVIEW TDMS file");
  std::string nifti(352, '\0');
  nifti.replace(344, 3, "n+1");
  EXPECT_EQ(named(nifti), "a NIfTI image");
  const std::string header = packed<std::int32_t>({0, 100, 64, 0, 3});
  EXPECT_EQ(named(header + std::string("rf\0", 3) + std::string(600, '\1')), "a MATLAB v4 file");
}

}  // namespace
}  // namespace echoloop::guess_test
