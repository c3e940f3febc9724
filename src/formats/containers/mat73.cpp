#include "formats/containers/mat73.h"

#include <utility>

#include "core/error.h"
#include "formats/containers/mat73_outline.h"

namespace echoloop {

using namespace mat73;
using hdf5::Id;
using hdf5::Node;

namespace {}  // namespace

struct Mat73::Handle {
  Node root;
};

Mat73::Mat73(const std::string& what, const std::string& path, std::size_t file_size)
    : what_(what), handle_(std::make_unique<Handle>(Handle{Node::open(what, path, file_size)})) {}

Mat73::~Mat73() = default;

std::vector<MatVariable> Mat73::variables() const {
  std::vector<MatVariable> found;
  for (const std::string& name : members(handle_->root)) {
    const Node object = handle_->root.at(name);
    if (object.is_dataset()) {
      const Outline outline = dataset_outline(object);
      found.push_back({name, outline.kind, outline.dims, outline.number.has_value(), {}});
    } else if (object.is_group()) {
      MatVariable variable{name, class_attribute(object), {1, 1}, false, members(object)};
      if (variable.kind.empty()) variable.kind = "struct";
      if (has_attribute(object, "MATLAB_sparse")) variable.kind = "sparse";
      if (!variable.fields.empty()) {  // the fields of a struct array are references, and of its shape
        const Node first = object.at(variable.fields[0]);
        const Outline outline = first.is_dataset() ? dataset_outline(first) : Outline{};
        if (outline.kind == "references") variable.dims = outline.dims;
      }
      found.push_back(std::move(variable));
    }
  }
  return found;
}

MatArray Mat73::read_array(const std::string& name) const {
  const Node object = handle_->root.at(name);
  if (!object.is_dataset()) throw Error(object.where(), "no array", kAccepted);
  const Outline outline = dataset_outline(object);
  if (!outline.number) throw Error(object.where(), "no numbers", kAccepted);
  struct Owner {
    Block real = std::make_shared<std::vector<std::byte>>(), imaginary = std::make_shared<std::vector<std::byte>>();
  };
  const auto owner = std::make_shared<Owner>();
  MatArray array;
  array.real = read_numbers(object, outline, outline.real, owner->real);
  if (!outline.imaginary.empty()) array.imaginary = read_numbers(object, outline, outline.imaginary, owner->imaginary);
  array.owner = owner;
  return array;
}

}  // namespace echoloop
