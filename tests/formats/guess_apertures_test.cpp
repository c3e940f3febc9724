// Files whose names say which elements fire or receive, and when each record begins.
#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/guess_support.h"
#include "formats/sidecar_support.h"

namespace echoloop::guess_apertures_test {
namespace {

using namespace test;
using namespace test::guess;

constexpr std::size_t kElements = 16, kTransmits = 3;

// [transmit][element]: of transmit k the elements 4 k to 4 k + `n` - 1.
std::vector<double> weights(std::size_t n) {
  std::vector<double> table(kTransmits * kElements, 0.0);
  for (std::size_t k = 0; k < kTransmits; ++k) std::fill_n(table.begin() + std::ptrdiff_t(k * kElements + 4 * k), n, 1);
  return table;
}

TEST(GuessApertures, OneWeightATransmitIsASingleElement) {
  for (const bool delays : {false, true}) {
    const Acquisition a = opened([&](Hdf5Fixture& file) {
      file.numbers("tx_apod", {kTransmits, kElements}, weights(1));
      if (delays) file.numbers("tx_delays", {kTransmits, kElements}, std::vector<double>(kTransmits * kElements, 0.0));
    });
    ASSERT_EQ(a.n_transmits(), 3);
    EXPECT_EQ(a.transmits[2].kind, TransmitKind::diverging);
    EXPECT_NEAR(a.transmits[2].source_x_m, (8 - 7.5) * 0.3e-3, 1e-9);
    EXPECT_TRUE(assumes(a, "tx_elements: tx_apod"));
  }
}

// Delays of elements that do not fire are stored as 0.
TEST(GuessApertures, ElementsOfWeightZeroAreSilent) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    const std::vector<double> fire = weights(8);
    std::vector<double> delays;
    for (std::size_t k = 0; k < fire.size(); ++k) delays.push_back(fire[k] * 2e-8 * static_cast<double>(k % kElements));
    file.numbers("tx_apodization", {kTransmits, kElements}, fire);
    file.numbers("tx_delays", {kTransmits, kElements}, delays);
  });
  EXPECT_EQ(a.transmits[1].kind, TransmitKind::plane);
  EXPECT_NEAR(a.transmits[1].angle_rad, std::asin(2e-8 * 1540.0 / 0.3e-3), 1e-6);
  EXPECT_NEAR(a.transmits[1].aperture_m, 8 * 0.3e-3, 1e-9);
  EXPECT_TRUE(assumes(a, "tx_apod"));
}

TEST(GuessApertures, WeightsAloneAndCodesAreAskedFor) {
  const auto with = [](const std::vector<double>& table) {
    return refused([&](Hdf5Fixture& file) { file.numbers("tx_apod", {kTransmits, kElements}, table); });
  };
  EXPECT_TRUE(contains(with(weights(8)), "tx_apod has the firing elements only: delays, angles"));
  std::vector<double> code(kTransmits * kElements, 1.0);
  code[5] = -1.0;
  EXPECT_TRUE(contains(with(code), "tx_apod has weights below 0: a code, which is not decoded"));
}

// Without it the silent elements were taken to fire first, and nothing was said.
TEST(GuessApertures, DelaysOfZeroAtBothEndsAreAskedFor) {
  const auto with = [](const std::function<double(int)>& delay) {
    return [delay](Hdf5Fixture& file) {
      std::vector<double> laws;
      for (int k = 0; k < 48; ++k) laws.push_back(delay(k % 16));
      file.numbers("tx_delays", {3, 16}, laws);
    };
  };
  const std::string asked = "tx_delays is 0 from both ends on: silent";
  EXPECT_TRUE(contains(refused(with([](int e) { return e < 4 || e > 9 ? 0.0 : 1e-7 * (e - 3); })), asked));
  EXPECT_TRUE(contains(refused(with([](int e) { return e > 7 ? 0.0 : 1e-7 * e; })), asked));
  const Acquisition focused = opened(with([](int e) { return 1e-9 * e * (15 - e); }));
  EXPECT_FALSE(focused.transmits.empty());
  EXPECT_EQ(opened(with([](int e) { return 1e-7 * std::max(e - 4, 0); })).transmits.size(), 3U);  // whole samples
  const Acquisition said = opened([&](Hdf5Fixture& file) {
    with([](int e) { return e > 7 ? 0.0 : 1e-7 * e; })(file);
    std::vector<double> weights;
    for (int k = 0; k < 48; ++k) weights.push_back(k % 16 > 7 ? 0.0 : 1.0);
    file.numbers("tx_apod", {3, 16}, weights);
  });
  EXPECT_EQ(said.transmits.size(), 3U);
}

