// Variables of a MATLAB v7.3 file with all that is inside them, by HDF5 itself (mat73.h says why not by matio).
// Internal to mat_tree.cpp.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/mat_node.h"

namespace echoloop {

struct Mat73Tree {
  std::map<std::string, MatNode, std::less<>> variables;
  std::shared_ptr<const void> owner;  // keeps the numbers alive
};

// Those of `names` that there are. References of cells and struct arrays are followed as deep as any real workspace
// goes, in number and bytes no further than what a file of `file_size` can hold. Throws Error of one line.
Mat73Tree read_mat73_tree(const std::string& what, const std::string& path, std::size_t file_size,
                          const std::vector<std::string>& names);

}  // namespace echoloop
