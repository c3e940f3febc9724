// A MATLAB variable with all that is inside it: numbers, text, structs and arrays of them, cells. For workspaces, where
// everything is nested (Verasonics), and for cells. v5 to v7 by matio, v7.3 by HDF5: in the reader process
// only. Internal to src/formats.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/mat_file.h"
#include "formats/containers/mat_values.h"

namespace echoloop {

class MatTree {
 public:
  // Reads the variables that `names` lists, those that there are. Throws Error on damaged files, and on structures
  // nested deeper or larger than any real workspace. `file_size` bounds what is believed of sizes. Real numbers of the
  // variable or field `left`, also in its cells, are left in a v7.3 file.
  MatTree(const std::string& what, const std::string& path, std::size_t file_size,
          const std::vector<std::string>& names, MatContainer container, std::string left = {});

  [[nodiscard]] const MatNode* find(std::string_view name) const;
  // The fields of that struct in its place, but for those whose names are taken.
  void unpack(std::string_view name);
  // A cell of structs as the array of structs that it lists; other variables stay as they are.
  void join_structs(std::string_view name);
  // Keeps the numbers alive.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::map<std::string, MatNode, std::less<>> variables_;
  std::shared_ptr<const void> owner_;
};

// Cells as MUST's users fill them: one for each transmit, RF{k} or TXdelay{k}. Joined into the array that they would
// be. Internal to src/formats.

// Cells of time x element [x frame], all of one type and number of elements and frames, as time x element x cell
// [x frame]; shorter ones end in zeros, as their echoes do. A single cell is that array itself. Throws Error naming the
// cell that does not fit.
OwnedArray join_recordings(const std::string& what, const MatNode& cell, const std::shared_ptr<const void>& owner);

// Cells of as many numbers each as (cell, number). Nothing when it is no such cell.
std::optional<MatField> join_rows(const MatNode& cell);

}  // namespace echoloop
