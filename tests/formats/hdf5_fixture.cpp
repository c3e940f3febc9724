#include "formats/hdf5_fixture.h"

#include <cstdio>
#include <utility>

namespace echoloop::test {

Hdf5Fixture::Hdf5Fixture(const std::filesystem::path& path, hsize_t user_block) {
  if (path.is_relative()) folder_.emplace();
  path_ = folder_ ? folder_->path() / path : path;
  const hid_t plan = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(plan, user_block);
  file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, plan, H5P_DEFAULT);
  H5Pclose(plan);
}

Hdf5Fixture::~Hdf5Fixture() {
  if (file_ >= 0) H5Fclose(file_);
}

std::filesystem::path Hdf5Fixture::close() {
  H5Fclose(std::exchange(file_, -1));
  return path_;
}

void Hdf5Fixture::remove(const std::string& path) {
  std::size_t at = 0;
  while ((at = path.find('/', at + 1)) != std::string::npos) {
    if (H5Lexists(file_, path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return;
  }
  if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0) H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
}

void Hdf5Fixture::group(const std::string& path) {
  const hid_t plan = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(plan, 1);
  H5Gclose(H5Gcreate2(file_, path.c_str(), plan, H5P_DEFAULT, H5P_DEFAULT));
  H5Pclose(plan);
}

void Hdf5Fixture::empty(const std::string& path, const std::vector<hsize_t>& dims, const DatasetPlan& plan) {
  remove(path);
  const hid_t link = H5Pcreate(H5P_LINK_CREATE), create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(link, 1);
  if (!plan.chunk.empty()) H5Pset_chunk(create, static_cast<int>(plan.chunk.size()), plan.chunk.data());
  if (plan.deflate > 0) H5Pset_deflate(create, static_cast<unsigned>(plan.deflate));
  const std::vector<hsize_t> endless(dims.size(), H5S_UNLIMITED);  // a chunk may be longer than the data
  const hid_t space = dims.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(dims.size()), dims.data(),
                                                      plan.chunk.empty() ? nullptr : endless.data());
  const hid_t dataset = H5Dcreate2(file_, path.c_str(), plan.type, space, link, create, H5P_DEFAULT);
  if (dataset < 0) throw std::runtime_error("fixture: cannot make " + path);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(create);
  H5Pclose(link);
}

void Hdf5Fixture::numbers(const std::string& path, const std::vector<hsize_t>& dims, const std::vector<double>& values,
                          const DatasetPlan& plan) {
  empty(path, dims, plan);
  const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(dataset);
}

namespace {

hid_t text_type(const std::string& value, TextKind kind) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (kind == TextKind::variable) {
    H5Tset_size(type, H5T_VARIABLE);
    return type;
  }
  H5Tset_size(type, value.size() + (kind == TextKind::null_terminated ? 1 : 3));
  H5Tset_strpad(type, kind == TextKind::null_terminated ? H5T_STR_NULLTERM
                      : kind == TextKind::null_padded   ? H5T_STR_NULLPAD
                                                        : H5T_STR_SPACEPAD);
  return type;
}

void write_attribute(hid_t file, const std::string& path, const char* name, hid_t type, const void* value) {
  const hid_t object = H5Oopen(file, path.c_str(), H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
}

}  // namespace

void Hdf5Fixture::text(const std::string& path, const std::string& value) {
  const hid_t type = text_type(value, TextKind::null_terminated);
  empty(path, {}, {.type = type, .chunk = {}});
  const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str());
  H5Dclose(dataset);
  H5Tclose(type);
}

void Hdf5Fixture::attribute(const std::string& path, const char* name, const std::string& value, TextKind kind) {
  const hid_t type = text_type(value, kind);
  std::string padded = value;
  padded.resize(value.size() + 3, kind == TextKind::space_padded ? ' ' : '\0');
  const char* const start = value.c_str();
  const void* const stored = kind == TextKind::variable ? static_cast<const void*>(&start) : padded.data();
  write_attribute(file_, path, name, type, stored);
  H5Tclose(type);
}