TEST(GuessApertures, WeightsThatAllFireChangeNothing) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    angles(file);
    file.numbers("tx_apod", {kTransmits, kElements}, std::vector<double>(kTransmits * kElements, 0.5));
  });
  EXPECT_EQ(a.transmits[2].kind, TransmitKind::plane);
  EXPECT_FALSE(assumes(a, "tx_apod"));
}

TEST(GuessApertures, ChannelsInAnotherOrderAreAskedFor) {
  const auto with = [](bool reversed) {
    return [=](Hdf5Fixture& file) {
      std::vector<double> map;
      for (int e = 1; e <= 16; ++e) map.push_back(reversed ? 17 - e : e);
      angles(file);
      file.numbers("channel_map", {kElements}, map);
    };
  };
  EXPECT_TRUE(contains(refused(with(true)), "channel_map lists channels in another order"));
  EXPECT_EQ(opened(with(false)).n_elements(), 16);
}

TEST(GuessApertures, MovingReceiveAperturesAreRefused) {
  const std::string line = refused([](Hdf5Fixture& file) {
    angles(file);
    file.numbers("first_element", {kTransmits}, {1, 9, 17});
    file.number("n_elements", 32);
  });
  EXPECT_TRUE(contains(line, "receive apertures that move with the transmit (first_element, 16 channels)"));
}

TEST(GuessApertures, FirstSamplesByTheirIndexForEachTransmit) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("tx_elements", {kTransmits}, {1, 8, 16});
    file.numbers("start_sample", {kTransmits}, {80, 100, 90});
  });
  const auto way_s = [&](std::size_t e) { return std::abs(a.probe.elements[e].x_m) / 1540.0; };
  EXPECT_NEAR(a.transmits[1].t0_s - a.transmits[0].t0_s, 20 / 20e6 + way_s(0) - way_s(7), 1e-12);
  const std::string line = refused([](Hdf5Fixture& file) {
    angles(file);
    file.numbers("start_sample", {2}, {80, 100});
  });
  EXPECT_TRUE(contains(line, "start_sample has 2 values, the samples 3 transmits"));
}

// ARRUS: the device's frequency is that before decimation; records begin at the first of rx_sample_range.
TEST(GuessApertures, SamplingAndBeginOfArrus) {
  const auto with = [](const char* other) {
    return [=](Hdf5Fixture& file) {
      file.remove("fs");
      file.number("device/sampling_frequency", 65e6);
      file.number(std::string(other) + "/sampling_frequency", 32.5e6);
      file.numbers("sequence/rx_sample_range", {2}, {200, 456});
      file.numbers("tx_elements", {kTransmits}, {8, 8, 8});
    };
  };
  const Acquisition a = opened(with("_data_char"));
  EXPECT_EQ(a.sampling_hz, 32.5e6);
  EXPECT_NEAR(a.transmits[0].t0_s, 200 / 32.5e6 - 0.15e-3 / 1540.0, 1e-12);
  EXPECT_TRUE(contains(refused(with("receiver")), "choice of the sampling frequency"));
}

// "tx_apod" of a description: one row for all transmits, or one for each.
TEST(GuessApertures, WeightsOfADescription) {
  const auto with = [](const Json& apod) {
    Json meta = plane_meta();
    meta["t_zero"] = "first_firing";
    meta["tx_apod"] = apod;
    return meta;
  };
  const auto t0_s = [&](const Json& apod, std::size_t k) {
    return open_with(with(apod), plane_npy()).acquisition->transmits.at(k).t0_s;
  };
  const double along_s = kPitch * std::sin(0.2) / kSpeed;
  EXPECT_NEAR(t0_s({1, 1, 1}, 0), 2e-6 - along_s, 1e-12);
  EXPECT_NEAR(t0_s({0, 1, 0.5}, 0), 2e-6, 1e-12);
  EXPECT_NEAR(t0_s({{0, 1, 1}, {1, 1, 1}}, 0), 2e-6, 1e-12);
  EXPECT_NEAR(t0_s({{0, 1, 1}, {1, 1, 0}}, 1), 2e-6, 1e-12);
  EXPECT_NEAR(t0_s({{0, 1}, {1, 1}, {1, 0}}, 0), 2e-6, 1e-12);  // columns
  EXPECT_TRUE(contains(refusal_with(with({1, -1, 1}), plane_npy()), "weights below 0"));
  EXPECT_TRUE(contains(refusal_with(with({1, 1}), plane_npy()), "2 values of tx_apod for 3 elements"));
  EXPECT_TRUE(contains(refusal_with(with({0, 0, 0}), plane_npy()), "without a firing element"));
}

