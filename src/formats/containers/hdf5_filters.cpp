#include <algorithm>
#include <array>

#include "formats/containers/hdf5_file.h"

#ifdef ECHO_HAVE_BLOSC
#include <blosc.h>
#endif
#ifdef ECHO_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef ECHO_HAVE_ZSTD
#include <zstd.h>
#endif

namespace echoloop::hdf5 {
namespace {

// Index of the unpacked chunk size among the values of a filter.
constexpr std::size_t kLzfSize = 2, kBloscSize = 3, kNoSize = static_cast<std::size_t>(-1);

// Deflate unpacks at most 1032 bytes of one, LZ4 255. Zstandard stores 128 KiB of one repeated byte in 4 bytes, which
// Blosc and bitshuffle may use; szip 4 KiB of zeros in a few bits.
constexpr std::size_t kDeflate = 1032, kLz4 = 256, kMost = 32768;
constexpr FilterRow kFilterRows[] = {
    {H5Z_FILTER_DEFLATE, "deflate", kDeflate},
    {H5Z_FILTER_SHUFFLE, "shuffle", 1},
    {H5Z_FILTER_FLETCHER32, "checksum", 1},
    {H5Z_FILTER_SZIP, "szip", kMost},
    {kLzfFilter, "LZF", kDeflate, nullptr, kLzfSize},
    {kBloscFilter, "Blosc", kMost, kHaveBlosc ? nullptr : "an Echoloop built with libblosc (package libblosc-dev)",
     kBloscSize},
    {kLz4Filter, "LZ4", kLz4, kHaveLz4 ? nullptr : "an Echoloop built with liblz4 (package liblz4-dev)"},
    {kBitshuffleFilter, "bitshuffle", kMost,
     kHaveLz4&& kHaveZstd ? nullptr : "an Echoloop built with liblz4 and libzstd (packages liblz4-dev, libzstd-dev)"},
    {kZstdFilter, "Zstandard", kMost, kHaveZstd ? nullptr : "an Echoloop built with libzstd (package libzstd-dev)"},
    {kBlosc2Filter, "Blosc2", 1,
     "Blosc (version 1), Zstandard, LZ4, deflate: no package has Blosc2 (convert with h5repack -f GZIP=4 IN OUT)"},
};

// Bytes of an unpacked chunk of the dataset that is read; without the checksum that may follow, the first filter then.
std::size_t expected_bytes = 0;
constexpr std::size_t kFletcherBytes = 4;

// Implements the library's filter callback: returns 0 on failure, else the number of bytes now in *buffer. `unpack(to,
// n_bytes)` returns true if it fills these.
template <std::size_t kSize, class Unpack>
std::size_t unpack_chunk(unsigned flags, std::size_t n_values, const unsigned values[], std::size_t* buffer_size,
                         void** buffer, const Unpack& unpack) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || n_values <= kSize || values[kSize] == 0) return 0;
  const std::size_t n_bytes = values[kSize];
  void* const unpacked = H5allocate_memory(n_bytes, false);
  if (unpacked == nullptr) return 0;
  if (!unpack(unpacked, n_bytes)) {
    H5free_memory(unpacked);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = unpacked;
  *buffer_size = n_bytes;
  return n_bytes;
}

std::size_t lzf_filter(unsigned flags, std::size_t n_values, const unsigned values[], std::size_t n_packed,
                       std::size_t* buffer_size, void** buffer) {
  return unpack_chunk<kLzfSize>(flags, n_values, values, buffer_size, buffer, [&](void* to, std::size_t n_bytes) {
    return unpack_lzf({static_cast<const unsigned char*>(*buffer), n_packed},
                      {static_cast<unsigned char*>(to), n_bytes});
  });
}

#ifdef ECHO_HAVE_BLOSC
// Unpacks a chunk if the unpacked size in its header equals the one in the dataset's filter values.
std::size_t blosc_filter(unsigned flags, std::size_t n_values, const unsigned values[], std::size_t n_packed,
                         std::size_t* buffer_size, void** buffer) {
  return unpack_chunk<kBloscSize>(flags, n_values, values, buffer_size, buffer, [&](void* to, std::size_t n_bytes) {
    std::size_t said = 0;
    return blosc_cbuffer_validate(*buffer, n_packed, &said) >= 0 && said == n_bytes &&
           blosc_decompress_ctx(*buffer, to, n_bytes, 1) == static_cast<int>(n_bytes);
  });
}
#endif

using Bytes = std::span<const unsigned char>;
using Room = std::span<unsigned char>;

[[maybe_unused]] std::uint64_t big_endian(Bytes bytes) {
  std::uint64_t value = 0;
  for (const unsigned char byte : bytes) value = value << 8 | byte;
  return value;
}

[[maybe_unused]] bool unpack_lz4([[maybe_unused]] Bytes packed, [[maybe_unused]] Room out) {
#ifdef ECHO_HAVE_LZ4
  return LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(out.data()),
                             static_cast<int>(packed.size()),
                             static_cast<int>(out.size())) == static_cast<int>(out.size());
#else
  return false;
#endif
}

