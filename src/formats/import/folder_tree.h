// The files of a folder as one tree: what each of them holds, with the files as the first axis of the samples. Reader
// process, one thread. Internal to src/formats/import.
#pragma once

#include <functional>
#include <memory>

#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/mat_file.h"
#include "formats/import/array_tree.h"

namespace echoloop {

struct OpenTree {
  std::unique_ptr<MatFile> mat;                 // that the tree stands on
  std::unique_ptr<ArrayTree> tree;              // null: a file of another kind
  std::shared_ptr<const MappedFile> file = {};  // where its arrays may lie; null: that of the request
};
using TreeOpener = std::function<OpenTree(const OpenRequest& request)>;  // null tree: no arrays

// One file of request.folder as a request of its own. Throws Error.
OpenRequest request_of_file(const OpenRequest& request, std::size_t index);

// Opens every file once. Samples have the shape (files, shape of one); numbers that differ from file to file have one
// value a file; everything else is as in the first file. Null when the first file has no arrays. Throws Error for files
// that do not hold the same arrays of the same type and shape.
std::unique_ptr<ArrayTree> folder_tree(const OpenRequest& request, TreeOpener open);

}  // namespace echoloop
