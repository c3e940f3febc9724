// Variables of doubles as an uncompressed MATLAB v5 file, independent of matio.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace echoloop::test {

struct Mat5Variable {
  std::string name;
  std::vector<std::int32_t> dims;
  std::vector<double> values;          // first axis fastest
  std::vector<double> imaginary = {};  // first axis fastest; empty: real
};

inline std::string mat5_element(std::uint32_t type, std::string content) {
  const std::uint32_t tag[2] = {type, static_cast<std::uint32_t>(content.size())};
  content.resize((content.size() + 7) / 8 * 8, '\0');
  return std::string(reinterpret_cast<const char*>(tag), sizeof tag) + content;
}

template <class T>
std::string mat5_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string mat5_file(const std::vector<Mat5Variable>& variables) {
  constexpr std::uint32_t kInt8 = 1, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14, kDoubleClass = 6,
                          kComplex = 0x800;
  std::string file = "MATLAB 5.0 MAT-file";
  file.resize(124, ' ');
  file += std::string("\x00\x01IM", 4);
  for (const Mat5Variable& v : variables) {
    const std::uint32_t kind = kDoubleClass | (v.imaginary.empty() ? 0 : kComplex);
    std::string matrix = mat5_element(kUint32, mat5_bytes(std::vector<std::uint32_t>{kind, 0})) +
                         mat5_element(kInt32, mat5_bytes(v.dims)) + mat5_element(kInt8, v.name) +
                         mat5_element(kDouble, mat5_bytes(v.values));
    if (!v.imaginary.empty()) matrix += mat5_element(kDouble, mat5_bytes(v.imaginary));
    file += mat5_element(kMatrix, matrix);
  }
  return file;
}

}  // namespace echoloop::test
