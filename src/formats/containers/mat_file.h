// MATLAB files (v5 to v7 by matio, v7.3 by HDF5, mat_values.h): list of variables, numeric arrays. Reason for a
// separate file: matio and HDF5 are not safe on hostile files and not thread-safe. Only these few functions use them
// (sizes checked against the file before memory is allocated), in the reader process, on one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// A MATLAB variable with its whole content: numbers, text, structs and arrays of them, cells. For workspaces with
// nested variables (Verasonics), and for cells. v5 to v7 by matio, v7.3 by HDF5: in the reader process only. Internal
// to src/formats.
class MatTree {
 public:
  // Reads those variables of `names` that exist. Throws Error on damaged files, and on structures nested deeper or
  // larger than any real workspace. `file_size` limits the sizes accepted. Real numbers of the variable or field
  // `left`, also in its cells, remain in a v7.3 file.
  MatTree(const std::string& what, const std::string& path, std::size_t file_size,
          const std::vector<std::string>& names, MatContainer container, std::string left = {});

  [[nodiscard]] const MatNode* find(std::string_view name) const;
  // Replaces that struct by its fields, except those whose names exist already.
  void unpack(std::string_view name);
  // Replaces a cell of structs by the array of these structs; other variables remain unchanged.
  void join_structs(std::string_view name);
  // Keeps the numbers alive.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::map<std::string, MatNode, std::less<>> variables_;
  std::shared_ptr<const void> owner_;
};

// Cells in the layout of MUST's users: one per transmit, RF{k} or TXdelay{k}. Joined into one array. Internal to
// src/formats.

// Returns cells of time x element [x frame], all of one type and number of elements and frames, as time x element x
// cell [x frame]; shorter ones are padded with zeros. A single cell is returned as it is. Throws Error naming the first
// cell that does not fit.
OwnedArray join_recordings(const std::string& what, const MatNode& cell, const std::shared_ptr<const void>& owner);

// Returns cells of equal numbers of values as (cell, number); nullopt for any other variable.
std::optional<MatField> join_rows(const MatNode& cell);

}  // namespace echoloop
