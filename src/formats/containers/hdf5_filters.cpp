#include <algorithm>
#include <array>

#include "formats/containers/hdf5_file.h"

#ifdef ECHO_HAVE_BLOSC
#include <blosc.h>
#endif

namespace echoloop::hdf5 {
namespace {

// Index of the unpacked chunk size among the values of a filter.
constexpr std::size_t kLzfSize = 2, kBloscSize = 3;

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

void register_filter(H5Z_filter_t id, const char* name, H5Z_func_t filter) {
  const H5Z_class2_t row = {.version = H5Z_CLASS_T_VERS,
                            .id = id,
                            .encoder_present = 0,
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
}

bool unpacks_to(hid_t creation_plan, H5Z_filter_t filter, std::size_t chunk_bytes) {
  unsigned flags = 0, config = 0;
  std::array<unsigned, 8> values{};
  std::size_t n_values = values.size();
  if (H5Pget_filter_by_id2(creation_plan, filter, &flags, &n_values, values.data(), 0, nullptr, &config) < 0)
    return false;
  const std::size_t size = filter == kLzfFilter ? kLzfSize : kBloscSize;
  return n_values > size && values[size] == chunk_bytes;
}

}  // namespace echoloop::hdf5
