// UFF files with wrong samples; storage and links that leave the file, have false sizes or never end.
#include <zlib.h>

#include "formats/hostile_hdf5.h"

namespace echoloop::test {
namespace {

void external_link(Hdf5Fixture& file) {
  const auto other = file.path().parent_path() / "other.h5";
  Hdf5Fixture target(other);
  write_uff(target, {});
  target.close();
  file.remove("channel_data/data");
  H5Lcreate_external(other.c_str(), "/channel_data/data", file.file(), "channel_data/data", H5P_DEFAULT, H5P_DEFAULT);
}

void external_storage(Hdf5Fixture& file) {
  file.remove("channel_data/data");
  const hsize_t dims[4] = {2, 3, 4, 6};
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, dims, nullptr);
  H5Pset_external(plan, "/etc/hostname", 0, 576);
  H5Dclose(H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(plan);
}

void virtual_dataset(Hdf5Fixture& file) {
  file.remove("channel_data/data");
  const hsize_t dims[4] = {2, 3, 4, 6};
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, dims, nullptr);
  H5Pset_virtual(plan, space, "/etc/hostname", "/data", space);
  H5Dclose(H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(plan);
}

// Makes a dataset with filters added by `add`; written if the library can.
void filtered(Hdf5Fixture& file, const std::function<void(hid_t)>& add) {
  file.remove("channel_data/data");
  const hsize_t dims[4] = {2, 3, 4, 6};
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, dims, nullptr);
  H5Pset_chunk(plan, 4, dims);
  add(plan);
  const hid_t data =
      H5Dcreate2(file.file(), "channel_data/data", H5T_IEEE_F32LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, sample_table("ftei", {}).data());
  if (data >= 0) H5Dclose(data);
  H5Sclose(space);
  H5Pclose(plan);
}

// Writes a chunk whose packed bytes are not the filter's.
void broken_deflate(Hdf5Fixture& file) {
  file.empty("channel_data/data", {2, 3, 4, 6}, {.type = H5T_IEEE_F32LE, .chunk = {2, 3, 4, 6}, .deflate = 6});
  const hid_t data = H5Dopen2(file.file(), "channel_data/data", H5P_DEFAULT);
  const hsize_t at[4] = {};
  const std::string junk(300, 'x');
  H5Dwrite_chunk(data, H5P_DEFAULT, 0, at, junk.size(), junk.data());
  H5Dclose(data);
}

// Writes 64 MB of zeros, deflated to 64 KB, as the one chunk of 576 bytes.
void bomb(Hdf5Fixture& file) {
  file.empty("channel_data/data", {2, 3, 4, 6}, {.type = H5T_IEEE_F32LE, .chunk = {2, 3, 4, 6}, .deflate = 9});
  std::string packed;
  z_stream stream{};
  deflateInit(&stream, 9);
  std::string zeros(1 << 20, '\0'), out(1 << 16, '\0');
  for (int k = 0; k < 64; ++k) {
    stream.next_in = reinterpret_cast<Bytef*>(zeros.data()), stream.avail_in = static_cast<uInt>(zeros.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data()), stream.avail_out = static_cast<uInt>(out.size());
      deflate(&stream, k == 63 ? Z_FINISH : Z_NO_FLUSH);
      packed.append(out, 0, out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  const hid_t data = H5Dopen2(file.file(), "channel_data/data", H5P_DEFAULT);
  const hsize_t at[4] = {};
  H5Dwrite_chunk(data, H5P_DEFAULT, 0, at, packed.size(), packed.data());
  H5Dclose(data);
}

// Makes a chunk of 2 GB around a small array.
void big_chunk(Hdf5Fixture& file) {
  file.empty("channel_data/data", {2, 3, 4, 6}, {.type = H5T_IEEE_F32LE, .chunk = {64, 64, 256, 512}, .deflate = 9});
}

void deep_groups(Hdf5Fixture& file) {
  file.remove("channel_data");
  hid_t at = H5Gcreate2(file.file(), "channel_data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int k = 0; k < 10000; ++k) {
    const hid_t next = H5Gcreate2(at, "channel_data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(at);
    at = next;
  }
  H5Gclose(at);
}

}  // namespace

std::vector<Hostile> hostile_storage() {
  return {
      // UFF: samples
      {"data_missing", write_uff, drop(kUff + "data")},
      {"data_text", write_uff, words(kUff + "data")},
      {"data_one_axis", write_uff, shape(kUff + "data", {144})},
      {"data_five_axes", write_uff, shape(kUff + "data", {2, 3, 4, 6, 1})},
      {"data_empty", write_uff, shape(kUff + "data", {0, 3, 4, 6})},
      {"data_one_sample", write_uff, shape(kUff + "data", {2, 3, 4, 1})},
      {"data_other_transmits", write_uff, shape(kUff + "data", {2, 2, 4, 6})},
      {"data_other_elements", write_uff, shape(kUff + "data", {2, 3, 5, 6})},
      {"data_never_written", write_uff, huge(kUff + "data", {2, 3, 4, 6}, {})},
      {"data_chunks_never_written", write_uff, huge(kUff + "data", {2, 3, 4, 6}, {1, 3, 4, 6})},
      {"data_exabytes", write_uff, huge(kUff + "data", {1ULL << 40, 3, 4, 1ULL << 20}, {1, 3, 4, 6})},
      {"data_product_overflows", write_uff, huge(kUff + "data", {1ULL << 62, 3, 4, 1ULL << 62}, {1, 3, 4, 6})},
      {"data_huge_contiguous", write_uff, huge(kUff + "data", {1000000, 3, 4, 100000}, {})},
      {"data_enormous_chunk", write_uff, huge(kUff + "data", {2, 3, 4, 6}, {64, 64, 64, 3000})},
      {"data_bomb", write_uff, bomb},
      {"data_big_deflated_chunk", write_uff, big_chunk},
      {"data_broken_deflate", write_uff, broken_deflate},
      {"data_deflated_twice", write_uff,
       [](Hdf5Fixture& f) { filtered(f, [](hid_t plan) { H5Pset_deflate(plan, 9), H5Pset_deflate(plan, 9); }); }},
      {"data_scaled_offset", write_uff,
       [](Hdf5Fixture& f) { filtered(f, [](hid_t plan) { H5Pset_scaleoffset(plan, H5Z_SO_FLOAT_DSCALE, 2); }); }},
      {"data_compound_of_two_types", write_uff,
       [](Hdf5Fixture& f) {
         const hid_t type = H5Tcreate(H5T_COMPOUND, 12);
         H5Tinsert(type, "r", 0, H5T_IEEE_F32LE), H5Tinsert(type, "i", 4, H5T_IEEE_F64LE);
         f.empty(kUff + "data", {2, 3, 4, 6}, {.type = type, .chunk = {}});
         H5Tclose(type);
       }},
      {"data_enum", write_uff,
       [](Hdf5Fixture& f) {
         const hid_t type = H5Tenum_create(H5T_STD_U8LE);
         const std::uint8_t zero = 0;
         H5Tenum_insert(type, "off", &zero);
         f.empty(kUff + "data", {2, 3, 4, 6}, {.type = type, .chunk = {}});
         H5Tclose(type);
       }},
      {"data_iq_of_two_shapes", write_uff,
       [](Hdf5Fixture& f) {
         uff_object(f, kUff + "data", "double");
         shape(kUff + "data/real", {2, 3, 4, 6})(f), shape(kUff + "data/imag", {2, 3, 4, 5})(f);
       }},
      {"data_iq_without_imag", write_uff,
       [](Hdf5Fixture& f) {
         uff_object(f, kUff + "data", "double");
         shape(kUff + "data/real", {2, 3, 4, 6})(f);
       }},
      // links and storage that leave the file, groups without end
      {"external_link", write_uff, external_link},
      {"external_storage", write_uff, external_storage},
      {"virtual_dataset", write_uff, virtual_dataset},
      {"soft_link", write_uff, soft(kUff + "data", "/channel_data/probe/geometry")},
      {"soft_link_cycle", write_uff, soft(kUff + "data", "/channel_data/data")},
      {"soft_link_to_nothing", write_uff, soft(kUff + "probe", "/nowhere")},
      {"deep_groups", write_uff, deep_groups},
      {"nothing_in_it", write_uff, drop("channel_data")},
      {"another_uff", write_uff, [](Hdf5Fixture& f) { f.attribute("channel_data", "class", "uff.beamformed_data"); }},
  };
}

}  // namespace echoloop::test
