// The chunk indices of HDF5: this project's parser against the library's own list, the layout of HDF5 2.0, and chunks
// packed by Zstandard, LZ4 and bitshuffle.
#include "formats/containers/hdf5_layout.h"

#include <cstring>
#include <fstream>

#include "formats/containers/hdf5_file.h"
#include "formats/hdf5_fixture.h"

#ifdef ECHO_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef ECHO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace echoloop::hdf5_layout_test {
namespace {

using namespace test;
using Bytes = std::vector<unsigned char>;

struct Plan {
  std::vector<hsize_t> extents, limits, chunk;  // limits: H5S_UNLIMITED, or empty: the extents
  int deflate = 3;
  bool early = false;  // all chunks allocated at once: index "implicit", if unfiltered
};

std::vector<double> values_of(const std::vector<hsize_t>& extents) {
  std::size_t n = 1;
  for (const hsize_t extent : extents) n *= extent;
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(static_cast<double>(k * 7 % 4001));
  return values;
}

// Writes the dataset /d of int16 with the newest layout of the library.
std::filesystem::path write(const std::filesystem::path& path, const Plan& plan) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const int rank = static_cast<int>(plan.extents.size());
  const hid_t space = H5Screate_simple(rank, plan.extents.data(), plan.limits.empty() ? nullptr : plan.limits.data());
  H5Pset_chunk(creation, rank, plan.chunk.data());
  if (plan.deflate > 0) H5Pset_deflate(creation, static_cast<unsigned>(plan.deflate));
  if (plan.early) H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  const hid_t data = H5Dcreate2(file, "d", H5T_STD_I16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const std::vector<double> values = values_of(plan.extents);
  EXPECT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(creation);
  H5Pclose(access);
  H5Fclose(file);
  return path;
}

hdf5::FileBytes bytes_of_file(const std::string& content) {
  return {.read =
              [&content](std::uint64_t at, std::span<unsigned char> out) {
                std::memcpy(out.data(), content.data() + at, out.size());
                return true;
              },
          .size = content.size()};
}

std::uint64_t address_of(const std::filesystem::path& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5L_info_t info;
  H5Lget_info(file, "d", &info, H5P_DEFAULT);
#if H5_VERSION_GE(1, 12, 0)
  haddr_t address = HADDR_UNDEF;
  H5VLnative_token_to_addr(file, info.u.token, &address);
#else
  const haddr_t address = info.u.address;
#endif
  H5Fclose(file);
  return address;
}

class Hdf5Layout : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "layout.h5";
};

TEST_F(Hdf5Layout, EveryIndexListsTheChunksOfTheLibrary) {
  constexpr hsize_t kAny = H5S_UNLIMITED;
  const std::vector<Plan> plans = {
      {.extents = {40, 30}, .limits = {}, .chunk = {40, 30}},                             // single chunk
      {.extents = {40, 30}, .limits = {}, .chunk = {7, 9}, .deflate = 0, .early = true},  // implicit
      {.extents = {40, 30}, .limits = {}, .chunk = {7, 9}},                               // fixed array
      {.extents = {20, 30}, .limits = {50, 40}, .chunk = {7, 9}, .deflate = 0},           // larger than its extents
      {.extents = {5000, 3}, .limits = {}, .chunk = {1, 3}},                              // in pages
      {.extents = {40, 30}, .limits = {kAny, 30}, .chunk = {7, 9}},                       // extensible array
      {.extents = {40, 300}, .limits = {60, kAny}, .chunk = {7, 9}, .deflate = 0},        // along the last axis
      {.extents = {30000, 2}, .limits = {kAny, 2}, .chunk = {1, 2}},                      // in super blocks and pages
      {.extents = {40, 30}, .limits = {kAny, kAny}, .chunk = {7, 9}},                     // B-tree of one leaf
      {.extents = {3000, 20}, .limits = {kAny, kAny}, .chunk = {1, 4}, .deflate = 0},     // of several levels
  };
  for (const Plan& plan : plans) {
    SCOPED_TRACE(plan.extents[0] * 1000 + plan.chunk[0]);
    const std::string content = read_text(write(path_, plan));
    const auto layout = hdf5::read_chunked_layout("file", bytes_of_file(content), address_of(path_));
    EXPECT_EQ(layout.extents, plan.extents);
    EXPECT_EQ(layout.chunk, plan.chunk);
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), data = H5Dopen2(file, "d", H5P_DEFAULT);
    std::size_t n = 1;
    for (std::size_t k = 0; k < 2; ++k) n *= (plan.extents[k] - 1) / plan.chunk[k] + 1;
    ASSERT_EQ(layout.chunks.size(), n);
    for (std::size_t k = 0; k < n; k += 1 + n / 97) {
      const hdf5::StoredChunk& chunk = layout.chunks[k];
      std::uint32_t mask = 0;
      hsize_t size = 0;
      ASSERT_GE(H5Dget_chunk_storage_size(data, chunk.at.data(), &size), 0);
      ASSERT_EQ(chunk.bytes, size) << k;
      std::string bytes(size, '\0');
      ASSERT_GE(H5Dread_chunk(data, H5P_DEFAULT, chunk.at.data(), &mask, bytes.data()), 0);
      EXPECT_EQ(chunk.mask, mask);
      EXPECT_TRUE(content.compare(chunk.address, size, bytes) == 0) << k;
    }
    H5Dclose(data);
    H5Fclose(file);
  }
}

