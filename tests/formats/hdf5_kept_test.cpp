// Compressed samples of more than a few MB are unpacked chunk by chunk, when a frame is wanted first, and kept then.
#include <sys/mman.h>

#include <fstream>

#include "formats/hdf5_fixture.h"
#include "formats/sandbox/reader_child.h"
#include "formats/verasonics_fixture.h"

namespace echoloop::hdf5_kept_test {
namespace {

using namespace test;

using testing::refusal_of;

constexpr Extents kExtents{.frames = 40, .transmits = 3, .elements = 16, .samples = 256};
constexpr std::size_t kPage = 4096;

class KeptFrames : public ::testing::Test {
 public:
  KeptFrames() : before_(reader_settings()) {
    reader_settings().at_once_bytes = 100'000;
    reader_settings().run_bytes = 1;  // a frame
  }
  ~KeptFrames() override { reader_settings() = before_; }

  // A packed UFF, `frames` of them in a chunk.
  std::filesystem::path packed(const std::string& name, hsize_t frames = 1) const {
    Hdf5Fixture file(folder_ / name);
    write_uff(file, kExtents);
    file.numbers("channel_data/data", sample_dims("ftei", kExtents), sample_table("ftei", kExtents),
                 {.chunk = {frames, 1, 16, 256}, .deflate = 4});
    return file.close();
  }

 private:
  ReaderSettings before_;
  TemporaryFolder folder_;
};

double first_of(std::span<const std::byte> frame) {
  float value = 0.0F;
  std::memcpy(&value, frame.data(), sizeof value);
  return value;
}

std::size_t resident_pages(std::span<const std::byte> memory) {
  std::vector<unsigned char> there((memory.size() + kPage - 1) / kPage);
  void* const begin = const_cast<std::byte*>(memory.data());
  if (::mincore(begin, memory.size(), there.data()) != 0) return there.size();
  return static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [](unsigned char c) { return c & 1U; }));
}

TEST_F(KeptFrames, AreReadWhenTheyAreWantedFirst) {
  for (const hsize_t frames_per_chunk : {1U, 7U, 40U}) {
    SCOPED_TRACE(frames_per_chunk);
    const Recording recording = open_recording(packed("kept.uff", frames_per_chunk));
    ASSERT_NE(recording.reader, nullptr) << "all frames were read at once";
    ASSERT_TRUE(recording.frame);
    const std::size_t all = recording.memory.size() / kPage;
    EXPECT_LT(resident_pages(recording.memory), all / 2);
    const std::byte* const ninth = recording.frame(9).data();
    for (const std::uint64_t k : {39U, 0U, 20U, 21U, 5U, 38U})
      EXPECT_EQ(first_of(recording.frame(k)), static_cast<float>(sample_value(static_cast<int>(k), 0, 0, 0, 0))) << k;
    expect_samples(recording, kExtents);
    EXPECT_EQ(recording.frame(9).data(), ninth);
    EXPECT_GE(resident_pages(recording.memory), all);
    expect_samples(recording, kExtents);  // the process has ended
  }
}

TEST_F(KeptFrames, PagesOfAVerasonicsBufferAreReadWhenTheyAreWantedFirst) {
  reader_settings().at_once_bytes = 1;
  for (const std::string inside : {"", "acquired"}) {
    verasonics::Workspace workspace;
    workspace.container = verasonics::Workspace::Container::v73;
    workspace.inside = inside;
    const Recording recording = verasonics::open_workspace(workspace);
    ASSERT_NE(recording.reader, nullptr) << "all frames were read at once";
    for (const std::size_t k : {2U, 0U, 1U, 2U}) {
      EXPECT_EQ(verasonics::value_at(recording, k, 1, 2, 5),
                verasonics::sample_at(verasonics::first_row(1) + 5, 8 + 2, k));
    }
  }
}

TEST_F(KeptFrames, MoreThanTheMemoryHoldsArePassed) {
  reader_settings().memory_budget = 200'000;
  const Recording recording = open_recording(packed("passed.uff"));
  ASSERT_NE(recording.reader, nullptr);
  EXPECT_FALSE(recording.frame);
}

