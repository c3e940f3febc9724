#include "formats/containers/hdf5_blosc.h"

#include <array>

#ifdef ECHO_HAVE_BLOSC
#include <blosc.h>
#endif

namespace echoloop::hdf5 {

#ifdef ECHO_HAVE_BLOSC
namespace {

// The library's form of a filter: 0 is failure, else the number of bytes now in *buffer. A chunk says itself how many
// bytes it unpacks to; that must be what the dataset says of all its chunks.
std::size_t blosc_filter(unsigned flags, std::size_t n_values, const unsigned values[], std::size_t n_packed,
                         std::size_t* buffer_size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || n_values < 4 || values[3] == 0) return 0;
  std::size_t n_bytes = 0;
  if (blosc_cbuffer_validate(*buffer, n_packed, &n_bytes) < 0 || n_bytes != values[3]) return 0;
  void* const unpacked = H5allocate_memory(n_bytes, false);
  if (unpacked == nullptr) return 0;
  if (blosc_decompress_ctx(*buffer, unpacked, n_bytes, 1) != static_cast<int>(n_bytes)) {
    H5free_memory(unpacked);
    return 0;
  }
  H5free_memory(*buffer);
  *buffer = unpacked;
  *buffer_size = n_bytes;
  return n_bytes;
}

}  // namespace

void register_blosc() {
  static const H5Z_class2_t kBlosc = {.version = H5Z_CLASS_T_VERS,
                                      .id = kBloscFilter,
                                      .encoder_present = 0,
                                      .decoder_present = 1,
                                      .name = "blosc",
                                      .can_apply = nullptr,
                                      .set_local = nullptr,
                                      .filter = blosc_filter};
  if (H5Zfilter_avail(kBloscFilter) <= 0) H5Zregister(&kBlosc);
}
#else
void register_blosc() {}
#endif

bool blosc_unpacks_to(hid_t creation_plan, std::size_t chunk_bytes) {
  unsigned flags = 0, config = 0;
  std::array<unsigned, 8> values{};
  std::size_t n_values = values.size();
  if (H5Pget_filter_by_id2(creation_plan, kBloscFilter, &flags, &n_values, values.data(), 0, nullptr, &config) < 0)
    return false;
  return n_values >= 4 && values[3] == chunk_bytes;
}

}  // namespace echoloop::hdf5
