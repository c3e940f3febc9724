#include "formats/hostile_hdf5.h"

namespace echoloop::test {

Spoil set(const std::string& path, double value) {
  return [=](Hdf5Fixture& file) { file.numbers(path, {1, 1}, {value}, {.type = H5T_IEEE_F64LE, .chunk = {}}); };
}
Spoil drop(const std::string& path) {
  return [=](Hdf5Fixture& file) { file.remove(path); };
}
Spoil shape(const std::string& path, const std::vector<hsize_t>& dims) {
  return [=](Hdf5Fixture& file) {
    std::size_t count = 1;
    for (const hsize_t extent : dims) count *= extent;
    file.numbers(path, dims, std::vector<double>(count, 0.001));
  };
}
Spoil huge(const std::string& path, const std::vector<hsize_t>& dims, const std::vector<hsize_t>& chunk, int deflate) {
  return
      [=](Hdf5Fixture& file) { file.empty(path, dims, {.type = H5T_IEEE_F32LE, .chunk = chunk, .deflate = deflate}); };
}
Spoil words(const std::string& path) {
  return [=](Hdf5Fixture& file) { file.text(path, "twenty"); };
}
Spoil of_class(const std::string& path, hid_t (*make)()) {
  return [=](Hdf5Fixture& file) {
    const hid_t type = make();
    file.empty(path, {1, 1}, {.type = type, .chunk = {}});
    H5Tclose(type);
  };
}
Spoil soft(const std::string& path, const std::string& target) {
  return [=](Hdf5Fixture& file) {
    file.remove(path);
    H5Lcreate_soft(target.c_str(), file.file(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  };
}

}  // namespace echoloop::test