// Returns the file with the layout message of its dataset as HDF5 2.0 writes it; only a single chunk has the same size
// in both versions.
std::string of_version_5(std::string content, std::uint64_t header) {
  const auto at = [&](std::size_t k) -> unsigned char& {
    return reinterpret_cast<unsigned char&>(content[header + k]);
  };
  EXPECT_EQ(content.substr(header, 4), "OHDR");
  const unsigned flags = at(5);
  const std::size_t prefix = 6 + ((flags & 0x20U) != 0 ? 16U : 0U) + ((flags & 0x10U) != 0 ? 4U : 0U);
  const std::size_t field = std::size_t{1} << (flags & 3U);
  std::size_t size = 0;
  for (std::size_t k = field; k-- > 0;) size = size << 8 | at(prefix + k);
  const std::size_t end = prefix + field + size, head = (flags & 4U) != 0 ? 6 : 4;
  for (std::size_t k = prefix + field; k + head <= end; k += head + at(k + 1) + 256U * at(k + 2))
    if (at(k) == 8) at(k + head) = 5;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(content.data()) + header;
  const std::uint32_t sum = hdf5::metadata_checksum({bytes, end});
  std::memcpy(content.data() + header + end, &sum, sizeof sum);
  return content;
}

void write_text(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Returns the values of /d, or the line of the refusal.
std::pair<std::vector<double>, std::string> read(const std::filesystem::path& path) {
  try {
    const auto root = hdf5::Node::open("file", path, std::filesystem::file_size(path));
    return {root.at("d").numbers(1 << 20), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

TEST_F(Hdf5Layout, TheLayoutOfVersion2OfTheLibraryIsRead) {
  const Plan plan{.extents = {40, 30}, .limits = {}, .chunk = {40, 30}};
  write(path_, plan);
  write_text(path_, of_version_5(read_text(path_), address_of(path_)));
  const auto [values, line] = read(path_);
  EXPECT_EQ(line, "");
  EXPECT_EQ(values, values_of(plan.extents));
}

TEST_F(Hdf5Layout, AWrongByteIsALineOrHasNoEffect) {
  const Plan plan{.extents = {6, 5}, .limits = {}, .chunk = {6, 5}};
  write(path_, plan);
  const std::uint64_t header = address_of(path_);
  const std::string content = of_version_5(read_text(path_), header);
  std::size_t refused = 0;
  for (std::size_t k = 0; k < 300 && header + k < content.size(); ++k) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string changed = content;
      changed[header + k] = static_cast<char>(changed[header + k] ^ flip);
      write_text(path_, changed);
      const auto [values, line] = read(path_);
      EXPECT_TRUE(!line.empty() || values == values_of(plan.extents)) << k;
      refused += line.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 300U);
}

// A checksum that fits does not make a size plausible.
TEST_F(Hdf5Layout, SizesAreBoundedWithAFittingChecksumToo) {
  const Plan plan{.extents = {6, 5}, .limits = {}, .chunk = {6, 5}};
  write(path_, plan);
  const std::uint64_t header = address_of(path_);
  const std::string content = read_text(path_);
  for (std::size_t k = 12; k < 200; ++k) {
    for (const int value : {0, 1, 127, 255}) {
      std::string changed = content;
      changed[header + k] = static_cast<char>(value);
      if (changed.substr(header, 4) != "OHDR") continue;
      const auto* const bytes = reinterpret_cast<const unsigned char*>(changed.data()) + header;
      const std::size_t size = static_cast<unsigned char>(content[header + 6 + 16]);  // times are stored
      const std::size_t end = 6 + 16 + 1 + size;
      if (k >= end || header + end + 4 > changed.size()) break;
      const std::uint32_t sum = hdf5::metadata_checksum({bytes, end});
      std::memcpy(changed.data() + header + end, &sum, sizeof sum);
      try {
        const auto layout = hdf5::read_chunked_layout("file", bytes_of_file(changed), header);
        for (const hdf5::StoredChunk& chunk : layout.chunks) EXPECT_LE(chunk.address + chunk.bytes, changed.size());
      } catch (const Error& error) {
        EXPECT_TRUE(contains(error.what(), "file: "));
      }
    }
  }
}

#if defined(ECHO_HAVE_LZ4) && defined(ECHO_HAVE_ZSTD)

void big_endian(Bytes& out, std::uint64_t value, int bytes) {
  for (int k = bytes; k-- > 0;) out.push_back(static_cast<unsigned char>(value >> (8 * k)));
}

Bytes lz4(const Bytes& plain) {
  Bytes packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(plain.size()))));
  const int n =
      LZ4_compress_default(reinterpret_cast<const char*>(plain.data()), reinterpret_cast<char*>(packed.data()),
                           static_cast<int>(plain.size()), static_cast<int>(packed.size()));
  packed.resize(static_cast<std::size_t>(n));
  return packed;
}

