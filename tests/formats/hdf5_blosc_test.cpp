// Samples that zea has packed by Blosc, and what a file may claim to be such.
#include <cstring>

#include "formats/blosc_fixture.h"
#include "formats/containers/hdf5_file.h"

namespace echoloop::hdf5_blosc_test {
namespace {

using namespace test;

// The zea example with its samples packed so.
std::filesystem::path blosc_file(const Extents& n, const BloscPlan& plan = {}) {
  static const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "blosc.hdf5");
  write_zea(file, n);
  write_blosc(file, "data/raw_data", "ftieq", n, plan);
  return file.close();
}

#define ECHO_NEED_BLOSC() \
  if (!hdf5::kHaveBlosc) GTEST_SKIP() << "no libblosc"

TEST(Blosc, WithoutTheLibraryALineNamesIt) {
  if (hdf5::kHaveBlosc) GTEST_SKIP() << "libblosc is there";
  EXPECT_TRUE(contains(refusal(blosc_file({})), "libblosc-dev"));
}

TEST(Blosc, SamplesComeBack) {
  ECHO_NEED_BLOSC();
  const Extents n{.frames = 3, .elements = 16, .samples = 500};
  for (const char* const packer : {"zstd", "lz4", "lz4hc", "blosclz", "zlib"}) {
    for (const int shuffle : {0, 1, 2}) {
      SCOPED_TRACE(std::string(packer) + " " + std::to_string(shuffle));
      expect_samples(open_recording(blosc_file(n, {.packer = packer, .shuffle = shuffle})), n);
    }
  }
}

TEST(Blosc, ScanTablesMayBePackedToo) {
  ECHO_NEED_BLOSC();
  const Extents n;
  Hdf5Fixture file("t.hdf5");
  write_zea(file, n);
  file.remove("scan/polar_angles");
  write_blosc(file, "scan/t0_delays", "te", n);  // delays of hundreds of seconds: they were read
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, "t0_delays of -300"));
}

// Silence packs into far less than deflate could make of it.
TEST(Blosc, MuchOutOfLittle) {
  ECHO_NEED_BLOSC();
  const Extents n{.frames = 1, .transmits = 1, .elements = 64, .samples = 20000};
  Hdf5Fixture file("z.hdf5");
  write_zea(file, n);
  write_blosc(file, "data/raw_data", "ftieq", n, {.scale = 0.0});
  const hid_t data = H5Dopen2(file.file(), "data/raw_data", H5P_DEFAULT);
  EXPECT_LT(H5Dget_storage_size(data), 64 * 20000 * sizeof(float) / 1032);
  H5Dclose(data);
  expect_samples(open_recording(file.close()), n, 0.0);
}

TEST(Blosc, DamageIsOneLine) {
  ECHO_NEED_BLOSC();
  const Extents n{.elements = 8, .samples = 100};
  const std::size_t n_bytes = 3 * 8 * 100 * sizeof(float);
  const auto refused = [&](const BloscPlan& plan) { return refusal(blosc_file(n, plan)); };
  EXPECT_TRUE(contains(refused({.size_said = n_bytes / 2}), "stored in chunks of"));
  for (const std::size_t cut : {0UL, 1UL, 15UL, 16UL, 17UL, 100UL}) {
    EXPECT_TRUE(
        contains(refused({.change = [&](Bytes& packed) { packed.resize(std::max<std::size_t>(cut, 1)); }}), "damaged"))
        << cut;
  }
  const auto header = [&](std::size_t at, std::uint32_t value) {
    return refused({.change = [=](Bytes& packed) { std::memcpy(packed.data() + at, &value, sizeof(value)); }});
  };
  for (const std::uint32_t size : {0U, 8U, 0x7fffffffU, 0xffffffffU}) {
    EXPECT_TRUE(contains(header(4, size), "damaged")) << size;   // bytes unpacked
    EXPECT_TRUE(contains(header(8, size), "damaged")) << size;   // bytes of a block
    EXPECT_TRUE(contains(header(12, size), "damaged")) << size;  // bytes packed
    EXPECT_TRUE(contains(header(16, size), "damaged")) << size;  // where the first block begins
  }
}

}  // namespace
}  // namespace echoloop::hdf5_blosc_test
