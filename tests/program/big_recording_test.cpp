// A recording far bigger than memory, on the built program: opens at once, plays, and takes little memory. And what the
// viewer does when a file is too much for its reader.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program/run_program.h"
#include "support/npy_file.h"

namespace echoloop::big_recording_test {
namespace {

using namespace testing;

constexpr long kHistoryMb = 100;
constexpr long kMostMb = kHistoryMb + 500;
constexpr std::size_t kFrames = 5000, kElements = 64, kSamples = 32768;  // 4 MiB of int16 a frame, 20 GiB in all

// 20 GB of zeros that take no room on disk.
std::string sparse_recording(const TemporaryFolder& folder) {
  const std::string path = (folder / "long.npy").string();
  const std::string head =
      npy("<i2", false,
          "(" + std::to_string(kFrames) + ", " + std::to_string(kElements) + ", " + std::to_string(kSamples) + ")", "");
  testing::write_text_file(path, head);
  std::filesystem::resize_file(path, head.size() + kFrames * kElements * kSamples * 2);
  const nlohmann::json sidecar = {{"axes", {"frame", "element", "time"}},
                                  {"t_zero", "origin"},
                                  {"fs_hz", 200e6},
                                  {"fc_hz", 5e6},
                                  {"c_m_s", 1540.0},
                                  {"t0_s", 0.0},
                                  {"pitch_m", 0.3e-3},
                                  {"tx", {{{"kind", "plane"}, {"angle_rad", 0.0}}}}};
  testing::write_text_file((folder / "long.json").string(), sidecar.dump());
  return path;
}

#if defined(ECHO_SANITIZED)
constexpr double kInfoLimit_s = 4.0;
#else
constexpr double kInfoLimit_s = 1.0;
#endif

void expect_at_once_and_in_little_memory(const std::string& path, int frames) {
  const Ended info = run_program({"info", path});
  ASSERT_EQ(info.status, 0) << info.err;
  EXPECT_NE(info.out.find("frames        5000"), std::string::npos) << info.out;
  EXPECT_LT(info.cpu_seconds, kInfoLimit_s);  // who reads all of it takes longer
  const Ended played =
      run_program({path, "--headless", "--backend", "cpu", "--frames", std::to_string(frames), "--rate", "max",
                   "--grid", "-5:5:8,5:20:16", "--history-mb", std::to_string(kHistoryMb)});
  EXPECT_EQ(played.status, 0) << played.err;
#if !defined(ECHO_SANITIZED)  // their own memory is not ours
  EXPECT_LT(played.peak_kb / 1024, kMostMb);
#endif
}

TEST(BigRecording, OpensAtOnceAndPlaysInLittleMemory) {
  const TemporaryFolder folder;
  expect_at_once_and_in_little_memory(sparse_recording(folder), 250);
}

// 20 GB of UFF, a short recording's description beside samples that take no room on disk. `chunk_elements` 0: in one
// piece; else in chunks of so many elements of one frame.
std::string sparse_uff(const TemporaryFolder& folder, hsize_t chunk_elements) {
  constexpr hsize_t kShape[4] = {kFrames, 3, 64, 10923};  // what the phantom has, but for the samples: 4 MiB a frame
  const std::string base = (folder / "base.uff").string(), path = (folder / "long.uff").string();
  const Ended recorded =
      run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "2", "--rate", "max", "--record", base});
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  const hid_t from = H5Fopen(base.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Ocopy(from, "channel_data", file, "channel_data", H5P_DEFAULT, H5P_DEFAULT);
  H5Ldelete(file, "channel_data/data", H5P_DEFAULT);
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, kShape, nullptr);
  const hsize_t chunk[4] = {1, kShape[1], chunk_elements, kShape[3]};
  if (chunk_elements > 0) H5Pset_chunk(plan, 4, chunk);
  H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER);
  H5Dclose(H5Dcreate2(file, "channel_data/data", H5T_STD_I16LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(plan);
  H5Fclose(file);
  H5Fclose(from);
  return path;
}

TEST(BigRecording, InHdf5InOnePieceOpensAtOnceToo) {
  const TemporaryFolder folder;
  expect_at_once_and_in_little_memory(sparse_uff(folder, 0), 60);
}

TEST(BigRecording, InHdf5InWholeFramesOpensAtOnceToo) {
  const TemporaryFolder folder;
  expect_at_once_and_in_little_memory(sparse_uff(folder, 64), 60);
}

// 40 000 chunks: read, not mapped.
TEST(BigRecording, InHdf5InSmallChunksOpensAtOnceToo) {
  const TemporaryFolder folder;
  expect_at_once_and_in_little_memory(sparse_uff(folder, 8), 60);
}

// The built program is its own reader process: what fails there is one line here.
TEST(BigRecording, DamagedLibraryFilesAreOneLine) {
  const TemporaryFolder folder;
  const std::string path = (folder / "damaged.mat").string();
  testing::write_text_file(path, "MATLAB 5.0 MAT-file" + std::string(300, ' '));
  const Ended ended = run_program({path, "--headless"});
  EXPECT_EQ(ended.status, 2);
  ASSERT_EQ(testing::complaints_of(ended).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find("damaged.mat"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace echoloop::big_recording_test
