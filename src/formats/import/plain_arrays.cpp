// The arrays of .npz, .npy and raw binary as a tree: they lie in the mapped file, or inflated beside it. Reader
// process.
#include <utility>

#include "formats/containers/npz.h"
#include "formats/import/array_tree.h"

namespace echoloop {
namespace {

class ViewTree final : public MemoryTree {
 public:
  explicit ViewTree(std::string container) { container_ = std::move(container); }

  void put(std::string path, TreeArray array) {
    const bool complex = array.real.type.kind == NumberKind::complex || !array.imaginary.bytes.empty();
    add({.path = std::move(path),
         .type = to_string(array.real.type),
         .shape = array.real.shape,
         .numeric = array.real.count() > 0,
         .complex = complex,
         .text = {}});
    arrays_.push_back(std::move(array));
  }
  void put_text(std::string path, const std::vector<std::string>& text) {
    std::string joined;
    for (const std::string& line : text) joined += (joined.empty() ? "" : ", ") + line;
    add(text_entry(std::move(path), {text.size()}, joined));
    arrays_.push_back({});
  }

 protected:
  [[nodiscard]] TreeArray array(std::size_t entry) const override { return arrays_.at(entry); }

 private:
  std::vector<TreeArray> arrays_;  // of each entry
};

}  // namespace

std::unique_ptr<ArrayTree> npz_tree(const OpenRequest&, const std::map<std::string, NpzMember>& members) {
  auto tree = std::make_unique<ViewTree>(".npz");
  for (const auto& [name, member] : members) {
    if (member.npy.is_text) {
      tree->put_text(name, member.npy.text);
    } else {
      tree->put(name, {.real = member.npy.array, .imaginary = {}, .owner = member.owner});
    }
  }
  return with_stacks(std::move(tree));
}

std::unique_ptr<ArrayTree> npy_tree(const OpenRequest& request, const NpyFile& file) {
  auto tree = std::make_unique<ViewTree>(".npy");
  tree->put("array", {.real = file.array, .imaginary = {}, .owner = request.file});
  return tree;
}

std::unique_ptr<ArrayTree> view_tree(std::string container, std::vector<std::pair<std::string, TreeArray>> arrays) {
  auto tree = std::make_unique<ViewTree>(std::move(container));
  for (auto& [path, array] : arrays) tree->put(std::move(path), std::move(array));
  return tree;
}

}  // namespace echoloop