TEST_F(KeptFrames, NoneIsReadAheadForWhoWantsOne) {
  reader_settings().read_ahead = false;
  const Recording recording = open_recording(packed("one.uff"));
  ASSERT_NE(recording.reader, nullptr) << "all frames were read at once";
  EXPECT_TRUE(recording.memory.empty());
  std::vector<std::byte> memory(recording.acquisition->frame_bytes());
  for (const std::uint64_t k : {0U, 0U, 39U, 7U, 8U}) {
    FrameMemory slot{.bytes = memory, .owner = nullptr, .kind = HostMemory::pageable};
    EXPECT_EQ(first_of(recording.reader->read(k, slot, {})),
              static_cast<float>(sample_value(static_cast<int>(k), 0, 0, 0, 0)))
        << k;
  }
}

void damage_chunk(const std::filesystem::path& path, hsize_t frame) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, "channel_data/data", H5P_DEFAULT);
  const hsize_t at[4] = {frame, 0, 0, 0};
  unsigned mask = 0;
  haddr_t address = 0;
  hsize_t size = 0;
  ASSERT_GE(H5Dget_chunk_info_by_coord(data, at, &mask, &address, &size), 0);
  H5Dclose(data);
  H5Fclose(file);
  std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(address));
  bytes << std::string(static_cast<std::size_t>(size), '\xff');
}

TEST_F(KeptFrames, ADamagedChunkIsALineOfItsFrameAndTheOthersAreRead) {
  const std::filesystem::path path = packed("damaged.uff");
  damage_chunk(path, 17);
  const Recording recording = open_recording(path);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t k = 0; k < 40; ++k) {
      if (k != 17) {
        EXPECT_EQ(first_of(recording.frame(k)), static_cast<float>(sample_value(static_cast<int>(k), 0, 0, 0, 0))) << k;
        continue;
      }
      const std::string line = refusal_of([&] { static_cast<void>(recording.frame(17)); });
      EXPECT_TRUE(contains(line, "damaged.uff (/channel_data/data): damaged samples in frame 17")) << line;
    }
  }
}

// 20 GB of which one chunk was written.
TEST_F(KeptFrames, AHugeArrayThatIsHardlyWrittenOpens) {
  const Extents one{.frames = 1, .transmits = 3, .elements = 16, .samples = 2048};
  const TemporaryFolder folder;
  Hdf5Fixture file(folder / "sparse.uff");
  write_uff(file, one);
  file.remove("channel_data/data");
  const hsize_t dims[4] = {51'000, 3, 16, 2048}, chunk[4] = {1, 3, 16, 2048}, at[4] = {};
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), whole = H5Screate_simple(4, dims, nullptr);
  H5Pset_chunk(plan, 4, chunk);
  H5Pset_deflate(plan, 1);
  const hid_t data =
      H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, whole, H5P_DEFAULT, plan, H5P_DEFAULT);
  const hid_t first = H5Screate_simple(4, chunk, nullptr);
  H5Sselect_hyperslab(whole, H5S_SELECT_SET, at, nullptr, chunk, nullptr);
  const auto table = sample_table("ftei", one);
  EXPECT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, first, whole, H5P_DEFAULT, table.data()), 0);
  H5Dclose(data);
  H5Sclose(whole);
  H5Sclose(first);
  H5Pclose(plan);
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(recording.frame_count, 51'000U);
  EXPECT_TRUE(assumes(*recording.acquisition, "1 of 51000 chunks were written"));
  std::vector<std::byte> memory(recording.acquisition->frame_bytes());
  FrameMemory slot{.bytes = memory, .owner = nullptr};
  EXPECT_EQ(first_of(recording.reader->read(0, slot)), static_cast<float>(table[0]));
  EXPECT_EQ(first_of(recording.reader->read(50'999, slot)), 0.0);
}

}  // namespace
}  // namespace echoloop::hdf5_kept_test