Bytes zstd(const Bytes& plain) {
  Bytes packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  return packed;
}

// Bits of the values of a block by the definition: bit b of byte k of value v is bit v of row 8 k + b.
Bytes shuffled(const Bytes& plain, std::size_t value_bytes, std::size_t block) {
  Bytes out(plain.size(), 0);
  const std::size_t n = plain.size() / value_bytes, whole = n / 8 * 8;
  for (std::size_t v = 0; v < whole; ++v) {
    const std::size_t first = v / block * block, here = std::min(block, whole - first);
    for (std::size_t bit = 0; bit < 8 * value_bytes; ++bit) {
      if ((plain[v * value_bytes + bit / 8] >> (bit % 8) & 1U) == 0) continue;
      const std::size_t place = bit * here + (v - first);
      out[first * value_bytes + place / 8] |= static_cast<unsigned char>(1U << (place % 8));
    }
  }
  std::copy(plain.begin() + static_cast<std::ptrdiff_t>(whole * value_bytes), plain.end(),
            out.begin() + static_cast<std::ptrdiff_t>(whole * value_bytes));
  return out;
}

Bytes in_blocks(const Bytes& content, std::size_t block, std::size_t packed_bytes, Bytes (*pack)(const Bytes&),
                std::size_t stated) {
  Bytes out;
  big_endian(out, stated, 8);
  big_endian(out, block, 4);
  for (std::size_t at = 0; at < packed_bytes; at += block) {
    const std::size_t here = std::min(block, packed_bytes - at);
    const Bytes packed = pack(
        {content.begin() + static_cast<std::ptrdiff_t>(at), content.begin() + static_cast<std::ptrdiff_t>(at + here)});
    big_endian(out, packed.size(), 4);
    out.insert(out.end(), packed.begin(), packed.end());
  }
  out.insert(out.end(), content.begin() + static_cast<std::ptrdiff_t>(packed_bytes), content.end());
  return out;
}

