// A recording on disk, read with nothing of ours: what USTB's reader looks for is there, and the samples are the same.
#include <sys/stat.h>

#include <filesystem>

#include "formats/base/acquisition_json.h"
#include "history/hdf5_recording.h"
#include "support/one_line.h"
#include "support/recordings.h"
#include "support/temporary_folder.h"
#include "support/uff_file.h"

namespace echoloop::hdf5_writer_test {
namespace {

using namespace testing;

RfFrame frame_of(const std::vector<std::byte>& samples, std::uint64_t sequence) {
  return {.stamp = {.sequence = sequence, .acquired_ns = static_cast<std::int64_t>(1000 * sequence)},
          .samples = samples};
}

class UffOfEveryKind : public ::testing::TestWithParam<NamedAcquisition> {};

TEST_P(UffOfEveryKind, HoldsTheSameSamplesAndGeometry) {
  const Acquisition& a = GetParam().acquisition;
  const TemporaryFolder folder;
  std::vector<std::vector<std::byte>> frames;
  for (unsigned i = 0; i < 5; ++i) frames.push_back(any_bits(a, i));
  Hdf5Writer writer(folder / "a.uff", share(a), {.version = "1.2.3", .parameters = R"({"gain_db":3})"});
  for (std::size_t i = 0; i < frames.size(); ++i) writer.append(frame_of(frames[i], 10 + 2 * i));
  writer.count_not_recorded(4);
  writer.finish();
  EXPECT_EQ(folder.files(), 1U);

  const UffFile file(folder / "a.uff");
  ASSERT_TRUE(file.is_open());
  EXPECT_EQ(file.sequence(), (std::vector<std::uint64_t>{10, 12, 14, 16, 18}));
  EXPECT_EQ(file.all<std::int64_t>("/echoloop/acquired_ns", H5T_NATIVE_INT64)[4], 18000);
  EXPECT_EQ(file.all<std::uint64_t>("/echoloop/not_recorded", H5T_NATIVE_UINT64)[0], 4U);
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(file.frame(i, a), frames[i]) << i;
  EXPECT_EQ(file.text("/echoloop/acquisition"), acquisition_to_json(a));  // which comes back bit for bit
  EXPECT_EQ(file.text("/echoloop/parameters"), R"({"gain_db":3})");
  EXPECT_EQ(file.attribute("/echoloop", "version"), "1.2.3");
}

INSTANTIATE_TEST_SUITE_P(Hdf5Writer, UffOfEveryKind, ::testing::ValuesIn(testing::every_kind_of_acquisition()),
                         [](const auto& info) { return info.param.name; });

Acquisition of_kind(const std::string& name) {
  for (const auto& [known, acquisition] : testing::every_kind_of_acquisition()) {
    if (known == name) return acquisition;
  }
  return {};
}

struct Written {
  explicit Written(const Acquisition& a) {
    Hdf5Writer writer(folder / "a.uff", share(a), {.version = "1"});
    const std::vector<std::byte> samples = any_bits(a, 1);
    writer.append(frame_of(samples, 0));
    writer.finish();
    file.emplace(folder / "a.uff");
  }
  TemporaryFolder folder;
  std::optional<UffFile> file;
};

TEST(Hdf5Writer, SaysWhatUstbReads) {
  const Acquisition a = of_kind("plane");
  const Written written(a);
  const UffFile& file = *written.file;
  EXPECT_EQ(file.attribute("/", "version"), "v1.2.0");
  EXPECT_EQ(file.attribute("/channel_data", "class"), "uff.channel_data");
  EXPECT_EQ(file.attribute("/channel_data/data", "class"), "single");
  EXPECT_EQ(file.shape("/channel_data/data"), (std::vector<hsize_t>{1, 3, 6, 40}));
  EXPECT_EQ(file.number("/channel_data/sampling_frequency"), 20e6F);
  EXPECT_EQ(file.number("/channel_data/sound_speed"), 1480.1F);
  EXPECT_EQ(file.number("/channel_data/modulation_frequency"), 0.0F);
  EXPECT_EQ(file.shape("/channel_data/probe/geometry"), (std::vector<hsize_t>{7, 6}));
  const std::vector<float> geometry = file.all<float>("/channel_data/probe/geometry", H5T_NATIVE_FLOAT);
  EXPECT_EQ(geometry[5], static_cast<float>(a.probe.elements[5].x_m));
  EXPECT_EQ(geometry[5 * 6], 0.27e-3F);
  EXPECT_EQ(file.attribute("/channel_data/sequence", "class"), "uff.wave");
  const std::string wave = "/channel_data/sequence/sequence_0002";
  EXPECT_EQ(file.attribute(wave, "class"), "uff.wave");
  EXPECT_EQ(file.attribute(wave + "/source", "class"), "uff.point");
  EXPECT_EQ(file.number(wave + "/wavefront"), 0.0F);
  EXPECT_EQ(file.number(wave + "/source/distance"), std::numeric_limits<float>::infinity());
  // A sample's time is initial_time + n / fs + delay.
  EXPECT_EQ(file.number("/channel_data/initial_time") + file.number(wave + "/delay"),
            static_cast<float>(a.transmits[1].t0_s));
  EXPECT_EQ(file.number("/channel_data/sequence/sequence_0003/source/azimuth"),
            static_cast<float>(a.transmits[2].angle_rad));
}

TEST(Hdf5Writer, PutsSourcesWhereUffHasThem) {
  const Acquisition diverging = of_kind("diverging");
  const Written written(diverging);
  const std::string wave = "/channel_data/sequence/sequence_0001";
  EXPECT_EQ(written.file->number(wave + "/wavefront"), 1.0F);
  const double distance = static_cast<double>(written.file->number(wave + "/source/distance"));
  const double azimuth = static_cast<double>(written.file->number(wave + "/source/azimuth"));
  EXPECT_NEAR(distance * std::sin(azimuth), -3.3e-3, 1e-8);
  EXPECT_NEAR(distance * std::cos(azimuth), -20.1e-3, 1e-8);
  const std::vector<float> geometry = written.file->all<float>("/channel_data/probe/geometry", H5T_NATIVE_FLOAT);
  EXPECT_EQ(geometry[3 * 5], static_cast<float>(diverging.probe.elements[0].normal_rad));

  const Written single(of_kind("focused"));  // an array of one is the object itself
  EXPECT_GT(single.file->number("/channel_data/sequence/source/distance"), 30e-3F);
}

// USTB takes their sources for ones in front of the array and adds |s|/c where we take it away.
TEST(Hdf5Writer, SingleElementsHaveUstbsDelays) {
  Acquisition a = of_kind("plane");
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    Transmit& t = a.transmits[k];
    t.kind = TransmitKind::diverging;
    t.source_x_m = a.probe.elements[k].x_m, t.source_z_m = 0.0;
    t.t0_s = 3e-6 - std::abs(t.source_x_m) / a.sound_speed_m_s;  // all fire 3 us before the first sample
  }
  const Written written(a);
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const std::string wave = "/channel_data/sequence/sequence_000" + std::to_string(k + 1);
    const double clock_s = static_cast<double>(written.file->number("/channel_data/initial_time")) +
                           static_cast<double>(written.file->number(wave + "/delay"));
    EXPECT_NEAR(clock_s, 3e-6 + std::abs(a.transmits[k].source_x_m) / a.sound_speed_m_s, 1e-12) << k;
  }
}

