// Object references of hdf5_file.h: how MATLAB files keep cells and arrays of structs.
#include "core/error.h"
#include "formats/array_view.h"
#include "formats/hdf5_file.h"

namespace echoloop::hdf5 {

void Node::each_target(std::size_t most, const std::function<void(std::size_t, std::optional<Node>)>& take) const {
  const std::vector<std::size_t> shape = extents();
  const Id type(H5Dget_type(id()));
  if (H5Tequal(type, H5T_STD_REF_OBJ) <= 0) throw Error(where(), type_text(type), "references to objects");
  const auto count = checked_bytes(shape, 1);
  if (!count || *count > most) throw Error(where(), "references of shape " + shape_text(shape), kUndamaged);
  if (depth_ >= kMaxDepth)
    throw Error(where(), "objects nested deeper than " + std::to_string(kMaxDepth), "fewer levels of references");
  static_cast<void>(storage(*count * sizeof(hobj_ref_t)));
  std::vector<hobj_ref_t> references(*count);
  if (*count > 0 && H5Dread(id(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()) < 0)
    throw Error(where(), "damaged references", kUndamaged);
  for (std::size_t k = 0; k < references.size(); ++k) {
    Id object(references[k] == 0 ? hid_t{-1} : H5Rdereference2(id(), H5P_DEFAULT, H5R_OBJECT, &references[k]));
    std::optional<Node> target;
    if (object.valid())
      target = Node(what_, path_ + "{" + std::to_string(k + 1) + "}", file_size_, depth_ + 1, std::move(object));
    if (target && !target->is_group() && !target->is_dataset()) target.reset();
    take(k, std::move(target));
  }
}

}  // namespace echoloop::hdf5
