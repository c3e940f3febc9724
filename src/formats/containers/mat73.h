// MATLAB v7.3 files by HDF5 itself. Why not by matio: it takes a class attribute without a closing NUL (as h5py writes
// it) for none, and loses the fields of a struct without MATLAB_fields. Internal to mat_file.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/containers/mat_values.h"

namespace echoloop {

// Throws Error of one line on a damaged file. Links that are not hard, data kept in other files and filters that are
// not built in are never followed.
class Mat73 {
 public:
  Mat73(const std::string& what, const std::string& path, std::size_t file_size);
  ~Mat73();
  Mat73(const Mat73&) = delete;
  Mat73& operator=(const Mat73&) = delete;

  [[nodiscard]] std::vector<MatVariable> variables() const;
  [[nodiscard]] MatArray read_array(const std::string& name) const;

 private:
  struct Handle;
  std::string what_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace echoloop