TEST(Hdf5Writer, IqIsAGroupOfTwo) {
  const Written written(of_kind("iq"));
  EXPECT_EQ(written.file->attribute("/channel_data/data", "class"), "single");
  EXPECT_EQ(written.file->shape("/channel_data/data/imag"), (std::vector<hsize_t>{1, 3, 6, 40}));
  EXPECT_EQ(written.file->number("/channel_data/modulation_frequency"), static_cast<float>(5e6 / 3.0));
}

// A reader that knows nothing of /echoloop takes the phase at initial_time + n / fs: whole periods of delay are no
// turn.
TEST(Hdf5Writer, IqOfLateTransmitsStaysInPhaseForOtherReaders) {
  Acquisition a = of_kind("iq");
  a.transmits[1].t0_s = a.transmits[0].t0_s + 1.37e-6;
  a.transmits[2].t0_s = a.transmits[0].t0_s - 0.91e-6;
  const Written written(a);
  for (std::size_t t = 0; t < 3; ++t) {
    const std::string wave = "/channel_data/sequence/sequence_000" + std::to_string(t + 1);
    const double delay_s = static_cast<double>(written.file->number(wave + "/delay"));
    EXPECT_NEAR(delay_s * a.demod_hz, std::round(delay_s * a.demod_hz), 1e-5) << t;
    EXPECT_NEAR(delay_s, a.transmits[t].t0_s - a.transmits[0].t0_s, 0.5001 / a.demod_hz) << t;
  }
}

TEST(Hdf5Writer, WhatWasFlushedIsThereBeforeTheEnd) {
  const TemporaryFolder folder;
  const Acquisition a = testing::linear_acquisition();
  const std::vector<std::byte> samples = any_bits(a, 1);
  {
    Hdf5Writer writer(folder / "a.uff", share(a), {.version = "1"});
    EXPECT_EQ(writer.partial(), folder / "a.uff.partial");
    for (std::uint64_t i = 0; i < 7; ++i) writer.append(frame_of(samples, i));
    writer.flush();
    std::filesystem::copy(writer.partial(), folder / "as_if_killed");
  }
  const UffFile file(folder / "as_if_killed", Opened::killed);
  ASSERT_TRUE(file.is_open());
  ASSERT_EQ(file.frames(), 7U);
  EXPECT_EQ(file.frame(6, a), samples);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.uff"));

  // The next recording of this name leaves it alone.
  Hdf5Writer next(folder / "a.uff", share(a), {.version = "1"});
  EXPECT_EQ(next.partial(), folder / "a.uff.partial2");
  next.finish();
  EXPECT_EQ(folder.files(), 2U);  // without a frame there is no file
}

TEST(Hdf5Writer, RefusesInOneLine) {
  const TemporaryFolder folder;
  const AcquisitionPtr a = share(testing::linear_acquisition());
  testing::expect_refusal([&] { Hdf5Writer(folder / "no/a.uff", a, {.version = "1"}); },
                          "no/a.uff: cannot be recorded");
  testing::expect_refusal([&] { Hdf5Writer(folder.path(), a, {.version = "1"}); }, "the target is a folder");
  EXPECT_EQ(folder.files(), 0U);
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  testing::expect_refusal([&] { Hdf5Writer(pipe, a, {.version = "1"}); }, "the target is a device or a pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace echoloop::hdf5_writer_test
