// Small MATLAB files of every MUST convention, written by matio in v5, compressed v5 and v7.3; the time zero of each
// was worked out on paper.
#include <matio.h>

#include <cmath>
#include <numbers>

#include "formats/support.h"

namespace echoloop::mat_test {
namespace {

using namespace test;

// A small MUST file, written by matio.
struct Sample {
  std::string name = "RF";
  std::vector<std::size_t> dims = {4, 3};  // time, element, ...
  std::vector<double> real = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  std::vector<double> imaginary = {};
};

struct Field {
  std::string name;
  std::vector<double> values;
  std::size_t rows = 1;
};

using Fields = std::vector<Field>;

const Fields kBasic = {{"FS", {20e6}}, {"fc", {5e6}},  {"Pitch", {0.5e-3}},
                       {"c", {1500}},  {"t0", {3e-6}}, {"PRF", {2000}}};

Fields with(Fields fields, const Field& extra) {
  for (Field& field : fields) {
    if (field.name == extra.name) {
      field = extra;
      return fields;
    }
  }
  fields.push_back(extra);
  return fields;
}

std::filesystem::path write_mat(Sample samples, const Fields& fields, mat_ft version = MAT_FT_MAT5,
                                matio_compression compression = MAT_COMPRESSION_NONE) {
  static const TemporaryFolder folder;
  const auto path = folder.path() / "must.mat";
  std::filesystem::remove(path);
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  mat_complex_split_t split{samples.real.data(), samples.imaginary.data()};
  const bool complex = !samples.imaginary.empty();
  matvar_t* const rf = Mat_VarCreate(
      samples.name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(samples.dims.size()), samples.dims.data(),
      complex ? static_cast<void*>(&split) : samples.real.data(), complex ? MAT_F_COMPLEX : 0);
  Mat_VarWrite(file, rf, compression);
  Mat_VarFree(rf);
  std::vector<const char*> names;
  for (const Field& field : fields) names.push_back(field.name.c_str());
  std::size_t one[2] = {1, 1};
  matvar_t* const param = Mat_VarCreateStruct("param", 2, one, names.data(), static_cast<unsigned>(names.size()));
  for (const Field& field : fields) {
    std::size_t dims[2] = {field.rows, field.values.size() / field.rows};
    Mat_VarSetStructFieldByName(
        param, field.name.c_str(), 0,
        Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, const_cast<double*>(field.values.data()), 0));
  }
  Mat_VarWrite(file, param, compression);
  Mat_VarFree(param);
  Mat_Close(file);
  return path;
}

TEST(Mat, EveryContainerVersionReadsAlike) {
  for (const auto& [version, compression] :
       {std::pair{MAT_FT_MAT5, MAT_COMPRESSION_NONE}, std::pair{MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
        std::pair{MAT_FT_MAT73, MAT_COMPRESSION_NONE}, std::pair{MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}}) {
    const Recording recording = open_recording(write_mat({}, kBasic, version, compression));
    EXPECT_EQ(recording.format, version == MAT_FT_MAT73 ? "MATLAB v7.3 (MUST)" : "MATLAB v5 (MUST)");
    const Acquisition& a = *recording.acquisition;
    EXPECT_EQ(a.sample_type, SampleType::int16);
    EXPECT_EQ(a.n_elements(), 3);
    EXPECT_EQ(a.n_samples, 4);
    EXPECT_EQ(a.frame_rate_hz, 2000.0);
    EXPECT_EQ(a.transmits.at(0).t0_s, 3e-6);
    EXPECT_EQ(sample(recording, 0, 0, 2, 1), 21);
  }
}

TEST(Mat, LinearDelayLawsArePlaneWaves) {
  const double slope = std::sin(0.1) * 0.5e-3 / 1500.0;  // element to element
  const auto transmit = [&](const std::vector<double>& delays, std::size_t rows = 1,
                            std::vector<std::size_t> dims = {4, 3}) {
    Sample samples{.dims = dims};
    samples.real.resize(dims[0] * dims[1] * (dims.size() > 2 ? dims[2] : 1));
    return open_recording(write_mat(samples, with(kBasic, {"TXdelay", delays, rows}))).acquisition->transmits;
  };
  Transmit t = transmit({0, slope, 2 * slope}).at(0);
  EXPECT_EQ(t.kind, TransmitKind::plane);
  EXPECT_NEAR(t.angle_rad, 0.1, 1e-12);
  EXPECT_NEAR(t.t0_s, 3e-6 - slope, 1e-18);  // the wave passes the origin one slope after the first firing
  t = transmit({2 * slope, slope, 0}).at(0);
  EXPECT_NEAR(t.angle_rad, -0.1, 1e-12);
  EXPECT_NEAR(t.t0_s, 3e-6 - slope, 1e-18);
  t = transmit({1e-6, 1e-6, 1e-6}).at(0);
  EXPECT_EQ(t.angle_rad, 0.0);
  EXPECT_NEAR(t.t0_s, 2e-6, 1e-18);
  t = transmit({0, 5e-8, 0}).at(0);
  EXPECT_EQ(t.kind, TransmitKind::delays);
  EXPECT_EQ(t.t0_s, 3e-6);
  t = transmit({NAN, 0, 0}).at(0);
  EXPECT_EQ(t.kind, TransmitKind::delays);
  EXPECT_TRUE(std::isnan(t.element_delays_s.at(0)));
  // Two transmits: one row each, in MATLAB's memory order.
  const auto two = transmit({0, 2 * slope, slope, slope, 2 * slope, 0}, 2, {4, 3, 2});
  EXPECT_NEAR(two.at(0).angle_rad, 0.1, 1e-12);
  EXPECT_NEAR(two.at(1).angle_rad, -0.1, 1e-12);
}

TEST(Mat, DelaysOfATransmitMayBeAColumn) {
  const double slope = std::sin(0.1) * 0.5e-3 / 1500.0;
  Sample samples{.dims = {4, 3, 2}};
  samples.real.resize(24);
  const Field columns{"TXdelay", {0, slope, 2 * slope, 2 * slope, slope, 0}, 3};  // 3 x 2
  const auto transmits = open_recording(write_mat(samples, with(kBasic, columns))).acquisition->transmits;
  ASSERT_EQ(transmits.size(), 2U);
  EXPECT_NEAR(transmits[0].angle_rad, 0.1, 1e-12);
  EXPECT_NEAR(transmits[1].angle_rad, -0.1, 1e-12);
}

// Elements on a bow without a radius: each looks across the line to its neighbours.
TEST(Mat, ElementsOnABowLookApart) {
  const double radius = 0.05, step = 0.01;
  std::vector<double> places;
  for (int e = -1; e <= 1; ++e) places.insert(places.end(), {radius * std::sin(e * step), radius * std::cos(e * step)});
  const Probe probe = open_recording(write_mat({}, with(kBasic, {"elements", places, 2}))).acquisition->probe;
  EXPECT_EQ(probe.kind, ProbeKind::convex);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_NEAR(probe.elements[e].normal_rad, (static_cast<double>(e) - 1.0) * step, 1e-6);
    EXPECT_EQ(probe.elements[e].z_m, places[2 * e + 1]);
  }
}

// RF{k} and TXdelay{k}, the second recording shorter: it ends in zeros.
TEST(Mat, ACellForEachTransmit) {
  const TemporaryFolder folder;
  const double slope = std::sin(0.1) * 0.5e-3 / 1500.0;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    const auto path = folder.path() / "cells.mat";
    std::filesystem::remove(path);
    mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
    const auto numbers = [](std::size_t rows, std::vector<double> values) {
      std::size_t dims[2] = {rows, values.size() / rows};
      return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
    };
    const auto pair = [](const char* name, matvar_t* first, matvar_t* second) {
      std::size_t two[2] = {1, 2};
      matvar_t* const cell = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, two, nullptr, 0);
      Mat_VarSetCell(cell, 0, first);
      Mat_VarSetCell(cell, 1, second);
      return cell;
    };
    matvar_t* const rf = pair("RF", numbers(4, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}),
                              numbers(3, {100, 101, 102, 110, 111, 112, 120, 121, 122}));
    Mat_VarWrite(file, rf, MAT_COMPRESSION_NONE);
    Mat_VarFree(rf);
    std::size_t one[2] = {1, 1};
    const char* const names[] = {"fs", "fc", "pitch", "c", "TXdelay"};
    matvar_t* const param = Mat_VarCreateStruct("param", 2, one, const_cast<const char**>(names), 5);
    for (const auto& [name, value] : {std::pair{"fs", 20e6}, {"fc", 5e6}, {"pitch", 0.5e-3}, {"c", 1500.0}})
      Mat_VarSetStructFieldByName(param, name, 0, numbers(1, {value}));
    Mat_VarSetStructFieldByName(param, "TXdelay", 0,
                                pair(nullptr, numbers(1, {0, slope, 2 * slope}), numbers(1, {2 * slope, slope, 0})));
    Mat_VarWrite(file, param, MAT_COMPRESSION_NONE);
    Mat_VarFree(param);
    Mat_Close(file);
    const Recording r = open_recording(path);
    ASSERT_EQ(r.acquisition->n_transmits(), 2);
    EXPECT_NEAR(r.acquisition->transmits[0].angle_rad, 0.1, 1e-12);
    EXPECT_NEAR(r.acquisition->transmits[1].angle_rad, -0.1, 1e-12);
    EXPECT_EQ(sample(r, 0, 0, 2, 3), 23);
    EXPECT_EQ(sample(r, 0, 1, 2, 1), 121);
    EXPECT_EQ(sample(r, 0, 1, 2, 3), 0);
  }
}

