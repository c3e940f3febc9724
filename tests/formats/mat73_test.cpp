// MATLAB v7.3 files as other programs than MATLAB and matio write them, made here with HDF5 itself.
#include <hdf5.h>

#include <fstream>

#include "formats/support.h"

namespace echoloop::mat73_test {
namespace {

using namespace test;

void set_class(hid_t object, const std::string& name, H5T_str_t padding) {
  if (name.empty()) return;
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, name.size() + (padding == H5T_STR_NULLTERM ? 1 : 0));
  H5Tset_strpad(type, padding);
  const hid_t attribute = H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, name.c_str());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

// A v7.3 file: the user block that MATLAB writes, and what the test puts behind it. No MATLAB_fields anywhere.
class Mat73File {
 public:
  explicit Mat73File(std::filesystem::path path, H5T_str_t padding = H5T_STR_NULLPAD)
      : path_(std::move(path)), padding_(padding) {
    const hid_t plan = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(plan, 512);
    file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, plan, H5P_DEFAULT);
    H5Pclose(plan);
    param_ = H5Gcreate2(file_, "param", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    set_class(param_, "struct", padding_);
  }
  void put(hid_t group, const char* name, const std::vector<hsize_t>& dims, hid_t type, const void* values,
           const char* matlab_class = "double", bool gzip = false) const {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (gzip) {
      std::vector<hsize_t> chunk = dims;
      if (dims.size() > 2) chunk[0] = 1;
      H5Pset_chunk(plan, static_cast<int>(dims.size()), chunk.data());
      H5Pset_deflate(plan, 6);
    }
    const hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    set_class(dataset, matlab_class, padding_);
    H5Dclose(dataset);
    H5Pclose(plan);
    H5Sclose(space);
  }
  void field(const char* name, double value) const { put(param_, name, {1, 1}, H5T_NATIVE_DOUBLE, &value); }
  void basic_fields() const {
    field("fs", 20e6), field("fc", 5e6), field("pitch", 0.5e-3), field("c", 1500), field("t0", 3e-6);
  }
  [[nodiscard]] hid_t root() const { return file_; }
  [[nodiscard]] hid_t param() const { return param_; }
  std::filesystem::path close() {
    H5Gclose(param_);
    H5Fclose(file_);
    std::string header = "MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024";
    header.resize(124, ' ');
    header += std::string("\x00\x02IM", 4);
    std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << header;
    return path_;
  }

 private:
  std::filesystem::path path_;
  H5T_str_t padding_;
  hid_t file_ = -1, param_ = -1;
};

const std::vector<std::int16_t> kSamples = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};  // 4 times of 3 elements

TEST(Mat73, ClassesOfAnyPaddingAndStructsWithoutAListOfFields) {
  const TemporaryFolder folder;
  for (const H5T_str_t padding : {H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD}) {
    for (const char* const rf_class : {"int16", "double", ""}) {
      Mat73File file(folder.path() / "p.mat", padding);
      file.put(file.root(), "RF", {3, 4}, H5T_NATIVE_INT16, kSamples.data(), rf_class, true);
      file.basic_fields();
      const std::int32_t prf = 2000;
      file.put(file.param(), "PRF", {1, 1}, H5T_NATIVE_INT32, &prf, "int32");
      const std::uint16_t note[2] = {'h', 'i'};
      file.put(file.param(), "Nelements", {2, 1}, H5T_NATIVE_UINT16, note, "char");  // no number: left out
      const Recording recording = open_recording(file.close());
      EXPECT_EQ(recording.format, "MATLAB v7.3 (MUST)");
      EXPECT_EQ(recording.acquisition->frame_rate_hz, 2000.0);
      EXPECT_EQ(recording.acquisition->transmits.at(0).t0_s, 3e-6);
      EXPECT_EQ(recording.acquisition->sound_speed_m_s, 1500.0);
      EXPECT_EQ(recording.acquisition->sample_type, SampleType::int16);
      EXPECT_EQ(sample(recording, 0, 0, 2, 1), 21);
    }
  }
}

TEST(Mat73, FramesOfALargeArrayAreReadWhenTheyAreWanted) {
  constexpr int kFrames = 10, kElements = 128, kTimes = 8192;
  const auto value_at = [](int frame, int element, int time) {
    return static_cast<std::int16_t>(1000 * frame + 3 * element + time % 16);
  };
  std::vector<std::int16_t> values;
  for (int f = 0; f < kFrames; ++f)
    for (int e = 0; e < kElements; ++e)
      for (int i = 0; i < kTimes; ++i) values.push_back(value_at(f, e, i));
  const TemporaryFolder folder;
  Mat73File file(folder.path() / "large.mat");
  file.put(file.root(), "RF", {kFrames, kElements, kTimes}, H5T_NATIVE_INT16, values.data(), "int16", true);
  file.basic_fields();
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(recording.format, "MATLAB v7.3 (MUST)");
  EXPECT_EQ(recording.frame_count, static_cast<std::uint64_t>(kFrames));
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::int16);
  EXPECT_EQ(recording.acquisition->transmits.at(0).t0_s, 3e-6);
  ASSERT_NE(recording.reader, nullptr) << "the file was read whole";
  for (const int frame : {9, 0, 4})
    EXPECT_EQ(sample(recording, static_cast<std::uint64_t>(frame), 0, 100, 77), value_at(frame, 100, 77)) << frame;
}

