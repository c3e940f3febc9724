// A tree with what it stands on. Internal to src/formats/import.
#pragma once

#include <memory>

#include "formats/base/mapping.h"
#include "formats/containers/mat_file.h"
#include "formats/import/array_tree.h"

namespace echoloop {

struct OpenTree {
  std::unique_ptr<MatFile> mat;
  std::unique_ptr<ArrayTree> tree;              // null: a file of another kind
  std::shared_ptr<const MappedFile> file = {};  // where its arrays may lie; null: that of the request
};

}  // namespace echoloop
