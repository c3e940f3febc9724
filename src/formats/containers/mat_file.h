// The MATLAB container (v5 to v7 by matio, v7.3 by mat73.h): what variables there are, numeric arrays. Why apart: matio
// and HDF5 are not safe on hostile files and not thread safe. They stay behind these few functions (sizes checked
// against the file before memory is taken) in the reader process, on one thread.
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
  // `what`: the name for messages. `bytes` is the same file, mapped: the outline of a v5 file is checked before matio
  // sees it.
  MatFile(const std::string& what, const std::string& path, std::span<const std::byte> bytes);
  ~MatFile();
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  [[nodiscard]] const std::vector<MatVariable>& variables() const { return variables_; }
  [[nodiscard]] MatContainer container() const;
  // Any numeric variable, v5: converted by matio to its MATLAB class.
  [[nodiscard]] OwnedArray read_array(const std::string& name) const;

 private:
  struct Handle;
  std::string what_;
  std::size_t file_size_;
  std::unique_ptr<Handle> handle_;
  std::vector<MatVariable> variables_;
};

}  // namespace echoloop
