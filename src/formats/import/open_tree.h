// A tree with what it stands on. Internal to src/formats/import.
#pragma once

#include <memory>

#include "formats/containers/mat_file.h"
#include "formats/import/array_tree.h"

namespace echoloop {

struct OpenTree {
  std::unique_ptr<MatFile> mat;
  std::unique_ptr<ArrayTree> tree;  // null: a file of another kind
};

}  // namespace echoloop
