// Channel data of MATLAB files in lists: a cell a transmit, an array of structs, cells of structs; each with a name and
// an angle of its own. Written with matio.
#include <matio.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "formats/support.h"

namespace echoloop::matlab_lists_test {
namespace {

using namespace test;

constexpr std::size_t kTransmits = 3, kElements = 16, kSamples = 256;
constexpr double kAngles[kTransmits] = {-0.1, 0.0, 0.1};

double value_of(std::size_t t, std::size_t e, std::size_t i) {
  return 1000.0 * static_cast<double>(t) + 10.0 * static_cast<double>(e) + static_cast<double>(i % 7) + 1.0;
}

matvar_t* number(const char* name, double value) {
  std::size_t dims[2] = {1, 1};
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &value, 0);
}

matvar_t* samples_of(std::size_t t) {
  std::size_t dims[2] = {kSamples, kElements};
  std::vector<double> values;
  for (std::size_t e = 0; e < kElements; ++e)
    for (std::size_t i = 0; i < kSamples; ++i) values.push_back(value_of(t, e, i));
  return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
}

matvar_t* angles() {
  std::size_t dims[2] = {1, kTransmits};
  std::vector<double> values(std::begin(kAngles), std::end(kAngles));
  return Mat_VarCreate("angles", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
}

matvar_t* structure(const char* name, std::size_t n, std::vector<const char*> fields) {
  std::size_t dims[2] = {1, n};
  return Mat_VarCreateStruct(name, 2, dims, fields.data(), static_cast<unsigned>(fields.size()));
}

matvar_t* cells(const char* name) {
  std::size_t dims[2] = {1, kTransmits};
  return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
}

matvar_t* structs_of_transmits(const char* name) {
  matvar_t* const tx = structure(name, kTransmits, {"angle", "rf"});
  for (std::size_t t = 0; t < kTransmits; ++t) {
    Mat_VarSetStructFieldByName(tx, "angle", t, number(nullptr, kAngles[t]));
    Mat_VarSetStructFieldByName(tx, "rf", t, samples_of(t));
  }
  return tx;
}

matvar_t* cells_of_structs(const char* name) {
  matvar_t* const tx = cells(name);
  for (std::size_t t = 0; t < kTransmits; ++t) {
    matvar_t* const one = structure(nullptr, 1, {"angle", "rf"});
    Mat_VarSetStructFieldByName(one, "angle", 0, number(nullptr, kAngles[t]));
    Mat_VarSetStructFieldByName(one, "rf", 0, samples_of(t));
    Mat_VarSetCell(tx, static_cast<int>(t), one);
  }
  return tx;
}

matvar_t* struct_with_cells(const char* name) {
  matvar_t* const acq = structure(name, 1, {"echoes", "angles"});
  matvar_t* const list = cells(nullptr);
  for (std::size_t t = 0; t < kTransmits; ++t) Mat_VarSetCell(list, static_cast<int>(t), samples_of(t));
  Mat_VarSetStructFieldByName(acq, "echoes", 0, list);
  Mat_VarSetStructFieldByName(acq, "angles", 0, angles());
  return acq;
}

std::filesystem::path write(mat_ft version, matvar_t* list) {
  static const TemporaryFolder folder;
  const auto path = folder.path() / "a.mat";
  std::filesystem::remove(path);
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  for (matvar_t* const v :
       {list, number("fs", 20e6), number("f0", 5e6), number("pitch", 0.3e-3), number("c", 1500.0)}) {
    Mat_VarWrite(file, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
  }
  Mat_Close(file);
  return path;
}

struct Case {
  const char* name;
  mat_ft version;
  matvar_t* (*make)(const char* name);
};
class MatlabLists : public ::testing::TestWithParam<Case> {};

TEST_P(MatlabLists, AreTransmits) {
  const Recording recording = open_recording(write(GetParam().version, GetParam().make("acq")));
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.frame_count, 1U);
  ASSERT_EQ(a.n_transmits(), static_cast<int>(kTransmits));
  ASSERT_EQ(a.n_elements(), static_cast<int>(kElements));
  for (std::size_t t = 0; t < kTransmits; ++t) {
    EXPECT_DOUBLE_EQ(a.transmits[t].angle_rad, kAngles[t]);
    for (const std::size_t e : {std::size_t{0}, std::size_t{5}, kElements - 1})
      EXPECT_EQ(sample(recording, 0, static_cast<int>(t), static_cast<int>(e), 12), value_of(t, e, 12))
          << t << " " << e;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, MatlabLists,
                         ::testing::Values(Case{"Structs", MAT_FT_MAT5, structs_of_transmits},
                                           Case{"CellsOfStructs", MAT_FT_MAT5, cells_of_structs},
                                           Case{"StructWithCells", MAT_FT_MAT5, struct_with_cells},
                                           Case{"StructWithCells73", MAT_FT_MAT73, struct_with_cells}),
                         [](const auto& info) { return std::string(info.param.name); });

// RF with angles that MUST does not know: they say which axis is which, in every order.
std::filesystem::path write_rf(mat_ft version, const std::array<std::size_t, 3>& order) {
  static const TemporaryFolder folder;
  const auto path = folder.path() / "b.mat";
  std::filesystem::remove(path);
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  const std::array<std::size_t, 3> lengths{kTransmits, kElements, kSamples};
  std::size_t dims[3] = {lengths[order[0]], lengths[order[1]], lengths[order[2]]};
  std::vector<double> values;
  for (std::size_t k = 0; k < kTransmits * kElements * kSamples; ++k) {
    std::array<std::size_t, 3> at{};
    at[order[0]] = k % dims[0], at[order[1]] = k / dims[0] % dims[1], at[order[2]] = k / dims[0] / dims[1];
    values.push_back(value_of(at[0], at[1], at[2]));
  }
  matvar_t* const rf = Mat_VarCreate("RF", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values.data(), 0);
  for (matvar_t* const v : {rf, angles(), number("fs", 20e6), number("fc", 5e6), number("pitch", 0.3e-3)}) {
    Mat_VarWrite(file, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
  }
  Mat_Close(file);
  return path;
}

TEST(MatlabLists, LooseAnglesBesideRfAreNoFrames) {
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
      const Recording recording = open_recording(write_rf(version, order));
      EXPECT_EQ(recording.frame_count, 1U);
      ASSERT_EQ(recording.acquisition->n_transmits(), static_cast<int>(kTransmits));
      ASSERT_EQ(recording.acquisition->n_elements(), static_cast<int>(kElements));
      EXPECT_EQ(sample(recording, 0, 2, 3, 5), value_of(2, 3, 5));
    } while (std::ranges::next_permutation(order).found);
  }
}

}  // namespace
}  // namespace echoloop::matlab_lists_test
