// The short course's recordings: small ones made here, what is refused, and a Field II recording read by Python.
#include "formats/support.h"

namespace echoloop::shortcourse_test {
namespace {

using namespace test;

TEST(ShortCourse, OpensASmallRecording) {
  const TemporaryFolder folder;
  const Recording recording = open_recording(folder.write("a.bin", pkl::recording()));  // the name does not matter
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(recording.acquisition->n_transmits(), 2);
  EXPECT_EQ(recording.acquisition->n_elements(), 3);
  EXPECT_EQ(recording.acquisition->n_samples, 4);
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::float32);
  for (int k = 0; k < 48; ++k)
    EXPECT_EQ(sample(recording, static_cast<std::uint64_t>(k / 24), k / 12 % 2, k / 4 % 3, k % 4), k);
}

TEST(ShortCourse, ReadsFortranOrderOtherTypesAndListsOfFrames) {
  const TemporaryFolder folder;
  // Fortran order of (tx 2, element 2, time 3): value 100 tx + 10 element + time.
  const std::vector<double> values = {0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112.5};
  const std::string frame = pkl::array("f8", '>', {2, 2, 3}, packed(values, Endian::big), true);
  const auto file = folder.write(
      "f.pkl", pkl::file(pkl::dict({{"rf", pkl::list({frame, frame})}, {"context", pkl::context({0.0F, 0.2F})}})));
  const Recording recording = open_recording(file);
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::float32);
  EXPECT_EQ(sample(recording, 1, 1, 1, 2), 112.5);
  EXPECT_EQ(sample(recording, 1, 1, 0, 1), 101);
  EXPECT_EQ(sample(recording, 0, 0, 1, 2), 12);
  EXPECT_EQ(recording.memory.size(), 2 * recording.acquisition->frame_bytes());
}

// One array a transmit, alone or in a list for each frame.
TEST(ShortCourse, ReadsListsOfTransmits) {
  const TemporaryFolder folder;
  const auto line = [](std::int16_t first) {
    return pkl::array("i2", '<', {2, 3},
                      packed<std::int16_t>({first, static_cast<std::int16_t>(first + 1), 2, 3, 4, 5}));
  };
  const auto opened = [&](const std::string& rf) {
    return open_recording(
        folder.write("l.pkl", pkl::file(pkl::dict({{"rf", rf}, {"context", pkl::context({0.0F, 0.2F})}}))));
  };
  Recording recording = opened(pkl::list({line(10), line(20)}));
  EXPECT_EQ(recording.frame_count, 1U);
  EXPECT_EQ(sample(recording, 0, 1, 0, 1), 21);
  EXPECT_EQ(sample(recording, 0, 0, 1, 2), 5);
  recording = opened(pkl::list({pkl::list({line(10), line(20)}), pkl::list({line(30), line(40)})}));
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(sample(recording, 1, 0, 0, 1), 31);
  EXPECT_EQ(sample(recording, 1, 1, 0, 0), 40);
  const auto refused = [&](const std::string& rf) {
    return refusal(folder.write("l.pkl", pkl::file(pkl::dict({{"rf", rf}, {"context", pkl::context({0.0F, 0.2F})}}))));
  };
  EXPECT_NE(refused(pkl::list({pkl::list({line(10), line(20)}), pkl::list({line(30)})})), "");
  EXPECT_NE(refused(pkl::list({pkl::list({}), pkl::list({})})), "");
  EXPECT_NE(refused(pkl::list({line(10), pkl::list({line(30)})})), "");
  EXPECT_TRUE(contains(refused(pkl::list({line(10), line(20), line(30)})), "2 angles for 3 transmits"));
}

// A recording with angles and pitch as given.
std::string with_context(const std::string& rf, const std::string& angles, double pitch_m = 0.3e-3) {
  const std::string context = pkl::dict({{"pitch", pkl::real(pitch_m)},
                                         {"sampling_frequency", pkl::real(20e6)},
                                         {"transmit_frequency", pkl::integer(5000000)},
                                         {"speed_of_sound", pkl::real(1540)},
                                         {"angles", angles}});
  return pkl::file(pkl::dict({{"rf", rf}, {"context", context}}));
}