[[maybe_unused]] bool unpack_zstd([[maybe_unused]] Bytes packed, [[maybe_unused]] Room out) {
#ifdef ECHO_HAVE_ZSTD
  return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
#else
  return false;
#endif
}

// Unpacks blocks of `block` bytes, each after its packed size (4 bytes, big-endian); returns false unless they fill
// `out`.
template <class Unpack>
bool unpack_blocks(Bytes& packed, Room out, std::size_t block, const Unpack& unpack) {
  while (!out.empty()) {
    const std::size_t here = std::min(block, out.size());
    if (here == 0 || packed.size() < 4) return false;
    const std::uint64_t size = big_endian(packed.first(4));
    packed = packed.subspan(4);
    if (size > packed.size()) return false;
    const Bytes content = packed.first(static_cast<std::size_t>(size));
    if (!unpack(content, out.first(here))) return false;
    packed = packed.subspan(content.size()), out = out.subspan(here);
  }
  return true;
}

// Filters of chunks that state their own size, `size` bytes: the library does not compare it with that of the dataset,
// and would read behind the end.
template <class Unpack>
std::size_t unpack_sized(unsigned flags, std::uint64_t size, std::size_t* buffer_size, void** buffer,
                         const Unpack& unpack) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || size == 0) return 0;
  if (size != expected_bytes && size != expected_bytes + kFletcherBytes) return 0;
  const auto n_bytes = static_cast<std::size_t>(size);
  auto* const unpacked = static_cast<unsigned char*>(H5allocate_memory(n_bytes, false));
  if (unpacked == nullptr) return 0;
  if (!unpack(Room(unpacked, n_bytes))) {
    H5free_memory(unpacked);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = unpacked;
  *buffer_size = n_bytes;
  return n_bytes;
}

// 8 bytes: unpacked size, 4 bytes: of a block, then the blocks; one whose packed size equals its own is not packed.
[[maybe_unused]] std::size_t lz4_filter(unsigned flags, std::size_t /*n_values*/, const unsigned /*values*/[],
                                        std::size_t n_packed, std::size_t* buffer_size, void** buffer) {
  Bytes packed(static_cast<const unsigned char*>(*buffer), n_packed);
  if (packed.size() < 12) return 0;
  const std::uint64_t size = big_endian(packed.first(8)), block = big_endian(packed.subspan(8, 4));
  packed = packed.subspan(12);
  return unpack_sized(flags, size, buffer_size, buffer, [&](Room out) {
    return unpack_blocks(packed, out, static_cast<std::size_t>(block), [](Bytes from, Room to) {
      if (from.size() != to.size()) return unpack_lz4(from, to);
      std::ranges::copy(from, to.begin());
      return true;
    });
  });
}

