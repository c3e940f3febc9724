// What a reader process may take: memory by the size of the file, and the first place when memory runs out. Files that
// asked for gigabytes are refused in one line.
#include <gtest/gtest.h>
#include <sys/types.h>

#include <fstream>

#include "formats/base/format_table.h"
#include "formats/fake_reader.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::reader_memory_test {
namespace {

using namespace test;

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

TEST(ReaderMemory, IsLimitedByTheSizeOfTheFile) {
#if defined(ECHO_SANITIZED)
  GTEST_SKIP() << "a sanitizer's shadow takes terabytes of addresses: no limit";
#endif
  const FakeReader fake;
  EXPECT_TRUE(contains(refusal(fake.file("takes-memory")), "needs more memory than the reader process may allocate ("));
}

TEST(ReaderMemory, IsTakenFromTheReaderFirst) {
  const FakeReader fake;
  reader_settings().memory_budget = 10'000;
  const Recording recording = open_recording(fake.file("streamed"));
  const std::vector<pid_t> readers = children();
  ASSERT_EQ(readers.size(), 1U);
  std::ifstream file("/proc/" + std::to_string(readers[0]) + "/oom_score_adj");
  int score = 0;
  file >> score;
  EXPECT_EQ(score, 1000);
}

// A MATLAB v5 file of one variable: its flags, dimensions, name and numbers as pairs of a tag and data.
std::string mat5_file(const std::vector<std::uint32_t>& name_tag, std::uint32_t number_type = 9) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  header += packed(std::vector<std::uint16_t>{0x0100, 0x4d49});
  std::vector<std::uint32_t> words = {6, 8, 6, 0, 5, 8, 2, 2};
  words.insert(words.end(), name_tag.begin(), name_tag.end());
  words.insert(words.end(), {number_type, 32, 0, 0, 0, 0, 0, 0, 0, 0});
  return header + packed(std::vector<std::uint32_t>{14, static_cast<std::uint32_t>(4 * words.size())}) + packed(words);
}

TEST(ReaderMemory, NamesAndTypesOfMatlabVariablesAreCheckedFirst) {
  const TemporaryFolder folder;
  const double begin_s = computing_time_s();
  const std::string as_it_should_be = refusal(folder.write("good.mat", mat5_file({1, 2, 0x4652, 0})));
  EXPECT_TRUE(contains(as_it_should_be, "a MATLAB file with RF (2x2 double)"));
  const struct {
    const char* file;
    std::string content;
    const char* naming;
  } kBad[] = {
      {"name2G.mat", mat5_file({1, 0x7f00'0000, 0x4652, 0}), "longer than the variable"},
      {"name5000.mat", mat5_file({1, 5000, 0x4652, 0}) + std::string(8192, 'x'), "longer than the variable"},
      {"name_of_doubles.mat", mat5_file({9, 8, 0x4652, 0}), "a name of 8 bytes"},
      {"numbers_of_matrices.mat", mat5_file({1, 2, 0x4652, 0}, 14), "numbers of type 14"},
      {"few_numbers.mat", mat5_file({1, 2, 0x4652, 0, 9, 16, 0, 0, 0, 0}), "declares 4 numbers in 16 bytes"},
  };
  for (const auto& bad : kBad) {
    const std::string line = refusal(folder.write(bad.file, bad.content));
    EXPECT_TRUE(contains(line, bad.naming));
  }
  EXPECT_LT(computing_time_s() - begin_s, 8.0);
}

// Files that took 2 and 4 GB, and one that is no damaged file at all.
TEST(ReaderMemory, FilesThatDidHarm) {
#if defined(ECHO_SANITIZED)
  GTEST_SKIP() << "a sanitizer's shadow takes terabytes of addresses: no limit";
#endif
  ECHO_NEED_DATA("");
  const std::filesystem::path folder = testing::data_folder() / "hostile";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const double begin_s = computing_time_s();
  EXPECT_NE(refusal(folder / "name2G.mat"), "");
  EXPECT_TRUE(contains(refusal(folder / "onebyte_4GB.h5"), "a damaged or truncated HDF5 file"));
  EXPECT_LT(computing_time_s() - begin_s, 8.0);
  EXPECT_NO_THROW(open_recording((folder / "valid_newer_hdf5.h5").string()));  // in the layout of HDF5 2.0
}

std::uint64_t bytes_read_so_far() {
  std::ifstream file("/proc/self/io");
  std::string key;
  std::uint64_t value = 0;
  file >> key >> value;
  return value;
}

// A compressed chunk that holds all frames, and is larger than the library's usual cache.
TEST(ReaderMemory, AChunkOfManyFramesIsUnpackedOnce) {
  constexpr hsize_t kFrames = 12, kSamples = 300'000;
  const std::vector<hsize_t> dims = {kFrames, 3, 4, kSamples};
  Hdf5Fixture file("one_chunk.hdf5");
  write_picmus(file);
  const std::string path = "US/US_DATASET0000/data/real";
  file.empty(path, dims, {.type = H5T_STD_I16LE, .chunk = dims, .deflate = 1});
  {
    const hid_t data = H5Dopen2(file.file(), path.c_str(), H5P_DEFAULT), space = H5Dget_space(data);
    const hsize_t at[] = {kFrames - 1, 2, 3, kSamples - 1};
    const short value = 7;
    H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
    const hid_t one = H5Screate(H5S_SCALAR);
    ASSERT_GE(H5Dwrite(data, H5T_NATIVE_SHORT, one, space, H5P_DEFAULT, &value), 0);
    H5Sclose(one), H5Sclose(space), H5Dclose(data);
  }
  const std::filesystem::path written = file.close();
  const OpenRequest request{
      .path = written, .file = MappedFile::open(written), .path_to_open = written, .progress = {}, .stop = {}};
  const LibraryRecording recording = open_library_recording(request);
  ASSERT_EQ(recording.frame_count, kFrames);
  std::vector<std::byte> frame(recording.acquisition->frame_bytes());
  recording.read_frame(0, frame);
  const std::uint64_t before = bytes_read_so_far();
  for (std::uint64_t k = 1; k < kFrames; ++k) recording.read_frame(k, frame);
  EXPECT_EQ(reinterpret_cast<const short*>(frame.data())[frame.size() / 2 - 1], 7);
  EXPECT_LT(bytes_read_so_far() - before, std::filesystem::file_size(written));
}

}  // namespace
}  // namespace echoloop::reader_memory_test