std::filesystem::path write_packed(const std::filesystem::path& path, H5Z_filter_t filter,
                                   const std::vector<unsigned>& settings, hsize_t n, const Bytes& packed) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, nullptr);
  H5Pset_chunk(creation, 1, &n);
  H5Pset_filter(creation, filter, H5Z_FLAG_OPTIONAL, settings.size(), settings.data());
  const hid_t data = H5Dcreate2(file, "d", H5T_STD_I16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const hsize_t at = 0;
  H5Dwrite_chunk(data, H5P_DEFAULT, 0, &at, packed.size(), packed.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(creation);
  H5Fclose(file);
  return path;
}

TEST_F(Hdf5Layout, ChunksOfZstandardLz4AndBitshuffle) {
  constexpr std::size_t kN = 3003;  // no multiple of 8: the last three are not shuffled
  const std::vector<double> values = values_of({kN});
  Bytes plain;
  for (const double value : values) {
    const auto number = static_cast<unsigned>(value);
    plain.push_back(static_cast<unsigned char>(number & 255U));
    plain.push_back(static_cast<unsigned char>(number >> 8));
  }
  constexpr std::size_t kWhole = kN / 8 * 8 * 2, kBytes = 2 * kN;
  const std::size_t block = 8192 / 2, small = 256;
  struct Case {
    H5Z_filter_t filter;
    std::vector<unsigned> settings;
    Bytes packed;
  };
  const std::vector<Case> cases = {
      {hdf5::kZstdFilter, {3}, zstd(plain)},
      {hdf5::kLz4Filter, {1000}, in_blocks(plain, 1000, kBytes, lz4, kBytes)},
      {hdf5::kBitshuffleFilter, {0, 4, 2, 0, 0}, shuffled(plain, 2, block)},
      {hdf5::kBitshuffleFilter,
       {0, 4, 2, 256, 2},
       in_blocks(shuffled(plain, 2, small), 2 * small, kWhole, lz4, kBytes)},
      {hdf5::kBitshuffleFilter,
       {0, 4, 2, 256, 3},
       in_blocks(shuffled(plain, 2, small), 2 * small, kWhole, zstd, kBytes)},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.filter);
    const auto [found, line] = read(write_packed(path_, one.filter, one.settings, kN, one.packed));
    EXPECT_EQ(line, "");
    EXPECT_EQ(found, values);
    Bytes cut = one.packed;
    cut.resize(cut.size() / 2);
    EXPECT_NE(read(write_packed(path_, one.filter, one.settings, kN, cut)).second, "");
  }
  // A chunk that states another size than the dataset's.
  EXPECT_NE(read(write_packed(path_, hdf5::kZstdFilter, {3}, kN + 1, zstd(plain))).second, "");
}

#endif

TEST_F(Hdf5Layout, Blosc2IsNamed) {
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t n = 4;
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, nullptr);
  H5Pset_chunk(creation, 1, &n);
  H5Pset_filter(creation, hdf5::kBlosc2Filter, H5Z_FLAG_OPTIONAL, 0, nullptr);
  H5Dclose(H5Dcreate2(file, "d", H5T_STD_I16LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
  H5Fclose(file);
  EXPECT_TRUE(contains(read(path_).second, "Blosc2"));
}

// Recordings of zea, stored in many ways, all with the samples of the first.
TEST_F(Hdf5Layout, StoredInManyWays) {
  const std::filesystem::path stored = testing::data_folder() / "opendata/storage";
  ECHO_NEED_DATA("opendata/storage/gzip_shuffle.hdf5");
  const Recording reference = open_recording(stored / "gzip_shuffle.hdf5");
  for (const auto& entry : std::filesystem::directory_iterator(stored)) {
    SCOPED_TRACE(entry.path().filename().string());
    if (entry.path().filename() == "blosc2.hdf5") {
      EXPECT_TRUE(contains(refusal(entry.path()), "Blosc2"));
      continue;
    }
    const Recording recording = open_recording(entry.path());
    ASSERT_EQ(recording.frame_count, reference.frame_count);
    const bool half = contains(entry.path().filename().string(), "float16");  // divided by 64, 11 bits
    const Acquisition& a = *reference.acquisition;
    for (std::uint64_t frame = 0; frame < reference.frame_count; ++frame)
      for (int element = 0; element < static_cast<int>(a.probe.elements.size()); element += 3)
        for (int k = 0; k < a.n_samples; ++k)
          ASSERT_NEAR((half ? 64.0 : 1.0) * sample(recording, frame, 0, element, k),
                      sample(reference, frame, 0, element, k), half ? 8.0 : 0.0);
  }
}

}  // namespace
}  // namespace echoloop::hdf5_layout_test