[[maybe_unused]] std::size_t zstd_filter(unsigned flags, std::size_t /*n_values*/, const unsigned /*values*/[],
                                         std::size_t n_packed, std::size_t* buffer_size, void** buffer) {
  const Bytes packed(static_cast<const unsigned char*>(*buffer), n_packed);
  std::uint64_t size = 0;
#ifdef ECHO_HAVE_ZSTD
  size = ZSTD_getFrameContentSize(packed.data(), packed.size());
#endif
  return unpack_sized(flags, size, buffer_size, buffer, [&](Room out) { return unpack_zstd(packed, out); });
}

// Values: versions, 2: bytes of a value, 3: values in a block (0: of 8 KiB), 4: packer. With a packer the chunk begins
// with its unpacked size (8 bytes) and the bytes of a block (4), both big-endian.
[[maybe_unused]] std::size_t bitshuffle_filter(unsigned flags, std::size_t n_values, const unsigned values[],
                                               std::size_t n_packed, std::size_t* buffer_size, void** buffer) {
  constexpr unsigned kLz4Packer = 2, kZstdPacker = 3;
  constexpr std::size_t kBlockBytes = 8192, kLeastBlock = 128, kMostValueBytes = 64;
  const std::size_t value_bytes = n_values > 2 ? values[2] : 0;
  const unsigned packer = n_values > 4 ? values[4] : 0;
  Bytes packed(static_cast<const unsigned char*>(*buffer), n_packed);
  if (value_bytes == 0 || value_bytes > kMostValueBytes) return 0;
  std::size_t block =
      n_values > 3 && values[3] > 0 ? values[3] : std::max(kBlockBytes / value_bytes / 8 * 8, kLeastBlock);
  std::uint64_t size = n_packed;
  if (packer != 0) {
    if (packed.size() < 12 || (packer != kLz4Packer && packer != kZstdPacker)) return 0;
    size = big_endian(packed.first(8));
    block = static_cast<std::size_t>(big_endian(packed.subspan(8, 4))) / value_bytes;
    packed = packed.subspan(12);
  }
  if (block == 0 || block % 8 != 0 || size % value_bytes != 0) return 0;
  return unpack_sized(flags, size, buffer_size, buffer, [&](Room out) {
    if (packer == 0) {
      unshuffle_bits(packed, out, value_bytes, block);
      return true;
    }
    const std::size_t whole = out.size() / (8 * value_bytes) * (8 * value_bytes);  // the rest is stored as it is
    std::vector<unsigned char> shuffled(out.size());
    const auto unpack = packer == kLz4Packer ? unpack_lz4 : unpack_zstd;
    if (!unpack_blocks(packed, Room(shuffled).first(whole), block * value_bytes, unpack)) return false;
    if (packed.size() != out.size() - whole) return false;
    std::ranges::copy(packed, shuffled.begin() + static_cast<std::ptrdiff_t>(whole));
    unshuffle_bits(shuffled, out, value_bytes, block);
    return true;
  });
}

void register_filter(H5Z_filter_t id, const char* name, H5Z_func_t filter) {
  const H5Z_class2_t row = {
      .version = H5Z_CLASS_T_VERS,
      .id = id,
      .encoder_present = 1,  // it fails: a dataset in memory is made with the filter, never written (hdf5_layout.h)
      .decoder_present = 1,
      .name = name,
      .can_apply = nullptr,
      .set_local = nullptr,
      .filter = filter};
  if (H5Zfilter_avail(id) <= 0) H5Zregister(&row);  // H5Zregister() copies it
}

}  // namespace

bool unpack_lzf(std::span<const unsigned char> packed, std::span<unsigned char> out) {
  std::size_t in = 0, at = 0;
  while (in < packed.size()) {
    const unsigned control = packed[in++];
    if (control < 32) {
      const std::size_t n = control + 1;
      if (packed.size() - in < n || out.size() - at < n) return false;
      std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(in), n, out.begin() + static_cast<std::ptrdiff_t>(at));
      in += n, at += n;
      continue;
    }
    std::size_t n = control >> 5;
    if (packed.size() - in < (n == 7 ? 2U : 1U)) return false;
    if (n == 7) n += packed[in++];
    n += 2;
    const std::size_t back = ((control & 31U) << 8U) + packed[in++] + 1;
    if (back > at || out.size() - at < n) return false;
    for (std::size_t k = 0; k < n; ++k, ++at) out[at] = out[at - back];  // byte by byte: source and target may overlap
  }
  return at == out.size();
}

