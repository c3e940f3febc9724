// Reads a recording with HDF5's C interface, independent of the program, as other readers would.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "history/hdf5_recording.h"

namespace echoloop::testing {

enum class Opened { ended, killed };  // killed: the writer's mark remains

class UffFile {
 public:
  explicit UffFile(const std::filesystem::path& path, Opened how = Opened::ended) {
    const std::scoped_lock lock(hdf5_lock());
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    file_ =
        H5Fopen(path.c_str(), how == Opened::ended ? H5F_ACC_RDONLY : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  }
  ~UffFile() {
    const std::scoped_lock lock(hdf5_lock());
    if (file_ >= 0) H5Fclose(file_);
  }
  UffFile(const UffFile&) = delete;
  UffFile& operator=(const UffFile&) = delete;

  [[nodiscard]] bool is_open() const { return file_ >= 0; }

  [[nodiscard]] std::vector<hsize_t> shape(const std::string& name) const {
    const std::scoped_lock lock(hdf5_lock());
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    if (set < 0) return {};
    const hid_t space = H5Dget_space(set);
    std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, dims.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return dims;
  }

  template <class T>
  [[nodiscard]] std::vector<T> all(const std::string& name, hid_t type) const {
    std::size_t n = 1;
    for (const hsize_t side : shape(name)) n *= side;
    std::vector<T> values(n);
    const std::scoped_lock lock(hdf5_lock());
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Dclose(set);
    return values;
  }
  [[nodiscard]] float number(const std::string& name) const {
    const std::vector<float> values = all<float>(name, H5T_NATIVE_FLOAT);
    return values.size() == 1 ? values[0] : -1e30F;
  }
  [[nodiscard]] std::vector<std::uint64_t> sequence() const {
    return all<std::uint64_t>("/echoloop/frame_sequence", H5T_NATIVE_UINT64);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    const std::scoped_lock lock(hdf5_lock());
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    std::string text(H5Tget_size(type), '\0');
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), 0) << name;
    H5Tclose(type);
    H5Dclose(set);
    return text;
  }
  [[nodiscard]] std::string attribute(const std::string& object, const char* name) const {
    const std::scoped_lock lock(hdf5_lock());
    const hid_t attribute = H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return "no attribute";
    const hid_t type = H5Aget_type(attribute);
    std::string text(H5Tget_size(type), '\0');
    H5Aread(attribute, type, text.data());
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
  }

  // Returns one frame as recorded: int16 or float32, IQ as pairs again.
  [[nodiscard]] std::vector<std::byte> frame(hsize_t index, const Acquisition& a) const {
    if (a.signal == SignalKind::rf) return part("/channel_data/data", index, a);
    const std::vector<std::byte> real = part("/channel_data/data/real", index, a);
    const std::vector<std::byte> imag = part("/channel_data/data/imag", index, a);
    const std::size_t size = bytes_per_value(a.sample_type);
    std::vector<std::byte> pairs(2 * real.size());
    for (std::size_t i = 0; i < real.size() / size; ++i) {
      std::memcpy(&pairs[2 * i * size], &real[i * size], size);
      std::memcpy(&pairs[(2 * i + 1) * size], &imag[i * size], size);
    }
    return pairs;
  }

  // Returns the number of complete frames, also in a file whose writer was killed.
  [[nodiscard]] hsize_t frames() const {
    const auto data = shape("/channel_data/data");
    const auto numbers = shape("/echoloop/frame_sequence");
    const auto times = shape("/echoloop/acquired_ns");
    if (data.empty() || numbers.empty() || times.empty()) return 0;
    return std::min({data[0], numbers[0], times[0]});
  }

 private:
  [[nodiscard]] std::vector<std::byte> part(const std::string& name, hsize_t index, const Acquisition& a) const {
    const std::scoped_lock lock(hdf5_lock());
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const hsize_t first[4] = {index, 0, 0, 0};
    const hsize_t count[4] = {1, static_cast<hsize_t>(a.n_transmits()), static_cast<hsize_t>(a.n_elements()),
                              static_cast<hsize_t>(a.n_samples)};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr);
    const hid_t memory = H5Screate_simple(4, count, nullptr);
    const hid_t type = H5Dget_type(set);
    EXPECT_EQ(H5Tequal(type, a.sample_type == SampleType::int16 ? H5T_STD_I16LE : H5T_IEEE_F32LE), 1);
    std::vector<std::byte> samples(a.frame_bytes() / static_cast<std::size_t>(a.values_per_sample()));
    EXPECT_GE(H5Dread(set, type, memory, space, H5P_DEFAULT, samples.data()), 0) << name << " frame " << index;
    H5Tclose(type);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return samples;
  }

  hid_t file_ = -1;
};

}  // namespace echoloop::testing
