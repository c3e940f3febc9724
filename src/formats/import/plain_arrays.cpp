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

  using MemoryTree::put_numbers;
  void put_text(std::string path, const std::vector<std::string>& text) {
    std::string joined;
    for (const std::string& line : text) joined += (joined.empty() ? "" : ", ") + line;
    put(text_entry(std::move(path), {text.size()}, joined));
  }
};

}  // namespace

std::unique_ptr<ArrayTree> npz_tree(const OpenRequest&, const std::map<std::string, NpzMember>& members) {
  auto tree = std::make_unique<ViewTree>(".npz");
  for (const auto& [name, member] : members) {
    if (member.npy.is_text) {
      tree->put_text(name, member.npy.text);
    } else {
      tree->put_numbers(name, {.real = member.npy.array, .imaginary = {}, .owner = member.owner});
    }
  }
  return with_stacks(std::move(tree));
}

std::unique_ptr<ArrayTree> npy_tree(const OpenRequest& request, const NpyFile& file) {
  auto tree = std::make_unique<ViewTree>(".npy");
  tree->put_numbers("array", {.real = file.array, .imaginary = {}, .owner = request.file});
  return tree;
}

std::unique_ptr<ArrayTree> view_tree(std::string container, OwnedArray samples, std::string path) {
  auto tree = std::make_unique<ViewTree>(std::move(container));
  tree->put_numbers(std::move(path), std::move(samples));
  return tree;
}

}  // namespace echoloop