// A convex array by its radius and the angles of its elements.
TEST(GuessApertures, ElementsOnAnArc) {
  constexpr double kRadius = 40e-3, kStep = 0.01;
  std::vector<double> theta;
  for (std::size_t e = 0; e < kElements; ++e) theta.push_back(kStep * (static_cast<double>(e) - 7.5));
  const auto arc = [&](const char* name, double unit) {
    return opened([&](Hdf5Fixture& file) {
      angles(file);
      file.remove("pitch");
      file.number("radius", kRadius);
      std::vector<double> named = theta;
      for (double& one : named) one *= unit;
      file.numbers(name, {kElements}, named);
    });
  };
  for (const Acquisition& a :
       {arc("element_angles", 1.0), arc("theta", 1.0), arc("elem_theta_deg", 180.0 / 3.141592653589793)}) {
    EXPECT_EQ(a.probe.kind, ProbeKind::convex);
    EXPECT_NEAR(a.probe.elements[0].x_m, kRadius * std::sin(theta[0]), 1e-9);
    EXPECT_NEAR(a.probe.elements[0].z_m, kRadius * (std::cos(theta[0]) - 1.0), 1e-9);
    EXPECT_NEAR(a.probe.elements[3].normal_rad, theta[3], 1e-6);
    EXPECT_EQ(a.transmits[0].kind, TransmitKind::plane);
    EXPECT_EQ(a.n_transmits(), 3);
    EXPECT_TRUE(assumes(a, "z = 0 at the apex"));
  }
}

TEST(GuessApertures, OtherCountsThanTheChannelsAreSaid) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    angles(file);
    file.number("n_elements", 128);
  });
  EXPECT_TRUE(assumes(a, "n_elements = 128 but 16 channels: taken as neighbours, centred at x = 0"));
  const std::string why = refused([](Hdf5Fixture& file) {
    angles(file);
    std::vector<double> x_m;
    for (int e = 0; e < 24; ++e) x_m.push_back(0.3e-3 * e);
    file.numbers("element_x", {24}, x_m);
  });
  EXPECT_TRUE(contains(why, "which of the 24 elements of element_x the 16 channels are"));
}

TEST(GuessApertures, VirtualSourcesNamedAsPositions) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("virtual_source_positions", {3, 3}, {-5e-3, 0.0, -12e-3, 0.0, 0.0, -12e-3, 5e-3, 0.0, -12e-3});
  });
  EXPECT_EQ(a.transmits[2].kind, TransmitKind::diverging);
  EXPECT_NEAR(a.transmits[2].source_x_m, 5e-3, 1e-9);
}

TEST(GuessApertures, SamplesASecondByOtherNames) {
  for (const auto& [name, value] : {std::pair{"fs_iq", 20e6}, {"ADC_rate_MSPS", 20.0}}) {
    Hdf5Fixture file("a.h5");
    write_samples(file);
    file.number(name, value);
    file.number("fc", 5e6);
    file.number("pitch", 0.3e-3);
    angles(file);
    EXPECT_NEAR(open_recording(file.close()).acquisition->sampling_hz, 20e6, 1.0) << name;
  }
}

}  // namespace
TEST(GuessApertures, OneElementThatFiresIsNoPlaneWave) {
  const TemporaryFolder folder;
  const auto path_with = [&](double number) {
    Hdf5Fixture file(folder / "a.h5");
    file.numbers("rf", {16, 256}, std::vector<double>(std::size_t{16} * 256, 1.0));
    file.number("fs", 20e6);
    file.number("fc", 5e6);
    file.number("pitch", 0.3e-3);
    file.number("tx_element", number);
    return file.close();
  };
  const std::string text = refusal(path_with(11.0));
  EXPECT_TRUE(contains(text, "transmits (tx_element = 11: this element fires alone"));
  EXPECT_NO_THROW((void)open_recording(path_with(16.0)));  // a count
}

