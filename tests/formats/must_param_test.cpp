// Where scripts leave what describes a MUST recording: beside the struct, in one struct a transmit, in no struct at
// all.
#include <gtest/gtest.h>
#include <matio.h>

#include <cmath>
#include <functional>

#include "formats/support.h"

namespace echoloop::must_param_test {
namespace {

using namespace test;

const double kSlope_s = std::sin(0.1) * 0.5e-3 / 1500.0;  // between neighbours, of a wave at 0.1 rad
constexpr double kLater_s = 2e-6;                         // first sample of the second transmit

matvar_t* numbers(const char* name, std::size_t rows, std::vector<double> values) {
  std::size_t dims[2] = {rows, values.size() / rows};
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
}

std::vector<double> law(std::size_t k) {
  return k == 0 ? std::vector<double>{0, kSlope_s, 2 * kSlope_s} : std::vector<double>{2 * kSlope_s, kSlope_s, 0};
}

matvar_t* delays(const char* name) {  // one row a transmit
  return numbers(name, 2, {0, 2 * kSlope_s, kSlope_s, kSlope_s, 2 * kSlope_s, 0});
}

matvar_t* cell_of(const char* name, const std::function<matvar_t*(std::size_t)>& make) {
  std::size_t two[2] = {2, 1};
  matvar_t* const cell = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, two, nullptr, 0);
  for (std::size_t k = 0; k < 2; ++k) Mat_VarSetCell(cell, static_cast<int>(k), make(k));
  return cell;
}

const char* const kNames[] = {"fs", "fc", "pitch", "c", "t0", "TXdelay"};

// n = 1: without delays; 2: one a transmit, each with its delays and first sample.
matvar_t* structs(const char* name, std::size_t first, std::size_t n) {
  std::size_t dims[2] = {1, n};
  const bool each = n == 2 || name == nullptr;
  matvar_t* const made = Mat_VarCreateStruct(name, 2, dims, const_cast<const char**>(kNames), each ? 6 : 4);
  for (std::size_t k = 0; k < n; ++k) {
    for (const auto& [field, value] : {std::pair{"fs", 20e6}, {"fc", 5e6}, {"pitch", 0.5e-3}, {"c", 1500.0}})
      Mat_VarSetStructFieldByName(made, field, k, numbers(nullptr, 1, {value}));
    if (!each) continue;
    Mat_VarSetStructFieldByName(made, "t0", k, numbers(nullptr, 1, {first + k == 0 ? 0.0 : kLater_s}));
    Mat_VarSetStructFieldByName(made, "TXdelay", k, numbers(nullptr, 1, law(first + k)));
  }
  return made;
}

std::filesystem::path write(mat_ft version, const std::vector<matvar_t*>& variables) {
  static const TemporaryFolder folder;
  const auto path = folder.path() / "must.mat";
  std::filesystem::remove(path);
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  std::vector<double> samples(24);
  for (std::size_t k = 0; k < 24; ++k) samples[k] = static_cast<double>(k);
  std::size_t dims[3] = {4, 3, 2};
  std::vector<matvar_t*> all = variables;
  all.insert(all.begin(), Mat_VarCreate("RF", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, samples.data(), 0));
  for (matvar_t* const variable : all) {
    Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return path;
}

void expect_two_waves(const Recording& r, double later_s) {
  ASSERT_EQ(r.acquisition->n_transmits(), 2);
  EXPECT_EQ(r.frame_count, 1U);
  const auto& t = r.acquisition->transmits;
  EXPECT_NEAR(t[0].angle_rad, 0.1, 1e-12);
  EXPECT_NEAR(t[1].angle_rad, -0.1, 1e-12);
  EXPECT_NEAR(t[0].t0_s, -kSlope_s, 1e-12);
  EXPECT_NEAR(t[1].t0_s, later_s - kSlope_s, 1e-12);
  EXPECT_EQ(sample(r, 0, 1, 2, 3), 23.0);
}

TEST(MustParam, DelaysBesideTheStruct) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    for (const char* const name : {"txdel", "TXdelay"}) {
      expect_two_waves(open_recording(write(version, {structs("param", 0, 1), delays(name)})), 0.0);
      matvar_t* const cell = cell_of(name, [](std::size_t k) { return numbers(nullptr, 1, law(k)); });
      expect_two_waves(open_recording(write(version, {structs("param", 0, 1), cell})), 0.0);
    }
  }
}

TEST(MustParam, OneStructForEachTransmit) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    expect_two_waves(open_recording(write(version, {structs("param", 0, 2)})), kLater_s);
    matvar_t* const cell = cell_of("param", [](std::size_t k) { return structs(nullptr, k, 1); });
    expect_two_waves(open_recording(write(version, {cell})), kLater_s);
    matvar_t* const other =
        cell_of("parameters", [](std::size_t k) { return numbers(nullptr, 1, {static_cast<double>(k)}); });
    expect_two_waves(open_recording(write(version, {other, structs("p", 0, 2)})), kLater_s);
  }
}

// Names are looked for then; here there are too few samples.
TEST(MustParam, ACellOfNumbersDescribesNothing) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    matvar_t* const cell =
        cell_of("param", [](std::size_t k) { return numbers(nullptr, 1, {static_cast<double>(k)}); });
    const std::string text = refusal(write(version, {cell}));
    EXPECT_TRUE(contains(text, "a cell param without a struct; expected a struct with fs and pitch"));
  }
}

TEST(MustParam, VariablesOfTheirOwn) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    expect_two_waves(
        open_recording(write(version, {numbers("fs", 1, {20e6}), numbers("fc", 1, {5e6}), numbers("pitch", 1, {0.5e-3}),
                                       numbers("c", 1, {1500.0}), delays("txdel")})),
        0.0);
  }
}

// Else the angles would be shown as frames of a wave that nobody sent.
TEST(MustParam, AnglesWithoutDelaysAreNotGuessed) {
  for (const char* const name : {"tilt", "TXangle"}) {
    const std::string line = refusal(write(MAT_FT_MAT5, {structs("param", 0, 1), numbers(name, 1, {-0.1, 0.1})}));
    EXPECT_TRUE(contains(line, std::string("(1, 2) values of ") + name + ", but no transmit delays"));
  }
  EXPECT_EQ(open_recording(write(MAT_FT_MAT5, {structs("param", 0, 1), numbers("tilt", 1, {0.1})})).frame_count,
            2U);  // the angles of something else
}

// As many as there are, and what else may be sent: nothing of it is passed over.
TEST(MustParam, OtherListsOfTransmitsAreNotGuessed) {
  const auto refused = [&](matvar_t* list) {
    const std::string line = refusal(write(MAT_FT_MAT5, {structs("param", 0, 1), list}));
    return line.find("but no transmit delays") != std::string::npos;
  };
  EXPECT_TRUE(refused(numbers("angles", 1, {-0.1, 0.0, 0.1})));
  EXPECT_TRUE(refused(numbers("virtual_source", 2, {-1e-3, 1e-3, -5e-3, -5e-3})));
  EXPECT_TRUE(refused(numbers("foci", 5, std::vector<double>(10, 0.02))));
  const std::string loose =
      refusal(write(MAT_FT_MAT5, {numbers("fs", 1, {20e6}), numbers("fc", 1, {5e6}), numbers("pitch", 1, {0.5e-3})}));
  EXPECT_TRUE(contains(loose, "without transmit delays"));
}

}  // namespace
}  // namespace echoloop::must_param_test
