#include "formats/blosc_fixture.h"

#include <stdexcept>

#include "formats/containers/hdf5_file.h"

#ifdef ECHO_HAVE_BLOSC
#include <blosc.h>
#endif

namespace echoloop::test {
namespace {

Bytes pack([[maybe_unused]] const float* values, [[maybe_unused]] std::size_t n_bytes,
           [[maybe_unused]] const BloscPlan& plan) {
#ifdef ECHO_HAVE_BLOSC
  Bytes packed(n_bytes + BLOSC_MAX_OVERHEAD);
  const int size = blosc_compress_ctx(7, plan.shuffle, sizeof(float), n_bytes, values, packed.data(), packed.size(),
                                      plan.packer, 0, 1);
  if (size <= 0) throw std::runtime_error(std::string("fixture: no ") + plan.packer);
  packed.resize(static_cast<std::size_t>(size));
  return packed;
#else
  return Bytes(64, 1);  // refused before it is read
#endif
}

}  // namespace

void write_blosc(Hdf5Fixture& file, const std::string& path, const std::string& axes, const Extents& n,
                 const BloscPlan& plan) {
  const std::vector<double> table = sample_table(axes, n);
  std::vector<float> values;
  for (const double value : table) values.push_back(static_cast<float>(plan.scale * value));
  const std::vector<hsize_t> dims = sample_dims(axes, n);
  std::vector<hsize_t> chunk = dims, at(dims.size(), 0);
  chunk[0] = 1;
  const std::size_t n_values = values.size() / dims[0], n_bytes = n_values * sizeof(float);
  const auto said = static_cast<unsigned>(plan.size_said > 0 ? plan.size_said : n_bytes);
  const unsigned settings[7] = {2, 2, sizeof(float), said, 7, static_cast<unsigned>(plan.shuffle), 5};
  file.remove(path);
  if (H5Zfilter_avail(hdf5::kBloscFilter) > 0)
    H5Zunregister(hdf5::kBloscFilter);  // ours, if this process read: no encoder
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_filter(creation, hdf5::kBloscFilter, H5Z_FLAG_OPTIONAL, 7, settings);
  const hid_t data = H5Dcreate2(file.file(), path.c_str(), H5T_IEEE_F32LE, space, links, creation, H5P_DEFAULT);
  for (; at[0] < dims[0]; ++at[0]) {
    Bytes packed = pack(values.data() + at[0] * n_values, n_bytes, plan);
    plan.change(packed);
    H5Dwrite_chunk(data, H5P_DEFAULT, 0, at.data(), packed.size(), packed.data());
  }
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(links);
  H5Pclose(creation);
}

}  // namespace echoloop::test
