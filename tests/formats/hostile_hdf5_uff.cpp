// UFF files with wrong numbers, probes and waves.
#include "formats/hostile_hdf5.h"

namespace echoloop::test {
namespace {

hid_t compound_type() {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 12);
  H5Tinsert(type, "a", 0, H5T_IEEE_F32LE);
  H5Tinsert(type, "b", 4, H5T_IEEE_F64LE);
  return type;
}
hid_t reference_type() { return H5Tcopy(H5T_STD_REF_OBJ); }
hid_t opaque_type() { return H5Tcreate(H5T_OPAQUE, 4); }
hid_t vlen_type() { return H5Tvlen_create(H5T_IEEE_F32LE); }
hid_t wide_type() {  // a float of 64 bytes
  const hid_t type = H5Tcopy(H5T_IEEE_F64LE);
  H5Tset_size(type, 64);
  return type;
}

// Makes a group that contains itself.
void hard_cycle(Hdf5Fixture& file) {
  file.remove("channel_data/sequence");
  H5Lcreate_hard(file.file(), "channel_data", file.file(), "channel_data/sequence", H5P_DEFAULT, H5P_DEFAULT);
}

void reference_cycle(Hdf5Fixture& file) {
  file.empty("channel_data/sequence", {1}, {.type = H5T_STD_REF_OBJ, .chunk = {}});
  hobj_ref_t self;
  H5Rcreate(&self, file.file(), "channel_data/sequence", H5R_OBJECT, -1);
  const hid_t data = H5Dopen2(file.file(), "channel_data/sequence", H5P_DEFAULT);
  H5Dwrite(data, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &self);
  H5Dclose(data);
}

void many_waves(Hdf5Fixture& file) {
  for (int k = 4; k <= 300; ++k) uff_wave(file, k, 0, kInf, 0.0, 0.0);
}

void nan_geometry(Hdf5Fixture& file) {
  file.numbers("channel_data/probe/geometry", {7, 4}, std::vector<double>(28, kNaN));
}

void matrix_array(Hdf5Fixture& file) {
  std::vector<double> rows(28, 0.0);
  for (std::size_t e = 0; e < 4; ++e) rows[e] = 1e-3 * static_cast<double>(e), rows[4 + e] = 1e-3 * (e > 1 ? 1 : -1);
  file.numbers("channel_data/probe/geometry", {7, 4}, rows);
}

void null_dataset(Hdf5Fixture& file) {
  file.remove("channel_data/sampling_frequency");
  const hid_t space = H5Screate(H5S_NULL);
  H5Dclose(H5Dcreate2(file.file(), "channel_data/sampling_frequency", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT,
                      H5P_DEFAULT));
  H5Sclose(space);
}

}  // namespace

std::vector<Hostile> hostile_uff() {
  return {
      // UFF: numbers
      {"fs_zero", write_uff, set(kUff + "sampling_frequency", 0.0)},
      {"fs_negative", write_uff, set(kUff + "sampling_frequency", -20e6)},
      {"fs_nan", write_uff, set(kUff + "sampling_frequency", kNaN)},
      {"fs_infinite", write_uff, set(kUff + "sampling_frequency", kInf)},
      {"fs_missing", write_uff, drop(kUff + "sampling_frequency")},
      {"fs_text", write_uff, words(kUff + "sampling_frequency")},
      {"fs_two_numbers", write_uff, shape(kUff + "sampling_frequency", {1, 2})},
      {"fs_no_number", write_uff, shape(kUff + "sampling_frequency", {0, 0})},
      {"fs_null_space", write_uff, null_dataset},
      {"fs_compound", write_uff, of_class(kUff + "sampling_frequency", compound_type)},
      {"fs_reference", write_uff, of_class(kUff + "sampling_frequency", reference_type)},
      {"fs_opaque", write_uff, of_class(kUff + "sampling_frequency", opaque_type)},
      {"fs_vlen", write_uff, of_class(kUff + "sampling_frequency", vlen_type)},
      {"fs_wide_float", write_uff, of_class(kUff + "sampling_frequency", wide_type)},
      {"fs_group", write_uff, [](Hdf5Fixture& f) { uff_object(f, kUff + "sampling_frequency", "double"); }},
      {"fs_huge_array", write_uff, huge(kUff + "sampling_frequency", {1ULL << 40, 1ULL << 20}, {16, 16})},
      {"speed_zero", write_uff, set(kUff + "sound_speed", 0.0)},
      {"speed_nan", write_uff, set(kUff + "sound_speed", kNaN)},
      {"initial_time_infinite", write_uff, set(kUff + "initial_time", -kInf)},
      {"prf_negative", write_uff, set(kUff + "PRF", -1.0)},
      {"pulse_infinite", write_uff, set(kUff + "pulse/center_frequency", kInf)},
      // UFF: probe
      {"probe_missing", write_uff, drop(kUff + "probe")},
      {"probe_numbers", write_uff, shape(kUff + "probe", {7, 4})},
      {"geometry_nan", write_uff, nan_geometry},
      {"geometry_six_rows", write_uff, shape(kUff + "probe/geometry", {6, 4})},
      {"geometry_one_axis", write_uff, shape(kUff + "probe/geometry", {28})},
      {"geometry_too_many", write_uff, shape(kUff + "probe/geometry", {7, 5})},
      {"geometry_one_spot", write_uff, shape(kUff + "probe/geometry", {7, 4})},
      {"geometry_empty", write_uff, shape(kUff + "probe/geometry", {7, 0})},
      {"geometry_huge", write_uff, huge(kUff + "probe/geometry", {7, 1ULL << 50}, {7, 16})},
      {"geometry_matrix", write_uff, matrix_array},
      {"pitch_only_n_huge", write_uff,
       [](Hdf5Fixture& f) {
         f.remove(kUff + "probe/geometry");
         f.number(kUff + "probe/N", 1e30), f.number(kUff + "probe/pitch", 1e-4);
       }},
      {"pitch_only_radius_zero", write_uff,
       [](Hdf5Fixture& f) {
         f.remove(kUff + "probe/geometry");
         f.number(kUff + "probe/N", 4), f.number(kUff + "probe/pitch", 1e-4), f.number(kUff + "probe/radius", 0);
       }},
      // UFF: waves
      {"sequence_missing", write_uff, drop(kUff + "sequence")},
      {"sequence_numbers", write_uff, shape(kUff + "sequence", {1, 3})},
      {"sequence_empty", write_uff, [](Hdf5Fixture& f) { uff_object(f, kUff + "sequence", "uff.wave", true); }},
      {"sequence_too_long", write_uff, many_waves},
      {"sequence_cycle", write_uff, hard_cycle},
      {"sequence_reference_cycle", write_uff, reference_cycle},
      {"wavefront_photoacoustic", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 2, 0.1, 0.0, 0.0); }},
      {"wavefront_nan", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, kNaN, 0.1, 0.0, 0.0); }},
      {"source_nan", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 1, kNaN, 0.0, 0.0); }},
      {"source_far", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 1, 1e30, 0.1, 0.0); }},
      {"angle_backwards", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 0, kInf, 3.0, 0.0); }},
      {"angle_infinite", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 0, kInf, kInf, 0.0); }},
      {"delay_nan", write_uff, [](Hdf5Fixture& f) { uff_wave(f, 1, 0, kInf, 0.1, kNaN); }},
      {"elevation", write_uff, [](Hdf5Fixture& f) { f.number(kUff + "sequence/sequence_0001/source/elevation", 0.5); }},
  };
}

}  // namespace echoloop::test