TEST(ShortCourse, ReadsPlainNumbersAndTuplesAsPythonWritesThem) {
  const TemporaryFolder folder;
  const std::string one = pkl::array("i2", '<', {1, 2, 2}, packed<std::int16_t>({1, 2, 3, 4}));
  const std::string two = pkl::array("i2", '<', {2, 1, 2}, packed<std::int16_t>({1, 2, 3, 4}));
  const std::string scalar = "cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\n" + pkl::text("f8") + "\x89\x88\x87R(" +
                             pkl::integer(3) + pkl::text("<") + "NNN" + pkl::integer(-1) + pkl::integer(-1) +
                             pkl::integer(0) + "tb" + pkl::bytes(packed<double>({0.25})) + "\x86R";
  const std::string zero_axes = pkl::array("f8", '<', {}, packed<double>({0.25}));
  for (const std::string& angle : {pkl::real(0.25), scalar, zero_axes}) {
    const Recording recording = open_recording(folder.write("n.pkl", with_context(one, angle)));
    EXPECT_EQ(recording.acquisition->transmits.at(0).angle_rad, 0.25);
  }
  const std::string both = "(" + pkl::real(-0.5) + scalar + "t", frames = "(" + two + two + two + "t";
  const Recording recording = open_recording(folder.write("t.pkl", with_context(frames, both)));
  EXPECT_EQ(recording.frame_count, 3U);
  EXPECT_EQ(recording.acquisition->transmits.at(0).angle_rad, -0.5);
  EXPECT_EQ(recording.acquisition->transmits.at(1).angle_rad, 0.25);
  EXPECT_EQ(sample(recording, 2, 1, 0, 1), 4);
  const auto line = [&](const std::string& file) { return refusal(folder.write("r.pkl", file)); };
  EXPECT_TRUE(contains(line(with_context(one, "N")), "'angles' in 'context' is None"));
  EXPECT_TRUE(contains(line(with_context(one, pkl::real(0), 0.0)), "pitch of 0.0"));
  EXPECT_TRUE(contains(line(with_context(one, pkl::real(0), -1e-3)), "pitch of -1.0"));
  EXPECT_TRUE(contains(line(with_context("(" + one + two + "t", both)), "'rf' is a tuple of 2"));
}

TEST(ShortCourse, RefusesWhatIsNoRecording) {
  const TemporaryFolder folder;
  const std::string rf = pkl::array("i2", '<', {2, 1, 2}, packed<std::int16_t>({1, 2, 3, 4}));
  const auto line = [&](const std::string& root) { return refusal(folder.write("r.pkl", pkl::file(root))); };
  EXPECT_TRUE(contains(line(rf), "a pickle of an array of int16"));
  EXPECT_TRUE(contains(line(pkl::dict({{"rf", rf}})), "keys"));
  EXPECT_TRUE(contains(line(pkl::dict({{"rf", rf}, {"context", pkl::context({0.0F})}})), "1 angle for 2 transmits"));
  EXPECT_TRUE(
      contains(line(pkl::dict({{"rf", pkl::list({})}, {"context", pkl::context({0.0F})}})), "'rf' is a list of 0"));
  EXPECT_TRUE(contains(line(pkl::dict({{"rf", "N"}, {"context", pkl::context({0.0F})}})), "'rf' is None"));
  EXPECT_TRUE(
      contains(line(pkl::dict({{"rf", rf}, {"context", pkl::dict({{"pitch", pkl::text("wide")}})}})), "'pitch'"));
  EXPECT_TRUE(contains(line(pkl::dict({{"rf", rf}, {"context", pkl::context({0.0F, 9.0F})}})), "transmit angle"));
}

TEST(ShortCourse, EveryTruncationIsRefused) { expect_every_truncation_refused("t.pkl", pkl::recording()); }

TEST(ShortCourse, MatchesPythonOnTheDerivedRecording) {
  ECHO_NEED_DATA("");
  const Recording recording =
      open_recording(testing::data_folder() / "pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl");
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.format, "GPU short-course pickle");
  EXPECT_EQ(recording.name, "shortcourse_list_p4.pkl");
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(a.n_transmits(), 3);
  EXPECT_EQ(a.n_elements(), 128);
  EXPECT_EQ(a.n_samples, 1280);
  EXPECT_EQ(a.sample_type, SampleType::float32);
  EXPECT_EQ(a.signal, SignalKind::rf);
  EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
  EXPECT_DOUBLE_EQ(a.center_hz, 5208300.0);
  EXPECT_DOUBLE_EQ(a.probe.pitch_m, 0.23e-3);
  EXPECT_DOUBLE_EQ(a.probe.elements[0].x_m, -63.5 * 0.23e-3);
  EXPECT_NEAR(a.transmits[0].angle_rad, -0.20943951, 1e-8);
  for (const Transmit& transmit : a.transmits) EXPECT_EQ(transmit.t0_s, 0.0);
  EXPECT_FALSE(a.assumptions.empty());
  EXPECT_EQ(sample(recording, 0, 0, 0, 0), 0.0014511041F);
  EXPECT_EQ(sample(recording, 0, 2, 127, 1279), -66.80371F);
  EXPECT_EQ(sample(recording, 0, 1, 64, 700), -1632.1527F);
  EXPECT_EQ(sample(recording, 1, 1, 64, 700), -816.07635F);
  EXPECT_EQ(sample(recording, 0, 1, 63, 300), -1.1004688F);
  EXPECT_NEAR(frame_sum(recording, 0), -3686404.5533413873, 1e-3);
}

}  // namespace
}  // namespace echoloop::shortcourse_test