TEST(Mat, IqKeepsItsPhaseWhenTimeZeroMoves) {
  Sample samples{.name = "IQ", .imaginary = std::vector<double>(12, 0.0)};
  samples.real.assign(12, 2.0);
  const double slope = std::sin(0.1) * 0.5e-3 / 1500.0;
  Recording recording = open_recording(write_mat(samples, with(kBasic, {"TXdelay", {0, slope, 2 * slope}})));
  EXPECT_EQ(recording.acquisition->signal, SignalKind::iq);
  EXPECT_EQ(recording.acquisition->demod_hz, 5e6);
  const double phase = 2.0 * std::numbers::pi * 5e6 * slope;
  EXPECT_NEAR(sample(recording, 0, 0, 1, 2, 0), 2.0 * std::cos(phase), 1e-6);
  EXPECT_NEAR(sample(recording, 0, 0, 1, 2, 1), 2.0 * std::sin(phase), 1e-6);
  recording = open_recording(write_mat(samples, with(kBasic, {"TXdelay", {0, 0, 0}}), MAT_FT_MAT73));
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::int16);
  EXPECT_EQ(sample(recording, 0, 0, 1, 2, 0), 2.0);
}

TEST(Mat, ElementsMayCarryZAndOneZeroMeansNoDelays) {
  const auto opened = [&](const Field& extra) { return open_recording(write_mat({}, with(kBasic, extra))); };
  const Field two_rows{"elements", {-1e-3, 0, 0, 0, 2e-3, 0}, 2}, columns{"elements", {-1e-3, 0, 2e-3, 0, 0, 0}, 3};
  for (const Field& elements : {two_rows, columns}) {
    const Probe probe = opened(elements).acquisition->probe;
    EXPECT_EQ(probe.kind, ProbeKind::linear);
    EXPECT_EQ(probe.elements[0].x_m, -1e-3);
    EXPECT_EQ(probe.elements[2].x_m, 2e-3);
    EXPECT_EQ(probe.elements[2].z_m, 0.0);
  }
  // As many elements as coordinates: one column for each element. y (here 7 mm) is not used.
  const Field three{"elements", {-1e-3, 7e-3, 0, 0, 7e-3, 0, 2e-3, 7e-3, 0}, 3};
  EXPECT_EQ(opened(three).acquisition->probe.elements[2].x_m, 2e-3);
  EXPECT_EQ(opened(three).acquisition->probe.elements[2].z_m, 0.0);
  const Transmit transmit = opened({"TXdelay", {0}}).acquisition->transmits.at(0);
  EXPECT_EQ(transmit.kind, TransmitKind::plane);
  EXPECT_EQ(transmit.angle_rad, 0.0);
  EXPECT_EQ(transmit.t0_s, 3e-6);
}

