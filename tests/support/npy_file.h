// Writes .npy files, and reads those of float32 (version 1.0, C order), independent of the program's own reader and
// writer.
#pragma once

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace echoloop::testing {

// `shape` as numpy writes it: "(2, 3, 4)"; `data`: the samples' bytes.
inline std::string npy(const std::string& descr, bool fortran, const std::string& shape, const std::string& data,
                       int version = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t k = 0; k < prefix - 8; ++k) file += static_cast<char>((header.size() >> (8 * k)) & 0xff);
  return file + header + data;
}

struct NpyImage {
  int nz = 0;
  int nx = 0;
  std::vector<float> values;  // [nz][nx]
};

inline NpyImage read_npy_image(const std::filesystem::path& path) {
  const std::string file = read_text(path);
  const auto fail = [&](const char* why) { throw std::runtime_error(path.string() + ": " + why); };
  if (file.size() < 10 || file.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0) fail("not .npy version 1.0");
  const std::size_t length = static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  const std::string header = file.substr(10, length);
  if (header.find("'<f4'") == std::string::npos) fail("not float32");
  if (header.find("'fortran_order': False") == std::string::npos) fail("not in C order");
  NpyImage image;
  const std::size_t shape = header.find("'shape': (");
  if (shape == std::string::npos) fail("no shape");
  std::size_t used = 0;
  const std::string numbers = header.substr(shape + 10);
  image.nz = std::stoi(numbers, &used);
  image.nx = std::stoi(numbers.substr(used + 1));
  image.values.resize(static_cast<std::size_t>(image.nz) * static_cast<std::size_t>(image.nx));
  if (file.size() != 10 + length + image.values.size() * sizeof(float)) fail("another size than its header says");
  std::memcpy(image.values.data(), file.data() + 10 + length, image.values.size() * sizeof(float));
  return image;
}

}  // namespace echoloop::testing
