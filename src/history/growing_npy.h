// An array for NumPy that grows by whole items along its first axis. Its head has room for any number of items and is
// written again with each flush, so that also the partial file of a killed program can be read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "history/file_sinks.h"

namespace echoloop {

struct NpyItems {
  const char* type;   // of the values: "<f4", "<i2", "|u1"
  std::string shape;  // of an item, as numpy prints it, without the brackets: "3, 128, 2048"
  std::size_t bytes;  // of an item
};

// Throws Error when the file cannot be made.
std::unique_ptr<FrameFile> make_growing_npy(const std::filesystem::path& file, NpyItems items);

}  // namespace echoloop
