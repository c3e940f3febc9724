#include "formats/containers/mat73_tree.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "formats/containers/mat73_outline.h"

namespace echoloop {

using namespace mat73;
using hdf5::Node;

namespace {

constexpr std::size_t kMaxMatText = 4096;
constexpr std::size_t kReferenceBytes = 8;   // in the file, and the object it leads to takes more
constexpr std::size_t kMaxDeflation = 1032;  // of deflate
constexpr std::size_t kMostBytes = std::size_t{8} << 30;

class Mat73Builder {
 public:
  explicit Mat73Builder(std::size_t file_size)
      : references_left_(file_size / kReferenceBytes), bytes_left_(std::min(kMostBytes, kMaxDeflation * file_size)) {}

  MatNode node(const Node& object) {
    if (object.is_group()) return structure(object);
    const Outline outline = dataset_outline(object);
    MatNode node;
    node.dims = outline.dims;
    if (outline.number) {
      numbers(object, outline, node);
    } else if (outline.kind == "cell" || outline.kind == "references") {
      node.kind = MatNode::Kind::cell;
      follow(object, outline, [&](std::size_t, MatNode inside) { node.cells.push_back(std::move(inside)); });
    } else if (outline.kind == "char" || hdf5::type_text(hdf5::Id(H5Dget_type(object.id()))) == "text") {
      node.kind = MatNode::Kind::text;
      if (count(outline) > 0 && count(outline) <= kMaxMatText) node.text = object.text(kMaxMatText);
    }
    return node;
  }

  std::vector<Block> blocks;

 private:
  static std::size_t count(const Outline& outline) { return checked_bytes(outline.dims, 1).value_or(0); }

  template <class Take>
  void follow(const Node& dataset, const Outline& outline, Take&& take) {
    if (count(outline) == 0) return;  // {}
    dataset.each_target(references_left_, [&](std::size_t k, std::optional<Node> target) {
      if (references_left_-- == 0) throw Error(dataset.where(), "more references than the file can hold", kAccepted);
      take(k, target ? node(*target) : MatNode{});
    });
  }

  void numbers(const Node& dataset, const Outline& outline, MatNode& node) {
    if (count(outline) == 0) return;  // []
    const auto read = [&](const std::string& member) {
      const auto size = checked_bytes(outline.dims, 8);
      if (!size || *size / 8 > bytes_left_)
        throw Error(dataset.where(), "more numbers than the file can hold", kAccepted);
      blocks.push_back(std::make_shared<std::vector<std::byte>>());
      const ArrayView view = read_numbers(dataset, outline, member, blocks.back());
      if (view.bytes.size() > bytes_left_)
        throw Error(dataset.where(), "more numbers than the file can hold", kAccepted);
      bytes_left_ -= view.bytes.size();
      return view;
    };
    node.kind = MatNode::Kind::numbers;
    node.numbers = read(outline.real);
    if (!outline.imaginary.empty()) node.imaginary = read(outline.imaginary);
  }

  // A 1x1 struct holds its fields; in an array of them every field is references, one an element, and of no class.
  MatNode structure(const Node& group) {
    MatNode node;
    node.kind = MatNode::Kind::structure;
    node.dims = {1, 1};
    const std::vector<std::string> fields = members(group);
    std::vector<Outline> outlines;
    bool array = !fields.empty();
    for (const std::string& field : fields) {
      const Node member = group.at(field);
      outlines.push_back(member.is_dataset() ? dataset_outline(member) : Outline{});
      array = array && outlines.back().kind == "references" && outlines.back().dims == outlines.front().dims;
    }
    if (array) node.dims = outlines.front().dims;
    node.rows.resize(array ? std::min(count(outlines.front()), references_left_) : 1);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const Node member = group.at(fields[f]);
      if (!array) {
        node.rows[0].emplace(fields[f], this->node(member));
      } else {
        follow(member, outlines[f],
               [&](std::size_t k, MatNode inside) { node.rows.at(k).emplace(fields[f], std::move(inside)); });
      }
    }
    return node;
  }

  std::size_t references_left_, bytes_left_;
};

}  // namespace

Mat73Tree read_mat73_tree(const std::string& what, const std::string& path, std::size_t file_size,
                          const std::vector<std::string>& names) {
  const Node root = Node::open(what, path, file_size);
  Mat73Builder builder(file_size);
  Mat73Tree tree;
  for (const std::string& name : names) {
    if (const auto variable = root.find(name)) tree.variables.emplace(name, builder.node(*variable));
  }
  tree.owner = std::make_shared<const std::vector<Block>>(std::move(builder.blocks));
  return tree;
}

}  // namespace echoloop