TEST(Mat, RefusesWhatDoesNotFit) {
  const auto line = [&](const Fields& fields, const Sample& samples = {}) {
    return refusal(write_mat(samples, fields));
  };
  EXPECT_TRUE(contains(line({{"fs", {20e6}}}), "RF (4x3 double), param (1x1 struct)"));
  EXPECT_TRUE(contains(line(with(kBasic, {"FS", {20e6, 1}})), "param.fs"));
  EXPECT_TRUE(contains(line(with(kBasic, {"FS", {-1}})), "param.fs"));
  EXPECT_TRUE(contains(line(with(kBasic, {"Nelements", {64}})), "Nelements"));
  EXPECT_TRUE(contains(line(with(kBasic, {"TXdelay", {0, 0}})), "TXdelay"));
  EXPECT_TRUE(contains(line(with(kBasic, {"TXdelay", {1e-6}})), "TXdelay"));
  EXPECT_TRUE(contains(line(with(kBasic, {"elements", {0, 1e-3}})), "param.elements"));
  EXPECT_TRUE(contains(line(with(kBasic, {"elements", {0, 0, 0}})), "at the same or undefined positions"));
  EXPECT_TRUE(contains(line(with(kBasic, {"TXangle", {NAN}})), "param.TXangle with nan"));
  EXPECT_TRUE(contains(line(with(kBasic, {"Pitch", {0}})), "pitch of 0.0"));
  EXPECT_TRUE(contains(line(with(kBasic, {"Pitch", {-1e-3}})), "pitch of -1.0"));
  EXPECT_TRUE(contains(line(with(kBasic, {"TXdelay", {NAN, NAN, NAN}})), "all NaN"));
  EXPECT_TRUE(contains(line(with(kBasic, {"TXangle", {0, 0.1}})), "2 transmits"));
  EXPECT_TRUE(contains(line(with(kBasic, {"radius", {1e-4}})), "radius"));
  EXPECT_TRUE(contains(line(with(kBasic, {"t0", {0, 1}})), "param.t0"));
  EXPECT_TRUE(contains(line(with(kBasic, {"c", {0}})), "param.c = 0.0"));
  EXPECT_TRUE(contains(line(kBasic, {.name = "RF", .dims = {1, 12}}), "RF (1x12 double)"));
}

