// MATLAB files (v5 to v7 by matio, v7.3 by HDF5, mat_values.h): list of variables, numeric arrays. Reason for a
// separate file: matio and HDF5 are not safe on hostile files and not thread-safe. Only these few functions use them
// (sizes checked against the file before memory is allocated), in the reader process, on one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/containers/mat_values.h"

namespace echoloop {

bool looks_like_mat(std::span<const std::byte> bytes);  // v5 to v7, or v7.3

class MatFile {
 public:
  // `what`: the name for messages. `bytes` is the same file, mapped: the structure of a v5 file is checked before matio
  // reads it.
  MatFile(const std::string& what, const std::string& path, std::span<const std::byte> bytes);
  ~MatFile();
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  [[nodiscard]] const std::vector<MatVariable>& variables() const { return variables_; }
  [[nodiscard]] MatContainer container() const;
  // Returns any numeric variable; v5: converted by matio to its MATLAB class.
  [[nodiscard]] OwnedArray read_array(const std::string& name) const;

 private:
  struct Handle;
  std::string what_;
  std::size_t file_size_;
  std::unique_ptr<Handle> handle_;
  std::vector<MatVariable> variables_;
};

}  // namespace echoloop