void Hdf5Fixture::attribute(const std::string& path, const char* name, double value) {
  write_attribute(file_, path, name, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Fixture::attribute(const std::string& path, const char* name, const std::vector<double>& values) {
  const hsize_t n = values.size();
  const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT), space = H5Screate_simple(1, &n, nullptr);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
}

void Hdf5Fixture::references(const std::string& path, const std::vector<std::string>& targets) {
  empty(path, {targets.size()}, {.type = H5T_STD_REF_OBJ, .chunk = {}});
  std::vector<hobj_ref_t> values(targets.size(), 0);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].empty()) H5Rcreate(&values[k], file_, targets[k].c_str(), H5R_OBJECT, -1);
  }
  const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
  H5Dwrite(dataset, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(dataset);
}

void Hdf5Fixture::enum_attribute(const std::string& path, const char* name, const std::vector<const char*>& members,
                                 int value) {
  const hid_t type = H5Tenum_create(H5T_STD_I32LE);
  for (int k = 0; k < static_cast<int>(members.size()); ++k)
    H5Tenum_insert(type, members[static_cast<std::size_t>(k)], &k);
  write_attribute(file_, path, name, type, &value);
  H5Tclose(type);
}

double sample_value(int frame, int transmit, int element, int index, int value) {
  return 1000.0 * frame + 200.0 * transmit + 40.0 * element + index + (value == 1 ? 0.5 : 0.0) - 300.0;
}

namespace {

int extent_of(char axis, const Extents& n) {
  return axis == 'f'   ? n.frames
         : axis == 't' ? n.transmits
         : axis == 'e' ? n.elements
         : axis == 'i' ? n.samples
                       : n.values;
}

}  // namespace

std::vector<hsize_t> sample_dims(const std::string& axes, const Extents& n) {
  std::vector<hsize_t> dims;
  for (const char axis : axes) dims.push_back(static_cast<hsize_t>(extent_of(axis, n)));
  return dims;
}

std::vector<double> sample_table(const std::string& axes, const Extents& n, int value) {
  std::vector<double> table;
  std::size_t count = 1;
  for (const char axis : axes) count *= static_cast<std::size_t>(extent_of(axis, n));
  for (std::size_t k = 0; k < count; ++k) {
    int at[128] = {};
    at[static_cast<int>('q')] = value;
    std::size_t rest = k;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(extent_of(axes[a], n));
      at[static_cast<int>(axes[a])] = static_cast<int>(rest % extent);
      rest /= extent;
    }
    table.push_back(sample_value(at[static_cast<int>('f')], at[static_cast<int>('t')], at[static_cast<int>('e')],
                                 at[static_cast<int>('i')], at[static_cast<int>('q')]));
  }
  return table;
}

void expect_samples(const Recording& recording, const Extents& n, double scale) {
  const Acquisition& a = *recording.acquisition;
  ASSERT_EQ(recording.frame_count, static_cast<std::uint64_t>(n.frames));
  ASSERT_EQ(a.n_transmits(), n.transmits);
  ASSERT_EQ(a.n_elements(), n.elements);
  ASSERT_EQ(a.n_samples, n.samples);
  ASSERT_EQ(a.values_per_sample(), n.values);
  for (int f = 0; f < n.frames; ++f) {
    for (int t = 0; t < n.transmits; ++t) {
      for (int e = 0; e < n.elements; ++e) {
        for (int i = 0; i < n.samples; ++i) {
          for (int v = 0; v < n.values; ++v) {
            ASSERT_FLOAT_EQ(static_cast<float>(sample(recording, static_cast<std::uint64_t>(f), t, e, i, v)),
                            static_cast<float>(scale * sample_value(f, t, e, i, v)))
                << f << ' ' << t << ' ' << e << ' ' << i << ' ' << v;
          }
        }
      }
    }
  }
}

}  // namespace echoloop::test