// A list of JSON has one entry a number, and a text of it its unit.
TEST(GuessText, FactsOfJsonAreRead) {
  const char* const json =
      R"({"fs": "20 MHz", "probe": {"f0_MHz": 5, "pitch": 3e-4}, "angles": [-0.1, 0.0, 0.1], "t0": 1e-6, "on": true})";
  for (const bool attribute : {false, true}) {
    Hdf5Fixture file("a.h5");
    write_samples(file);
    if (attribute) {
      file.attribute("/", "metadata", std::string(json));
    } else {
      file.text("metadata", json);
    }
    const Recording recording = open_recording(file.close());
    const Acquisition& a = *recording.acquisition;
    EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
    EXPECT_DOUBLE_EQ(a.center_hz, 5e6);
    EXPECT_DOUBLE_EQ(a.probe.pitch_m, 3e-4);
    EXPECT_DOUBLE_EQ(a.transmits.at(2).angle_rad, 0.1);
    EXPECT_TRUE(assumes(a, attribute ? "@metadata.angles, plane waves" : "metadata.angles, plane waves"));
  }
}

TEST(GuessText, TextsThatAreNoJsonRemainTexts) {
  const std::string list = "{\"fs\": [[1, 2], [3]], \"fc\": null}", deep = std::string(200, '{');
  for (const std::string& text : {std::string("{fs: 1}"), std::string("{\"fs\": 1, \"fs\": 2}"), list, deep}) {
    const Acquisition a = opened([&](Hdf5Fixture& file) {
      angles(file);
      file.text("metadata", text);
    });
    EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6) << text;
  }
}

TEST(GuessApertures, PositionsAlongYAreThoseOfARow) {
  for (const bool rows : {true, false}) {
    const Acquisition a = opened([&](Hdf5Fixture& file) {
      angles(file);
      std::vector<double> places(48, 0.0);
      for (std::size_t e = 0; e < 16; ++e) places[rows ? 3 * e + 1 : 16 + e] = 0.3e-3 * (static_cast<double>(e) - 7.5);
      file.numbers("element_positions", rows ? std::vector<hsize_t>{16, 3} : std::vector<hsize_t>{3, 16}, places);
    });
    EXPECT_NEAR(a.probe.elements.at(15).x_m, 7.5 * 0.3e-3, 1e-9);
    EXPECT_EQ(a.probe.elements.at(15).z_m, 0.0);
    EXPECT_TRUE(assumes(a, "element_positions, along y"));
  }
}

TEST(GuessText, ADelayOfTheAcquisitionIsTheFirstSample) {
  const Acquisition a = opened([](Hdf5Fixture& file) {
    file.numbers("angles", {3}, {0.0, 0.0, 0.0});
    file.number("acq_delay_us", 4.0);
  });
  EXPECT_NEAR(a.transmits[0].t0_s, 4e-6, 1e-12);
  const std::string text = refused([](Hdf5Fixture& file) {
    angles(file);
    file.number("start_depth_mm", 3.08);
  });
  EXPECT_TRUE(contains(text, "start_depth_mm = 3.08: recorded from that depth on, 4 us, or only shown"));
}

TEST(GuessApertures, LinesShorterThanTheArrayAreAskedFor) {
  const auto open_with = [](hsize_t first, hsize_t second) {
    Hdf5Fixture file("a.h5");
    file.numbers("rf", {first, second}, std::vector<double>(first * second, 1.0));
    file.number("fs", 20e6);
    file.number("fc", 5e6);
    file.number("pitch", 0.3e-3);
    const auto path = file.close();
    return testing::error_of([&] { (void)open_recording(path); });
  };
  EXPECT_TRUE(contains(open_with(100, 128), "axes 1 and 2 of lengths 100 and 128: element and time, or the reverse"));
  for (const auto& [first, second] : {std::pair{64, 128}, {100, 256}})
    EXPECT_EQ(open_with(static_cast<hsize_t>(first), static_cast<hsize_t>(second)), "no error") << first;
}

}  // namespace echoloop::guess_apertures_test
