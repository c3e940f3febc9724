// A bare array and its JSON description: lookup, every key, time zero, and what is refused.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/sidecar_support.h"
#include "support/one_line.h"

namespace echoloop::sidecar_test {
namespace {

using namespace test;

TEST(Sidecar, LendsTheFilesOwnLayoutInPlace) {
  const TemporaryFolder folder;
  folder.write("a.json", plane_meta().dump());
  const Recording recording = open_recording(folder.write("a.npy", plane_npy()));
  const Acquisition& a = *recording.acquisition;
  EXPECT_TRUE(recording.memory.empty());  // nothing was copied
  EXPECT_EQ(recording.frame_count, 1U);
  EXPECT_EQ(a.sample_type, SampleType::int16);
  EXPECT_EQ(a.transmits.at(1).angle_rad, -0.1);
  EXPECT_EQ(a.transmits.at(1).t0_s, 2e-6);
  EXPECT_EQ(a.probe.elements.at(0).x_m, -kPitch);
  EXPECT_EQ(sample(recording, 0, 1, 2, 3), 123);
  std::filesystem::resize_file(folder.path() / "a.npy", 130);
  EXPECT_THROW(recording.frame(0), Error);  // somebody shortened the mapped file
}

// 48 kB that took the library quadratic time; depth, size and keys are checked in one linear pass.
TEST(Sidecar, LongNestedAndAmbiguousTextIsRefusedAtOnce) {
  const auto parse = [](const std::string& text) {
    return parse_description("a.json", std::as_bytes(std::span(text)));
  };
  std::string many = R"({"a":[)";
  while (many.size() < 900'000) many += "{},";
  many += "{}]}";
  EXPECT_EQ(parse(many).at("a").size(), (many.size() - 10) / 3 + 1);
  EXPECT_THROW(parse(std::string((1U << 20) + 1, ' ')), Error);
  EXPECT_THROW(parse("{\"a\":" + std::string(500'000, '[')), Error);
  testing::expect_refusal([&] { parse(R"({"fs_hz": 1, "tx": [{"fs_hz": 2}], "fs_hz": 3})"); }, "'fs_hz' twice");
  EXPECT_NO_THROW(parse(R"({"fs_hz": 1, "tx": [{"fs_hz": 2}, {"fs_hz": 2}]})"));
}

TEST(Sidecar, IsFoundByParamsJsonAndOpensByItself) {
  const TemporaryFolder folder;
  Json meta = plane_meta();
  meta["file"] = "b.npy";
  const auto params = folder.write("params.json", meta.dump());
  const auto array = folder.write("b.npy", plane_npy());
  EXPECT_EQ(open_recording(array).name, "b.npy");
  EXPECT_EQ(open_recording(params).name, "b.npy");
  EXPECT_TRUE(contains(refusal(folder.write("c.npy", plane_npy())), "without a description"));
  meta["file"] = "other.npy";
  folder.write("b.json", meta.dump());
  EXPECT_TRUE(contains(refusal(array), "other.npy"));  // the file's own sidecar describes something else
  for (const Json& file : {Json("gone.npy"), Json("../b.npy"), Json("/etc/passwd"), Json(7), Json("params.json")}) {
    meta["file"] = file;
    EXPECT_NE(refusal(folder.write("d.json", meta.dump())), "") << file;
  }
}

TEST(Sidecar, IsFoundUnderTheWholeNameToo) {
  const TemporaryFolder folder;
  const auto array = folder.write("w.npy", plane_npy());
  folder.write("w.npy.json", plane_meta().dump());
  EXPECT_EQ(open_recording(array).name, "w.npy");
  Json meta = plane_meta();
  meta["file"] = "other.npy";
  folder.write("w.npy.json", meta.dump());
  EXPECT_TRUE(contains(refusal(array), "other.npy"));
}

TEST(Sidecar, RefusesAPitchThatPlacesElementsOnOneSpotOrInReverse) {
  for (const double pitch_m : {0.0, -0.3e-3}) {
    Json meta = plane_meta();
    meta["pitch_m"] = pitch_m;
    EXPECT_TRUE(contains(refusal_with(meta, plane_npy()), "a pitch above 0"));
    meta["radius_m"] = 0.05;
    EXPECT_TRUE(contains(refusal_with(meta, plane_npy()), "a pitch above 0"));
  }
}

TEST(Sidecar, TheWidthOfTheElementsIsReadWithEachKindOfProbe) {
  for (const Json& probe : {Json{{"pitch_m", kPitch}}, Json{{"pitch_m", kPitch}, {"radius_m", 0.05}},
                            Json{{"element_x_m", {-kPitch, 0.0, kPitch}}}}) {
    Json meta = plane_meta();
    for (const char* const key : {"pitch_m", "element_x_m"}) meta.erase(key);
    meta.update(probe);
    meta["element_width_m"] = 0.2e-3;
    EXPECT_EQ(open_with(meta, plane_npy()).acquisition->probe.element_width_m, 0.2e-3) << probe;
  }
}

TEST(Sidecar, FirstFiringBecomesTheWavePassingTheOrigin) {
  Json meta = plane_meta();
  meta["t_zero"] = "first_firing";
  Recording recording = open_with(meta, plane_npy());
  // Three elements: the aperture is 2 pitches; sample 0 is at 2 us after the first firing, so |sin a| pitch / c less.
  EXPECT_NEAR(recording.acquisition->transmits[0].t0_s, 2e-6 - std::sin(0.2) * kPitch / kSpeed, 1e-15);
  EXPECT_NEAR(recording.acquisition->transmits[1].t0_s, 2e-6 - std::sin(0.1) * kPitch / kSpeed, 1e-15);
  meta["tx"] = {{{"kind", "diverging"}, {"source_m", {0.0, -3e-3}}},
                {{"kind", "focused"}, {"focus_m", {0.0, 0.0, 4e-3}}}};
  recording = open_with(meta, plane_npy());
  EXPECT_NEAR(recording.acquisition->transmits[0].t0_s, 2e-6, 1e-15);  // the middle element fires first, at time zero
  EXPECT_NEAR(recording.acquisition->transmits[1].t0_s, 2e-6 - (std::hypot(kPitch, 4e-3) - 4e-3) / kSpeed, 1e-15);
  meta["tx"][1]["apod"] = {0, 1, 0};  // only the middle element fires
  recording = open_with(meta, plane_npy());
  EXPECT_NEAR(recording.acquisition->transmits[1].t0_s, 2e-6, 1e-15);
}

// Of positions that begin at 0 the centre is not the origin; of centred ones the two are one.
TEST(Sidecar, TheCentreIsTheMiddleOfTheElements) {
  Json meta = plane_meta();
  meta.erase("pitch_m");
  meta["tx"][1] = {{"kind", "diverging"}, {"source_m", {1e-3, -3e-3}}};
  const auto times = [&](const char* t_zero, double first_x_m) {
    meta["element_x_m"] = {first_x_m, first_x_m + kPitch, first_x_m + 2.0 * kPitch};
    meta["t_zero"] = t_zero;
    const Recording recording = open_with(meta, plane_npy());
    return std::pair{recording.acquisition->transmits[0].t0_s, recording.acquisition->transmits[1].t0_s};
  };
  EXPECT_EQ(times("centre", -kPitch), times("origin", -kPitch));
  EXPECT_EQ(times("origin", 0.0), times("origin", -kPitch));
  const auto [plane, diverging] = times("centre", 0.0);
  const auto [of_plane, of_diverging] = times("origin", 0.0);
  EXPECT_NEAR(plane - of_plane, kPitch * std::sin(meta["tx"][0]["angle_rad"].get<double>()) / kSpeed, 1e-15);
  EXPECT_NEAR(diverging - of_diverging, (std::hypot(kPitch - 1e-3, 3e-3) - std::hypot(1e-3, 3e-3)) / kSpeed, 1e-15);
  EXPECT_EQ(times("center", 0.0).first, plane);
}

// Beams of a sector leave the middle of the array: positions from the first element on make the same acquisition.
TEST(Sidecar, BeamsOfASectorAreCountedFromTheMiddle) {
  Json meta = plane_meta();
  meta.erase("pitch_m");
  const auto opened = [&](const char* t_zero, double first_x_m) {
    meta["t_zero"] = t_zero;
    meta["element_x_m"] = {first_x_m, first_x_m + kPitch, first_x_m + 2.0 * kPitch};
    meta["tx"] = Json::array();
    for (const double x_m : {-10e-3, 10e-3})
      meta["tx"].push_back({{"kind", "focused"}, {"focus_m", {x_m + first_x_m + kPitch, 20e-3}}});
    return open_with(meta, plane_npy());
  };
  for (const char* const t_zero : {"first_firing", "centre"}) {
    const Recording centred = opened(t_zero, -kPitch), moved = opened(t_zero, 3e-3);
    EXPECT_TRUE(assumes(*moved.acquisition, "x is measured from the centre of the array, at x = 3.500 mm"));
    for (std::size_t k = 0; k < 2; ++k) {
      const Transmit &a = centred.acquisition->transmits[k], &b = moved.acquisition->transmits[k];
      EXPECT_NEAR(a.source_x_m, b.source_x_m, 1e-12);
      EXPECT_NEAR(a.t0_s, b.t0_s, 1e-14);
    }
    EXPECT_NEAR(moved.acquisition->probe.elements[0].x_m, -kPitch, 1e-12);
  }
}

TEST(Sidecar, MirroredTransmitsGoToTheOtherSide) {
  Json meta = plane_meta();
  meta["tx"] = {{{"kind", "diverging"}, {"source_m", {1e-3, -5e-3}}},
                {{"kind", "delays"}, {"delays_s", {0.0, 4e-6, nullptr}}}};
  meta["t_zero"] = "first_firing";
  meta["tx_mirrored"] = true;
  const Recording recording = open_with(meta, plane_npy());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.transmits[0].source_x_m, -1e-3);
  EXPECT_TRUE(std::isnan(a.transmits[1].element_delays_s[0]));
  EXPECT_EQ(a.transmits[1].element_delays_s[1], 4e-6);
  EXPECT_EQ(a.transmits[1].element_delays_s[2], 0.0);
  meta["tx"] = plane_meta()["tx"];
  EXPECT_EQ(open_with(meta, plane_npy()).acquisition->transmits[0].angle_rad, -0.2);
  meta["tx_mirrored"] = 1;
  EXPECT_TRUE(contains(refusal_with(meta, plane_npy()), "true or false"));
}

TEST(Sidecar, AssumedValuesAreListedAsAssumptions) {
  Json meta = plane_meta();
  meta["assumed"] = {"t0_s", "tx"};
  const Recording recording = open_with(meta, plane_npy());
  const auto& said = recording.acquisition->assumptions;
  const auto found = std::ranges::find(said, "first_sample_s", &Assumption::fact);
  ASSERT_NE(found, said.end());
  EXPECT_TRUE(found->text.starts_with("t0_s = "));
  EXPECT_TRUE(found->text.ends_with(", assumed by the description"));
}

TEST(Sidecar, ARateOfZeroIsSaidToBeUnknown) {
  for (const char* key : {"", "frame_rate_hz", "prf_hz"}) {
    Json meta = plane_meta();
    if (*key != 0) meta[key] = 0;
    const Recording recording = open_with(meta, plane_npy());
    EXPECT_TRUE(std::ranges::any_of(recording.acquisition->assumptions, [](const Assumption& one) {
      return one.text.starts_with("frame rate unknown");
    })) << key;
  }
}

TEST(Sidecar, RefusalsNameTheKeyOfTheDescription) {
  Json late = plane_meta(), backwards = plane_meta();
  late["t0_s"] = 0.5;
  backwards["prf_hz"] = -1;
  testing::expect_refusal([&] { (void)open_with(late, plane_npy()); }, "t0 = 0.5 s, a depth of");
  testing::expect_refusal([&] { (void)open_with(backwards, plane_npy()); }, "prf_hz = -1");
}

TEST(Sidecar, MovingTimeZeroTurnsThePhaseOfIq) {
  Json meta = plane_meta();
  meta["t_zero"] = "first_firing";
  meta["demod_hz"] = 4e6;
  std::vector<float> values(48, 0.0F);
  for (std::size_t k = 0; k < 48; k += 2) values[k] = 1.0F;
  const Recording recording = open_with(meta, npy("<c8", false, "(2, 3, 4)", packed(values)));
  // rf exp(-i w t_file) with t_file = t + delay must become rf exp(-i w t): times exp(+i w delay).
  const double phase = 2.0 * std::numbers::pi * 4e6 * std::sin(0.2) * kPitch / kSpeed;
  EXPECT_NEAR(sample(recording, 0, 0, 1, 1, 0), std::cos(phase), 1e-6);
  EXPECT_NEAR(sample(recording, 0, 0, 1, 1, 1), std::sin(phase), 1e-6);
}

TEST(Sidecar, ExplicitDelaysKeepTheirClock) {
  Json meta = plane_meta();
  meta.erase("t_zero");
  meta.erase("tx");
  meta["tx_delays_s"] = {{1e-7, 2e-7, 3e-7}, {3e-7, nullptr, 1e-7}};
  meta["t0_s"] = {0.0, 5e-6};
  const Recording recording = open_with(meta, plane_npy());
  const Transmit& second = recording.acquisition->transmits.at(1);
  EXPECT_EQ(second.kind, TransmitKind::delays);
  EXPECT_EQ(second.t0_s, 5e-6);
  EXPECT_TRUE(std::isnan(second.element_delays_s.at(1)));
  meta["t_zero"] = "first_firing";
  EXPECT_NEAR(open_with(meta, plane_npy()).acquisition->transmits.at(1).t0_s, 5e-6 + 1e-7, 1e-15);
}

TEST(Sidecar, RefusesWhatIsMissingOrContradicts) {
  for (const char* const key : {"axes", "t_zero", "fs_hz", "fc_hz", "t0_s", "tx", "pitch_m"}) {
    Json meta = plane_meta();
    meta.erase(key);
    EXPECT_TRUE(contains(refusal_with(meta, plane_npy()), key)) << key;
  }
  const std::vector<std::pair<const char*, Json>> wrong = {
      {"axes", {"transmit", "element"}},
      {"axes", {"time", "element", "time"}},
      {"axes", {"frame", "transmit", "time"}},
      {"axes", "rf"},
      {"axes", {"transmit", "element", "depth"}},
      {"axes", {"iq", "element", "time"}},
      {"t_zero", "middle"},
      {"assumed", "t0_s"},
      {"assumed", {"t1_s"}},
      {"t_zero", 0},
      {"fs_hz", "20e6"},
      {"fs_hz", -1},
      {"fc_hz", 0},
      {"c_m_s", 0},
      {"c_m_s", -1540},
      {"t0_s", {1e-6}},
      {"t0_s", {1e-6, "x"}},
      {"t0_s", 5},
      {"pitch_m", 1},
      {"n_elements", 128},
      {"radius_m", 1e-4},
      {"element_x_m", {0, 1e-3}},
      {"tx", Json::array()},
      {"tx", "plane wave"},
      {"tx", {{{"kind", "plane"}}, {{"kind", "plane"}}}},
      {"tx", {1, 2}},
      {"tx", {{{"kind", "spiral"}}, {{"kind", "plane"}}}},
      {"tx", {{{"kind", "plane"}, {"angle_rad", 0.0}}}},
      {"tx", {{{"kind", "diverging"}, {"source_m", {0, 1e-2}}}, {{"kind", "plane"}, {"angle_rad", 0}}}},
      {"tx", {{{"kind", "delays"}, {"delays_s", {0, 0}}}, {{"kind", "plane"}, {"angle_rad", 0}}}},
      {"tx", {{{"kind", "delays"}, {"delays_s", {nullptr, nullptr, nullptr}}}, {{"kind", "plane"}, {"angle_rad", 0}}}}};
  for (const auto& [key, value] : wrong) {
    Json meta = plane_meta();
    meta[key] = value;
    EXPECT_NE(refusal_with(meta, plane_npy()), "") << key << " = " << value;
  }
  Json piled = plane_meta();
  piled["element_x_m"] = {0, 0, 0};
  EXPECT_TRUE(contains(refusal_with(piled, plane_npy()), "at the same or undefined positions"));
  Json late = plane_meta();
  late["tx"] = {{{"delays_s", {0, 5, 0}}}, {{"angle_rad", 0}}};
  EXPECT_TRUE(contains(refusal_with(late, plane_npy()), "a transmit delay of 5"));
}

// What a key says need not be said again by "kind"; other data sets' names for the same things.
TEST(Sidecar, TransmitsInOtherWords) {
  const auto transmits = [&](const char* key, const Json& value) {
    Json meta = plane_meta();
    meta.erase("tx");
    meta[key] = value;
    return open_with(meta, plane_npy()).acquisition->transmits;
  };
  auto tx = transmits("tx", {{{"angle_rad", 0.2}}, {{"source_m", {1e-3, -5e-3}}}});
  EXPECT_EQ(tx[0].angle_rad, 0.2);
  EXPECT_EQ(tx[1].kind, TransmitKind::diverging);
  tx = transmits("tx", {{{"focus_m", {0.0, 5e-3}}}, {{"delays_s", {0.0, nullptr, 1e-8}}}});
  EXPECT_EQ(tx[0].kind, TransmitKind::focused);
  EXPECT_EQ(tx[1].kind, TransmitKind::delays);
  tx = transmits("virtual_source_m", {{1e-3, -5e-3}, {-1e-3, -5e-3}});
  EXPECT_EQ(tx[1].kind, TransmitKind::diverging);
  EXPECT_EQ(tx[1].source_x_m, -1e-3);
  tx = transmits("element_delays_s", {{0.0, 1e-8, 2e-8}, {0.0, 0.0, 0.0}});
  EXPECT_NEAR(tx[0].angle_rad, std::asin(1e-8 * kSpeed / kPitch), 1e-12);
  EXPECT_EQ(tx[1].kind, TransmitKind::plane);
  tx = transmits("tx", {{{"source_m", {kPitch, 0.0}}}, {{"source_m", {0.0, 0.0, 0.0}}}});  // single elements
  EXPECT_EQ(tx[0].source_x_m, kPitch);
}

// A plane wave by its delays is the plane wave by its angle, whatever the delays' clock.
TEST(Sidecar, DelaysOfAWaveAreThatWave) {
  for (const char* const t_zero : {"origin", "first_firing", "instant the first element fires (element 0)"}) {
    Json by_angle = plane_meta(), by_delays = plane_meta();
    by_angle["t_zero"] = by_delays["t_zero"] = t_zero;
    by_delays["tx"] = Json::array();
    for (const double angle : {0.2, -0.1}) {
      Json delays;
      for (int e = -1; e <= 1; ++e) delays.push_back(7e-7 + e * kPitch * std::sin(angle) / kSpeed);
      by_delays["tx"].push_back({{"delays_s", delays}});
    }
    const auto a = open_with(by_angle, plane_npy()).acquisition->transmits;
    const auto b = open_with(by_delays, plane_npy()).acquisition->transmits;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(b[k].kind, TransmitKind::plane);
      EXPECT_NEAR(b[k].angle_rad, a[k].angle_rad, 1e-12);
      EXPECT_NEAR(b[k].t0_s, a[k].t0_s, 1e-15) << t_zero;
    }
    by_delays.erase("t_zero");  // the delays' own clock: the wave passes the origin at 0.7 us
    EXPECT_NEAR(open_with(by_delays, plane_npy()).acquisition->transmits[0].t0_s, 2e-6 - 7e-7, 1e-15);
  }
}

TEST(Sidecar, CurvedArraysNeedNoNormals) {
  Json meta = plane_meta();
  meta["element_x_m"] = {-1e-3, 0, 1e-3};
  meta["element_z_m"] = {0, 1e-5, 0};
  const Probe probe = open_with(meta, plane_npy()).acquisition->probe;
  EXPECT_EQ(probe.kind, ProbeKind::convex);
  EXPECT_NEAR(probe.elements[0].normal_rad, -0.02, 1e-5);  // the gaps lean by 0.01 each way
  EXPECT_NEAR(probe.elements[1].normal_rad, 0.0, 1e-12);
  EXPECT_NEAR(probe.elements[2].normal_rad, 0.02, 1e-5);
}

TEST(Sidecar, RefusesDamagedJsonAndArrays) {
  const TemporaryFolder folder;
  folder.write("a.npy", plane_npy());
  for (const std::string& text :
       {std::string("{"), std::string("[1, 2]"), std::string("{\"file\": \"a.npy\""),
        std::string("{\"a\": \"\xff\xfe\"}"), std::string(100000, '['), "{\"a\": " + std::string(100000, '[')}) {
    folder.write("a.json", text);
    EXPECT_NE(refusal(folder.path() / "a.npy"), "");
  }
  Json meta = plane_meta();
  meta["file"] = "a.npy";
  const std::string json = meta.dump();
  for (std::size_t length = 1; length < json.size(); length += kEveryNthText)
    EXPECT_NE(refusal(folder.write("a.json", json.substr(0, length))), "");
  folder.write("a.json", json);
  const std::string array = plane_npy();
  for (std::size_t length = 0; length < array.size(); length += kEveryNthText)
    EXPECT_NE(refusal(folder.write("a.npy", array.substr(0, length))), "") << length;
}

TEST(Sidecar, OpensTheConvexRecording) {
  ECHO_NEED_DATA("");
  const Recording recording = open_recording(testing::data_folder() / "simus_c52v_convex/rf.npy");
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.probe.kind, ProbeKind::convex);
  EXPECT_EQ(a.n_elements(), 128);
  EXPECT_EQ(a.n_samples, 2300);
  EXPECT_EQ(a.transmits.at(0).kind, TransmitKind::diverging);  // all at once: from the centre of curvature
  EXPECT_NEAR(a.transmits.at(0).source_z_m, -0.03943908259890169, 1e-7);
  EXPECT_NEAR(a.probe.elements[64].z_m, 0.010130266640320733, 1e-15);
  EXPECT_NEAR(a.probe.elements[0].normal_rad, -0.6507593537020621, 1e-15);
  EXPECT_EQ(sample(recording, 0, 0, 64, 1000), -725);
  EXPECT_EQ(sample(recording, 0, 0, 127, 2299), -21);
  EXPECT_EQ(frame_sum(recording, 0), -179);
  EXPECT_EQ(open_recording(testing::data_folder() / "simus_c52v_convex/params.json").name, "rf.npy");
}

}  // namespace
}  // namespace echoloop::sidecar_test
