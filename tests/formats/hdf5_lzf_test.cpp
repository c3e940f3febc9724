// Samples that h5py has packed by LZF, and what a file may claim to be such.
#include <cstring>

#include "formats/containers/hdf5_file.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::hdf5_lzf_test {
namespace {

using namespace test;
using Bytes = std::vector<unsigned char>;

// A plain packer of the format: the nearest repetition of 3 bytes or more, else the bytes as they are.
Bytes pack(const Bytes& plain) {
  Bytes packed, literal;
  const auto flush = [&] {
    for (std::size_t k = 0; k < literal.size(); k += 32) {
      const std::size_t n = std::min<std::size_t>(32, literal.size() - k);
      packed.push_back(static_cast<unsigned char>(n - 1));
      packed.insert(packed.end(), literal.begin() + static_cast<std::ptrdiff_t>(k),
                    literal.begin() + static_cast<std::ptrdiff_t>(k + n));
    }
    literal.clear();
  };
  for (std::size_t at = 0; at < plain.size();) {
    std::size_t best = 0, back = 0;
    for (std::size_t from = at > 8192 ? at - 8192 : 0; from < at; ++from) {
      std::size_t n = 0;
      while (n < 264 && at + n < plain.size() && plain[from + n] == plain[at + n]) ++n;
      if (n >= best) best = n, back = at - from;
    }
    if (best < 3) {
      literal.push_back(plain[at++]);
      continue;
    }
    flush();
    const std::size_t n = best - 2, high = (back - 1) >> 8U;
    packed.push_back(static_cast<unsigned char>((std::min<std::size_t>(n, 7) << 5U) | high));
    if (n >= 7) packed.push_back(static_cast<unsigned char>(n - 7));
    packed.push_back(static_cast<unsigned char>((back - 1) & 255U));
    at += best;
  }
  flush();
  return packed;
}

// The UFF example with its samples in one LZF chunk of `bytes`, said to unpack to `size`.
std::filesystem::path lzf_file(const Bytes& bytes, unsigned size) {
  static const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "lzf.uff");
  write_uff(file, {});
  file.remove("channel_data/data");
  const hsize_t dims[4] = {2, 3, 4, 6}, at[4] = {};
  const unsigned values[3] = {4, 261, size};                                   // as h5py writes them
  if (H5Zfilter_avail(hdf5::kLzfFilter) > 0) H5Zunregister(hdf5::kLzfFilter);  // ours, if this process read: no encoder
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, dims, nullptr);
  H5Pset_chunk(plan, 4, dims);
  H5Pset_filter(plan, hdf5::kLzfFilter, H5Z_FLAG_OPTIONAL, 3, values);
  const hid_t data =
      H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Dwrite_chunk(data, H5P_DEFAULT, 0, at, bytes.size(), bytes.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(plan);
  return file.close();
}

Bytes sample_bytes() {
  const auto table = sample_table("ftei", {});
  const std::vector<float> values(table.begin(), table.end());
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Lzf, SamplesComeBack) {
  const Bytes plain = sample_bytes();
  const Bytes packed = pack(plain);
  EXPECT_LT(packed.size(), plain.size());
  const Recording recording = open_recording(lzf_file(packed, static_cast<unsigned>(plain.size())));
  expect_samples(recording, {});
}

TEST(Lzf, LongRunsRepeatThemselves) {
  const Bytes plain(1000, 'x');
  Bytes out(1000);
  EXPECT_TRUE(hdf5::unpack_lzf(pack(plain), out));
  EXPECT_EQ(out, plain);
}

TEST(Lzf, DamageIsRefused) {
  const Bytes plain = sample_bytes();
  const Bytes packed = pack(plain);
  Bytes out(plain.size());
  ASSERT_TRUE(hdf5::unpack_lzf(packed, out));
  for (std::size_t n = 0; n < packed.size(); ++n)  // cut anywhere
    EXPECT_FALSE(hdf5::unpack_lzf(std::span(packed).first(n), out)) << n;
  Bytes shorter(plain.size() - 1), longer(plain.size() + 1);
  EXPECT_FALSE(hdf5::unpack_lzf(packed, shorter));
  EXPECT_FALSE(hdf5::unpack_lzf(packed, longer));
  EXPECT_FALSE(hdf5::unpack_lzf(Bytes{0, 'x', 32, 1}, out));  // repeats what lies before the beginning

  const std::string refused = refusal(lzf_file(packed, 64));
  EXPECT_TRUE(contains(refused, "stored in chunks of"));
}

}  // namespace
}  // namespace echoloop::hdf5_lzf_test