TEST(Mat73, ComplexNumbersOfEitherNaming) {
  const TemporaryFolder folder;
  for (const auto& [real, imaginary] : {std::pair{"real", "imag"}, std::pair{"r", "i"}}) {
    Mat73File file(folder.path() / "c.mat");
    std::vector<float> values;
    for (const std::int16_t value : kSamples) values.insert(values.end(), {static_cast<float>(value), 0.5F});
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, real, 0, H5T_NATIVE_FLOAT);
    H5Tinsert(type, imaginary, 4, H5T_NATIVE_FLOAT);
    file.put(file.root(), "IQ", {3, 4}, type, values.data(), "single");
    H5Tclose(type);
    file.basic_fields();
    const Recording recording = open_recording(file.close());
    EXPECT_EQ(recording.acquisition->signal, SignalKind::iq);
    EXPECT_EQ(sample(recording, 0, 0, 1, 2, 0), 12);
    EXPECT_EQ(sample(recording, 0, 0, 1, 2, 1), 0.5);
  }
}

// A cell as MATLAB keeps it: references into #refs#, and a class that need not be closed by a NUL.
TEST(Mat73, CellsByReference) {
  const TemporaryFolder folder;
  const auto with_targets = [&](const std::vector<const char*>& targets) {
    Mat73File file(folder.path() / "r.mat");
    file.basic_fields();
    const double angles[2] = {-0.1, 0.1};
    file.put(file.param(), "TXangle", {2, 1}, H5T_NATIVE_DOUBLE, angles);
    const hid_t refs = H5Gcreate2(file.root(), "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    file.put(refs, "a", {3, 4}, H5T_NATIVE_INT16, kSamples.data(), "int16");
    std::vector<std::int16_t> more = kSamples;
    for (std::int16_t& value : more) value = static_cast<std::int16_t>(value + 100);
    file.put(refs, "b", {3, 4}, H5T_NATIVE_INT16, more.data(), "int16");
    H5Gclose(refs);
    std::vector<hobj_ref_t> references(targets.size(), 0);
    file.put(file.root(), "RF", {targets.size(), 1}, H5T_STD_REF_OBJ, references.data(), "cell");
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (*targets[k] != '\0') H5Rcreate(&references[k], file.root(), targets[k], H5R_OBJECT, -1);
    }
    const hid_t cell = H5Dopen2(file.root(), "RF", H5P_DEFAULT);
    H5Dwrite(cell, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data());
    H5Dclose(cell);
    return file.close();
  };
  const Recording recording = open_recording(with_targets({"/#refs#/a", "/#refs#/b"}));
  EXPECT_EQ(recording.acquisition->n_transmits(), 2);
  EXPECT_EQ(sample(recording, 0, 0, 2, 1), 21);
  EXPECT_EQ(sample(recording, 0, 1, 2, 1), 121);
  EXPECT_TRUE(contains(refusal(with_targets({"/#refs#/a", ""})), "cell 2"));
  EXPECT_TRUE(contains(refusal(with_targets({"/RF", "/RF"})), "nested deeper"));
  EXPECT_TRUE(contains(refusal(with_targets({"/", "/#refs#/a"})), "nested deeper"));
  EXPECT_TRUE(contains(refusal(with_targets({"/#refs#/a", "/param"})), "cell 2"));
}

TEST(Mat73, FollowsNoLinkAndNoDataOutOfTheFile) {
  const TemporaryFolder folder;
  Mat73File other(folder.path() / "other.mat");
  other.put(other.root(), "RF", {3, 4}, H5T_NATIVE_INT16, kSamples.data());
  other.basic_fields();
  const auto target = other.close();
  ASSERT_EQ(open_recording(target).frame_count, 1U);
  Mat73File linked(folder.path() / "linked.mat");
  linked.basic_fields();
  H5Lcreate_external(target.c_str(), "/RF", linked.root(), "RF", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/param/fs", linked.root(), "IQ", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_TRUE(contains(refusal(linked.close()), "with param (1x1 struct)"));
  Mat73File outside(folder.path() / "outside.mat");
  outside.basic_fields();
  const hsize_t dims[2] = {3, 4};
  const hid_t space = H5Screate_simple(2, dims, nullptr), plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plan, target.c_str(), 0, 24);
  H5Dclose(H5Dcreate2(outside.root(), "RF", H5T_NATIVE_INT16, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Pclose(plan);
  H5Sclose(space);
  EXPECT_TRUE(contains(refusal(outside.close()), "in another file"));
}

TEST(Mat73, HugeShapesAreRefusedBeforeMemoryIsTaken) {
  const TemporaryFolder folder;
  for (const hsize_t n : {hsize_t{1} << 20, hsize_t{1} << 31, hsize_t{1} << 40}) {
    Mat73File file(folder.path() / "h.mat");
    file.basic_fields();
    const hsize_t dims[2] = {n, n >> 8}, chunk[2] = {16, 16};
    const hid_t space = H5Screate_simple(2, dims, nullptr), plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, 2, chunk);
    H5Dclose(H5Dcreate2(file.root(), "RF", H5T_NATIVE_INT16, space, H5P_DEFAULT, plan, H5P_DEFAULT));
    H5Pclose(plan);
    H5Sclose(space);
    EXPECT_TRUE(contains(refusal(file.close()), "an array of shape")) << n;
  }
}

}  // namespace
}  // namespace echoloop::mat73_test
