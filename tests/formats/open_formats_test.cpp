// URX and photoacoustics of IPASC: tracks, receive apertures, wavelengths, and what is refused.
#include <cmath>
#include <functional>

#include "core/facts.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::open_formats_test {
namespace {

using namespace test;

Recording open_with(const std::filesystem::path& path, std::vector<std::string> settings) {
  return open_recording(path, {}, {}, take_facts(settings));
}

std::string refusal_with(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  try {
    static_cast<void>(open_with(path, settings));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "opened";
  return {};
}

const DatasetPlan kReal64{.type = H5T_IEEE_F64LE, .chunk = {}};
const std::string kEvent = "dataset/acquisition/groups/00000000/sequence/00000000";

TEST(Ipasc, ReceivesOnlyAtTheChosenWavelength) {
  const Extents n{.frames = 3, .transmits = 2, .elements = 12};  // transmits: wavelengths
  Hdf5Fixture file("p.hdf5");
  write_ipasc(file, n);
  const auto path = file.close();
  for (int w = 0; w < n.transmits; ++w) {
    const Recording recording = open_with(path, {"wavelength=" + std::to_string(w + 1), "emission_s=1e-6"});
    const Acquisition& a = *recording.acquisition;
    ASSERT_EQ(recording.frame_count, 3U);
    ASSERT_EQ(a.transmits.size(), 1U);
    EXPECT_EQ(a.transmits[0].kind, TransmitKind::none);
    EXPECT_EQ(a.transmits[0].t0_s, -1e-6);
    for (int e = 0; e < n.elements; ++e) {
      EXPECT_NEAR(a.probe.elements[static_cast<std::size_t>(e)].x_m, (e - 5.5) * kPitch_m, 1e-9) << "natural order";
      for (int i = 0; i < n.samples; ++i) EXPECT_EQ(sample(recording, 2, 0, e, i), sample_value(2, w, e, i, 0));
    }
    EXPECT_TRUE(assumes(a, w == 0 ? "wavelength 1 of 2, 750 nm" : "wavelength 2 of 2, 800 nm"));
    EXPECT_NEAR(a.frame_rate_hz, 10.0, 1e-9);
    EXPECT_EQ(a.sound_speed_m_s, kSpeed_m_s);
  }
  EXPECT_EQ(open_recording(path).acquisition->transmits[0].t0_s, 0.0);
  for (const char* const wrong : {"wavelength=3", "wavelength=1.5"})
    EXPECT_TRUE(contains(refusal_with(path, {wrong}), "a whole number from 1 to 2")) << wrong;
  EXPECT_TRUE(contains(refusal_with(path, {"track=1"}), "track = 1 has no effect on IPASC"));
  Hdf5Fixture zea("w.hdf5");
  write_zea(zea, {});
  EXPECT_TRUE(contains(refusal_with(zea.close(), {"wavelength=1"}), "wavelength = 1 has no effect on zea"));
}

TEST(Urx, GroupsAreTracks) {
  Hdf5Fixture file("g.urx");
  write_urx(file, {});
  urx_group(file, 1, "few", {.frames = 3, .transmits = 1});
  urx_group(file, 2, "push", {.frames = 1, .transmits = 1});
  file.remove("dataset/acquisition/groups_data/00000002");
  const auto path = file.close();
  const Recording first = open_recording(path), few = open_with(path, {"track=few"});
  expect_samples(first, {});
  expect_samples(few, {.frames = 3, .transmits = 1});
  ASSERT_EQ(few.tracks.size(), 3U);
  EXPECT_TRUE(few.tracks[1].chosen);
  EXPECT_TRUE(first.tracks[0].chosen);
  EXPECT_EQ(first.tracks[2].why_not, "no channel data");
  ASSERT_EQ(few.scanner.times_s.size(), 3U);
  EXPECT_NEAR(few.scanner.times_s[2], 2e-3, 1e-12);
  EXPECT_TRUE(contains(refusal_with(path, {"track=push"}), "track = push has no channel data"));
}

// Data of a group in two parts, the second of which ends within a sequence.
TEST(Urx, PartsOfAGroupAreJoined) {
  Hdf5Fixture file("j.urx");
  write_urx(file, {.frames = 2});
  const auto samples = sample_table("ftei", {.frames = 4});
  const std::size_t whole = samples.size() / 4;
  const std::vector<double> rest(samples.begin() + static_cast<std::ptrdiff_t>(2 * whole),
                                 samples.begin() + static_cast<std::ptrdiff_t>(3 * whole + 5));
  const std::string data = "dataset/acquisition/groups_data/00000001";
  file.numbers(data + "/group", {}, {0});
  file.numbers(data + "/raw_data", {rest.size()}, rest, {.type = H5T_STD_I16LE, .chunk = {}});
  const Recording recording = open_recording(file.close());
  expect_samples(recording, {.frames = 3});
  EXPECT_TRUE(assumes(*recording.acquisition, "no sequence_timestamps"));
}

TEST(Urx, ReceiveAperturesAreSpreadOverTheProbe) {
  Hdf5Fixture file("r.urx");
  write_urx(file, {.transmits = 2});
  for (int k = 0; k < 2; ++k) {
    file.remove(urx_event(0, k) + "/receive_setup/active_elements");
    urx_setup(file, urx_event(0, k) + "/receive_setup", k == 0 ? std::vector{2, 0} : std::vector{3, 1}, 3e-6);
  }
  file.numbers("dataset/acquisition/groups_data/00000000/raw_data", {2 * 2 * 2 * 6, 1},
               sample_table("ftei", {.transmits = 2, .elements = 2}), {.type = H5T_STD_I16LE, .chunk = {}});
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(sample(recording, 1, 0, 2, 4), sample_value(1, 0, 0, 4, 0));
  EXPECT_EQ(sample(recording, 1, 0, 0, 4), sample_value(1, 0, 1, 4, 0));
  EXPECT_EQ(sample(recording, 1, 1, 3, 4), sample_value(1, 1, 0, 4, 0));
  EXPECT_EQ(sample(recording, 1, 1, 2, 4), 0.0);
}

// Q of a wave that passes the origin z seconds after the event began is turned by 2 pi f z.
TEST(Urx, IqIsTurnedToTheOrigin) {
  const Extents n{.transmits = 1, .values = 2};
  Hdf5Fixture file("q.urx");
  write_urx(file, n);
  const Recording recording = open_recording(file.close());
  ASSERT_EQ(recording.acquisition->signal, SignalKind::iq);
  EXPECT_EQ(recording.acquisition->demod_hz, kCenter_hz);
  const double turn = 2.0 * std::acos(-1.0) * kCenter_hz * 1e-6;  // the plane wave at 0: time_offset
  const double i = sample_value(1, 0, 2, 3, 0), q = sample_value(1, 0, 2, 3, 1);
  EXPECT_NEAR(sample(recording, 1, 0, 2, 3, 0), i * std::cos(turn) - q * std::sin(turn), 1e-3);
  EXPECT_NEAR(sample(recording, 1, 0, 2, 3, 1), i * std::sin(turn) + q * std::cos(turn), 1e-3);
}

TEST(Urx, ThePulseDelaysItsEcho) {
  Hdf5Fixture file("w.urx");
  write_urx(file, {});
  constexpr double kWaveform_hz = 200e6, kPeak_s = 0.4e-6;
  std::vector<double> pulse;
  for (int k = 0; k < 200; ++k) {
    const double at_s = k / kWaveform_hz - kPeak_s;
    pulse.push_back(std::exp(-std::pow(at_s / 0.15e-6, 2)) * std::cos(2.0 * std::acos(-1.0) * kCenter_hz * at_s));
  }
  const std::string excitation = "dataset/acquisition/excitations/00000000";
  file.numbers(excitation + "/waveform", {pulse.size()}, pulse, kReal64);
  file.numbers(excitation + "/sampling_frequency", {}, {kWaveform_hz}, kReal64);
  const auto path = file.close();
  EXPECT_NEAR(open_recording(path).acquisition->transmits[1].t0_s, 2e-6 - kPeak_s, 1e-9);
  EXPECT_NEAR(open_with(path, {"pulse_peak_s=3e-7"}).acquisition->transmits[1].t0_s, 2e-6 - 3e-7, 1e-12);
}

struct Refused {
  const char* name;
  void (*write)(Hdf5Fixture&, const Extents&);
  std::function<void(Hdf5Fixture&)> change;
  const char* said;
};

class OpenFormatRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(OpenFormatRefused, InOneLine) {
  Hdf5Fixture file("r.h5");
  GetParam().write(file, {});
  GetParam().change(file);
  EXPECT_TRUE(contains(refusal(file.close()), GetParam().said)) << refusal(file.path());
}

const Refused kRefused[] = {
    {"Shape", write_ipasc,
     [](Hdf5Fixture& f) {
       f.numbers("binary_time_series_data", {2, 2}, {1, 2, 3, 4});
     },
     "samples of shape (2, 2)"},
    {"Detectors", write_ipasc, [](Hdf5Fixture& f) { f.remove("meta_data_device/detectors/element_2"); },
     "3 detectors for samples of 4"},
    {"Place", write_ipasc,
     [](Hdf5Fixture& f) {
       f.numbers("meta_data_device/detectors/element_2/detector_position", {3}, {9.45, 0, 0});
     },
     "positions within 1 m"},
    {"Speed", write_ipasc, [](Hdf5Fixture& f) { f.number("meta_data/speed_of_sound", 0.0); }, "above 0 m/s"},
    {"Rate", write_ipasc, [](Hdf5Fixture& f) { f.number("meta_data/ad_sampling_rate", 0.0); }, "above 0 Hz"},
    {"Version", write_urx, [](Hdf5Fixture& f) { f.number("dataset/version/major", 2.0); }, "URX of version 2"},
    {"NoData", write_urx, [](Hdf5Fixture& f) { f.remove("dataset/acquisition/groups_data/00000000/raw_data"); },
     "no channel data"},
    {"Group", write_urx, [](Hdf5Fixture& f) { f.number("dataset/acquisition/groups_data/00000000/group", 4.0); },
     "a number from 0 to 0"},
    {"OtherProbe", write_urx, [](Hdf5Fixture& f) { f.number(kEvent + "/transmit_setup/probe", 1.0); },
     "another probe than that of the first event"},
    {"Element", write_urx, [](Hdf5Fixture& f) { f.number(kEvent + "/receive_setup/active_elements/00000001", 9.0); },
     "0 to 3"},
    {"Twice", write_urx, [](Hdf5Fixture& f) { f.number(kEvent + "/receive_setup/active_elements/00000001", 0.0); },
     "an element twice"},
    {"Delays", write_urx,
     [](Hdf5Fixture& f) {
       f.numbers(kEvent + "/transmit_setup/delays", {2}, {0, 0});
     },
     "2 delays for 4 channels"},
    {"DelayIsNan", write_urx,
     [](Hdf5Fixture& f) {
       f.numbers(kEvent + "/transmit_setup/delays", {4}, {0, std::nan(""), 0, 0});
     },
     "finite delays within 1 s"},
    {"Length", write_urx, [](Hdf5Fixture& f) { f.number(kEvent + "/receive_setup/number_samples", 5.0); },
     "another number of samples"},
    {"NoSamples", write_urx, [](Hdf5Fixture& f) { f.number(kEvent + "/receive_setup/number_samples", 0.0); },
     "number_samples = 0"},
};
INSTANTIATE_TEST_SUITE_P(OpenFormats, OpenFormatRefused, ::testing::ValuesIn(kRefused),
                         [](const auto& info) { return info.param.name; });

TEST(OpenFormats, EveryTruncationIsRefused) {
  Hdf5Fixture urx("t.urx"), ipasc("t.hdf5");
  write_urx(urx, {});
  expect_every_truncation_refused("t.urx", testing::read_text(urx.close()), 3989);
  write_ipasc(ipasc, {});
  expect_every_truncation_refused("t.hdf5", testing::read_text(ipasc.close()), 997);
}

}  // namespace
}  // namespace echoloop::open_formats_test