void register_filters() {
  register_filter(kLzfFilter, "lzf", lzf_filter);
#ifdef ECHO_HAVE_BLOSC
  register_filter(kBloscFilter, "blosc", blosc_filter);
#endif
  if (kHaveLz4) register_filter(kLz4Filter, "lz4", lz4_filter);
  if (kHaveZstd) register_filter(kZstdFilter, "zstd", zstd_filter);
  if (kHaveLz4 && kHaveZstd) register_filter(kBitshuffleFilter, "bitshuffle", bitshuffle_filter);
}

void expect_chunks_of(hid_t dataset) {
  const Id plan(H5Dget_create_plist(dataset)), type(H5Dget_type(dataset));
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = H5Pget_layout(plan) == H5D_CHUNKED ? H5Pget_chunk(plan, H5S_MAX_RANK, chunk.data()) : 0;
  expected_bytes = rank > 0 ? H5Tget_size(type) : 0;
  for (int k = 0; k < rank; ++k) expected_bytes *= static_cast<std::size_t>(chunk[static_cast<std::size_t>(k)]);
}

const FilterRow* find_filter(H5Z_filter_t id) {
  const auto* const row = std::ranges::find(kFilterRows, id, &FilterRow::id);
  return row == std::end(kFilterRows) ? nullptr : row;
}

// Bit b of byte k of the values is row 8 k + b of a block, one bit per value: 8 rows of 8 values are transposed at
// once.
void unshuffle_bits(std::span<const unsigned char> packed, std::span<unsigned char> out, std::size_t value_bytes,
                    std::size_t block) {
  const std::size_t n = out.size() / value_bytes, whole = n / 8 * 8;
  for (std::size_t first = 0; first < whole; first += block) {
    const std::size_t here = std::min(block, whole - first), row = here / 8;
    const unsigned char* const from = packed.data() + first * value_bytes;
    for (std::size_t k = 0; k < value_bytes; ++k) {
      for (std::size_t group = 0; group < row; ++group) {
        std::uint64_t bits = 0;
        for (std::size_t b = 0; b < 8; ++b)
          bits |= static_cast<std::uint64_t>(from[(8 * k + b) * row + group]) << (8 * b);
        std::uint64_t swap = (bits ^ (bits >> 7)) & 0x00aa00aa00aa00aaULL;
        bits ^= swap ^ (swap << 7);
        swap = (bits ^ (bits >> 14)) & 0x0000cccc0000ccccULL;
        bits ^= swap ^ (swap << 14);
        swap = (bits ^ (bits >> 28)) & 0x00000000f0f0f0f0ULL;
        bits ^= swap ^ (swap << 28);
        for (std::size_t v = 0; v < 8; ++v)
          out[(first + 8 * group + v) * value_bytes + k] = static_cast<unsigned char>(bits >> (8 * v));
      }
    }
  }
  const std::size_t done = whole * value_bytes;
  std::copy(packed.begin() + static_cast<std::ptrdiff_t>(done), packed.end(),
            out.begin() + static_cast<std::ptrdiff_t>(done));
}

bool unpacks_to(hid_t creation_plan, const FilterRow& filter, std::size_t chunk_bytes) {
  if (filter.size_value == kNoSize) return true;
  unsigned flags = 0, config = 0;
  std::array<unsigned, 8> values{};
  std::size_t n_values = values.size();
  if (H5Pget_filter_by_id2(creation_plan, filter.id, &flags, &n_values, values.data(), 0, nullptr, &config) < 0)
    return false;
  return n_values > filter.size_value && values[filter.size_value] == chunk_bytes;
}

}  // namespace echoloop::hdf5
