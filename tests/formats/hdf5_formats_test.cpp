// Every layout of the HDF5 formats: samples in place, geometry and time zero converted.

#include "formats/hdf5_fixture.h"

namespace echoloop::hdf5_formats_test {
namespace {

using namespace test;

using Writer = void (*)(Hdf5Fixture&, const Extents&);
struct Format {
  const char* name;
  Writer write;
  const char* words;
};
const Format kFormats[] = {{"uff", write_uff, "UFF (USTB)"}, {"picmus", write_picmus, "PICMUS"},
                           {"pybf", write_pybf, "PyBF"},     {"zea", write_zea, "zea"},
                           {"mfmc", write_mfmc, "MFMC"},     {"urx", write_urx, "URX"}};

TEST(Hdf5Formats, TheSameAcquisitionInEachFormat) {
  for (const Format& format : kFormats) {
    for (const Extents& n : {Extents{}, Extents{.frames = 1}, Extents{.frames = 3, .transmits = 1}}) {
      SCOPED_TRACE(format.name);
      Hdf5Fixture file("a.h5");
      format.write(file, n);
      const Recording recording = open_recording(file.close());
      const Acquisition& a = *recording.acquisition;
      EXPECT_EQ(recording.format, format.words);
      expect_samples(recording, n);
      EXPECT_DOUBLE_EQ(a.sampling_hz, kSampling_hz);
      EXPECT_NEAR(a.frame_rate_hz,
                  recording.format == "MFMC"                                ? 0.0
                  : recording.format != "PyBF" && recording.format != "URX" ? 3000.0 / n.transmits
                  : n.frames > 1                                            ? 1000.0
                                                                            : 0.0,
                  1e-3);
      for (int e = 0; e < n.elements; ++e) {
        EXPECT_NEAR(a.probe.elements[static_cast<std::size_t>(e)].x_m, (e - 1.5) * kPitch_m, 1e-9);
        EXPECT_EQ(a.probe.elements[static_cast<std::size_t>(e)].z_m, 0.0);
      }
      EXPECT_NEAR(a.probe.pitch_m, kPitch_m, 1e-9);
      for (int k = 0; k < n.transmits; ++k) {
        const Transmit& t = a.transmits[static_cast<std::size_t>(k)];
        EXPECT_EQ(t.kind, TransmitKind::plane);
        EXPECT_NEAR(t.angle_rad, wave_angles(n.transmits)[static_cast<std::size_t>(k)], 1e-7);
        EXPECT_NEAR(t.t0_s, 2e-6, 1e-12);
      }
    }
  }
}

TEST(Hdf5Formats, UserBlocksAndStringsOfAllKinds) {
  for (const TextKind kind :
       {TextKind::null_terminated, TextKind::null_padded, TextKind::space_padded, TextKind::variable}) {
    for (const hsize_t user_block : {hsize_t{0}, hsize_t{512}, hsize_t{2048}}) {
      Hdf5Fixture file("s.uff", user_block);
      write_uff(file, {});
      file.attribute("channel_data", "class", "uff.channel_data", kind);
      expect_samples(open_recording(file.close()), {});
    }
  }
}

TEST(Hdf5Formats, NumbersOfAllClassesAndShapes) {
  const hid_t level = H5Tenum_create(H5T_STD_U8BE);
  for (const std::uint8_t k : {std::uint8_t{0}, std::uint8_t{1}}) H5Tenum_insert(level, k == 0 ? "off" : "on", &k);
  for (const hid_t type : {H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_STD_I32BE, H5T_STD_U32LE, H5T_STD_I64LE}) {
    Hdf5Fixture file("n.uff");
    write_uff(file, {});
    file.numbers("channel_data/sampling_frequency", {}, {kSampling_hz}, {.type = type, .chunk = {}});
    file.numbers("channel_data/sound_speed", {1, 1, 1}, {1480.0}, {.type = type, .chunk = {}});
    file.empty("channel_data/sequence/sequence_0001/wavefront", {1}, {.type = level, .chunk = {1}});  // 0: off
    const Recording recording = open_recording(file.close());
    EXPECT_EQ(recording.acquisition->sampling_hz, kSampling_hz);
    EXPECT_EQ(recording.acquisition->sound_speed_m_s, 1480.0);
  }
  H5Tclose(level);
}

struct SampleLayout {
  const char* name;
  hid_t type;
  std::vector<hsize_t> chunk;
  int deflate;
  SampleType expected;
  bool lent;
};

TEST(Hdf5Formats, SampleTypesAndLayouts) {
  const SampleLayout layouts[] = {
      {"float32", H5T_IEEE_F32LE, {}, 0, SampleType::float32, true},
      {"int16", H5T_STD_I16LE, {}, 0, SampleType::int16, true},
      {"big-endian int16", H5T_STD_I16BE, {}, 0, SampleType::int16, false},
      {"float64", H5T_IEEE_F64LE, {}, 0, SampleType::float32, false},
      {"int32", H5T_STD_I32LE, {}, 0, SampleType::float32, false},
      {"one chunk", H5T_IEEE_F32LE, {2, 3, 4, 6}, 0, SampleType::float32, true},
      {"a chunk a frame", H5T_STD_I16LE, {1, 3, 4, 6}, 0, SampleType::int16, true},
      {"a chunk longer than the data", H5T_STD_I16LE, {3, 3, 4, 6}, 0, SampleType::int16, true},
      {"small chunks", H5T_IEEE_F32LE, {1, 2, 3, 4}, 0, SampleType::float32, false},
      {"deflated", H5T_STD_I16LE, {2, 1, 4, 6}, 6, SampleType::int16, false},
  };
  for (const SampleLayout& layout : layouts) {
    SCOPED_TRACE(layout.name);
    Hdf5Fixture file("l.uff");
    write_uff(file, {});
    file.numbers("channel_data/data", {2, 3, 4, 6}, sample_table("ftei", {}),
                 {.type = layout.type, .chunk = layout.chunk, .deflate = layout.deflate});
    const Recording recording = open_recording(file.close());
    expect_samples(recording, {});
    EXPECT_EQ(recording.acquisition->sample_type, layout.expected);
    EXPECT_EQ(recording.memory.empty(), layout.lent);
  }
}

TEST(Hdf5Formats, ComplexNumbersAsCompounds) {
  const Extents n{.values = 2};
  const auto table = sample_table("fteiq", n);
  const std::vector<float> values(table.begin(), table.end());
  for (const char* const* names : {(const char* const[]){"real", "imag"}, (const char* const[]){"r", "i"}}) {
    Hdf5Fixture file("c.uff");
    write_uff(file, {});
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(pair, names[0], 0, H5T_IEEE_F32LE);
    H5Tinsert(pair, names[1], 4, H5T_IEEE_F32LE);
    file.empty("channel_data/data", {2, 3, 4, 6}, {.type = pair, .chunk = {}});
    const hid_t data = H5Dopen2(file.file(), "channel_data/data", H5P_DEFAULT);
    H5Dwrite(data, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Tclose(pair);
    const Recording recording = open_recording(file.close());
    expect_samples(recording, n);
    EXPECT_EQ(recording.acquisition->signal, SignalKind::iq);
  }
}

TEST(Hdf5Formats, TheFrequencyOfComplexSamplesIsNotLost) {
  Hdf5Fixture file("p.h5");
  write_picmus(file, {});
  file.enum_attribute("US/US_DATASET0000", "signal_format", {"RF", "IQ"}, 1);
  file.numbers("US/US_DATASET0000/modulation_frequency", {1}, {6e6});
  const Recording recording = open_recording(file.close());
  expect_samples(recording, {.values = 2});
  EXPECT_EQ(recording.acquisition->demod_hz, 6e6);
  EXPECT_EQ(recording.acquisition->center_hz, 6e6);
  EXPECT_EQ(recording.acquisition->transmits[0].t0_s, 2e-6F);
}

TEST(Hdf5Formats, AFileOfManyGigabytesOpensAtOnce) {
  Hdf5Fixture file("big.uff");
  write_uff(file, {});
  const hsize_t dims[4] = {20000, 3, 4, 20833};  // 20 GB of float32, none of it written: a sparse file
  file.remove("channel_data/data");
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, dims, nullptr);
  H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER);
  H5Dclose(H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(plan);
  const auto path = file.close();
  ASSERT_GT(std::filesystem::file_size(path), std::uintmax_t{19'900'000'000});
  const double begin_s = computing_time_s();
  const Recording recording = open_recording(path);
  EXPECT_LT(computing_time_s() - begin_s, 0.5);
  EXPECT_EQ(recording.frame_count, 20000U);
  EXPECT_EQ(sample(recording, 19999, 2, 3, 20832), 0.0);
}

TEST(Hdf5Formats, SamplesThatWereNeverWrittenAreZerosAndSaidSo) {
  Hdf5Fixture file("cut.uff");
  write_uff(file, {});
  file.empty("channel_data/data", {2, 3, 4, 6}, {.type = H5T_IEEE_F32LE, .chunk = {1, 3, 4, 6}});
  const hid_t data = H5Dopen2(file.file(), "channel_data/data", H5P_DEFAULT), space = H5Dget_space(data);
  const hsize_t start[4] = {}, count[4] = {1, 3, 4, 6};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const hid_t memory = H5Screate_simple(4, count, nullptr);
  H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, sample_table("ftei", {.frames = 1}).data());
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(data);
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(sample(recording, 0, 1, 2, 3), sample_value(0, 1, 2, 3, 0));
  EXPECT_EQ(sample(recording, 1, 1, 2, 3), 0.0);
  bool said = false;
  for (const Assumption& assumed : recording.acquisition->assumptions)
    said = said || assumed.text.find("1 of 2 chunks") != std::string::npos;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace echoloop::hdf5_formats_test
