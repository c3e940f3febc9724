#include "formats/containers/hdf5_lzf.h"

#include <algorithm>
#include <array>

namespace echoloop::hdf5 {
namespace {

// The library's form of a filter: 0 is failure, else the number of bytes now in *buffer.
std::size_t lzf_filter(unsigned flags, std::size_t n_values, const unsigned values[], std::size_t n_packed,
                       std::size_t* buffer_size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || n_values < 3 || values[2] == 0) return 0;
  const std::size_t n_bytes = values[2];
  auto* const unpacked = static_cast<unsigned char*>(H5allocate_memory(n_bytes, false));
  if (unpacked == nullptr) return 0;
  if (!unpack_lzf({static_cast<const unsigned char*>(*buffer), n_packed}, {unpacked, n_bytes})) {
    H5free_memory(unpacked);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = unpacked;
  *buffer_size = n_bytes;
  return n_bytes;
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
    for (std::size_t k = 0; k < n; ++k, ++at) out[at] = out[at - back];  // one by one: a run may repeat itself
  }
  return at == out.size();
}

bool lzf_unpacks_to(hid_t creation_plan, std::size_t chunk_bytes) {
  unsigned flags = 0, config = 0;
  std::array<unsigned, 8> values{};
  std::size_t n_values = values.size();
  if (H5Pget_filter_by_id2(creation_plan, kLzfFilter, &flags, &n_values, values.data(), 0, nullptr, &config) < 0)
    return false;
  return n_values >= 3 && values[2] == chunk_bytes;
}

void register_lzf() {
  static const H5Z_class2_t kLzf = {.version = H5Z_CLASS_T_VERS,
                                    .id = kLzfFilter,
                                    .encoder_present = 0,
                                    .decoder_present = 1,
                                    .name = "lzf",
                                    .can_apply = nullptr,
                                    .set_local = nullptr,
                                    .filter = lzf_filter};
  if (H5Zfilter_avail(kLzfFilter) <= 0) H5Zregister(&kLzf);
}

}  // namespace echoloop::hdf5