TEST(Mat, EveryTruncationIsRefused) {
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    expect_every_truncation_refused("t.mat", read_text(write_mat({}, kBasic, MAT_FT_MAT5, compression)));
  }
  expect_every_truncation_refused("t.mat", read_text(write_mat({}, kBasic, MAT_FT_MAT73)), 61);
}

TEST(Mat, HugeDimensionsAreRefusedBeforeMemoryIsTaken) {
  const TemporaryFolder folder;
  const std::string good = read_text(write_mat({}, kBasic));
  const std::size_t dims_at = 128 + 8 + 16 + 8;  // file header, matrix tag, array flags, dimension tag
  ASSERT_EQ(good[dims_at], 4);
  ASSERT_EQ(good[dims_at + 4], 3);
  for (const std::uint32_t huge : {0x7fffffffU, 0xffffffffU, 0x80000000U, 0x00ffffffU}) {
    std::string bad = good;
    for (std::size_t k = 0; k < 8; ++k) bad[dims_at + k] = static_cast<char>((huge >> (8 * (k % 4))) & 0xff);
    EXPECT_NE(refusal(folder.write("huge.mat", bad)), "") << huge;
  }
}

// Of what is compressed, zlib's checksum leaves none but bits without a meaning to change unseen.
TEST(Mat, AnyChangedByteIsRefusedOrHarmless) {
  const TemporaryFolder folder;
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const std::string good = read_text(write_mat({}, kBasic, MAT_FT_MAT5, compression));
    const double sum = frame_sum(open_recording(folder.write("good.mat", good)), 0);
    for (std::size_t at = 124; at < good.size(); at += kEveryNth) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ flip);
        try {
          const Recording recording = open_recording(folder.write("bad.mat", bad));
          if (compression == MAT_COMPRESSION_ZLIB && at >= 136) {
            EXPECT_EQ(frame_sum(recording, 0), sum) << at;
          }
        } catch (const Error&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace echoloop::mat_test
