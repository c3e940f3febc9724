// The MATLAB container (v5 to v7 by matio, v7.3 by mat73.h): what variables there are, numeric arrays. Why apart: matio
// and HDF5 are not safe on hostile files and not thread safe. They stay behind these few functions (sizes checked
// against the file before memory is taken) in the reader process, on one thread.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/array_view.h"

namespace echoloop {

enum class MatContainer { v5, hdf5 };  // hdf5: v7.3

struct MatVariable {
  std::string name;
  std::string kind;  // "double", "uint8", "struct", "cell", ...
  std::vector<std::size_t> dims;
  bool numeric = false;
  std::vector<std::string> fields;  // struct only

  [[nodiscard]] std::string describe() const;  // "RF (334x128x32 double)"
};

struct MatArray {
  ArrayView real;
  ArrayView imaginary;  // same shape and type; no bytes when the array is real
  std::shared_ptr<const void> owner;
};

struct MatField {
  std::vector<std::size_t> dims;
  std::vector<double> values;  // MATLAB order: first axis fastest
};

// Adds a numeric field under its lower-case name: param's fields are not case-sensitive.
void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers);

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
  [[nodiscard]] MatArray read_array(const std::string& name) const;

 private:
  struct Handle;
  std::string what_;
  std::size_t file_size_;
  std::unique_ptr<Handle> handle_;
  std::vector<MatVariable> variables_;
};

}  // namespace echoloop
