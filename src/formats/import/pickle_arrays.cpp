// The values of a pickle as a tree: keys of dicts and attributes of objects by name, items of lists by number; lists of
// numbers are arrays. Reader process.
#include <utility>

#include "formats/base/printable.h"
#include "formats/containers/pickle_values.h"
#include "formats/import/array_tree.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostListed = 4096;  // items of a list that are no numbers

class PickleArrays final : public MemoryTree {
 public:
  explicit PickleArrays(std::shared_ptr<const pickle::Tree> tree) : tree_(std::move(tree)) {
    container_ = "pickle";
    visit("", tree_->root, 0);
  }

 private:
  void put_list(const std::string& path, std::vector<double> values, const std::vector<std::size_t>& shape) {
    put({.path = path, .type = "number", .shape = shape, .numeric = true, .text = {}},
        array_of(std::move(values), shape));
  }

  [[nodiscard]] std::optional<double> number(const pickle::Value& value) const {
    if (const auto* const real = std::get_if<double>(&value)) return *real;
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return std::nullopt;
  }

  void items(const std::string& path, const std::vector<pickle::Ref>& refs, std::size_t depth) {
    std::vector<double> numbers;
    for (const pickle::Ref ref : refs) {
      if (const auto found = number((*tree_)[ref])) numbers.push_back(*found);
    }
    if (!refs.empty() && numbers.size() == refs.size()) {
      put_list(path, std::move(numbers), {refs.size()});
      return;
    }
    put({.path = path, .type = "list", .shape = {refs.size()}, .text = {}});
    if (stack(path, refs)) return;
    for (std::size_t k = 0; k < std::min(refs.size(), kMostListed); ++k)
      visit(path + "[" + std::to_string(k) + "]", refs[k], depth + 1);
  }

  // A list of arrays of one shape and type, one after another: one array with one more axis.
  bool stack(const std::string& path, const std::vector<pickle::Ref>& refs) {
    const auto* const first = refs.empty() ? nullptr : std::get_if<ArrayView>(&(*tree_)[refs[0]]);
    if (refs.size() < 2 || first == nullptr || first->shape.empty() || first->order != MemoryOrder::c) return false;
    auto block = std::make_shared<std::vector<std::byte>>();
    for (const pickle::Ref ref : refs) {
      const auto* const one = std::get_if<ArrayView>(&(*tree_)[ref]);
      if (one == nullptr || one->shape != first->shape || !(one->type == first->type) || one->order != first->order)
        return false;
      total_ += one->bytes.size();
      if (total_ > (std::size_t{8} << 30)) return false;
      block->insert(block->end(), one->bytes.begin(), one->bytes.end());
    }
    ArrayView view = *first;
    view.shape.insert(view.shape.begin(), refs.size());
    view.bytes = *block;
    put_numbers(path + "[:]", {.real = view, .imaginary = {}, .owner = block});
    return true;
  }

  void named(const std::string& path, const pickle::Dict& dict, std::size_t depth) {
    for (const auto& [key, value] : dict.items) {
      const auto* const name = std::get_if<pickle::Text>(&(*tree_)[key]);
      if (name == nullptr) continue;
      const std::string word = printable(name->utf8.substr(0, name->utf8.find_first_of("./")), 60);
      visit(path.empty() ? word : path + "." + word, value, depth + 1);
    }
  }

  void visit(const std::string& path, pickle::Ref ref, std::size_t depth) {
    if (depth > kMaxTreeDepth) return;
    const pickle::Value& value = (*tree_)[ref];
    if (const auto found = number(value)) {
      put_list(path, {*found}, {});
    } else if (const auto* const view = std::get_if<ArrayView>(&value)) {
      put_numbers(path, {.real = *view, .imaginary = {}, .owner = tree_});
    } else if (const auto* const text = std::get_if<pickle::Text>(&value)) {
      put(text_entry(path, {}, text->utf8));
    } else if (const auto* const dict = std::get_if<pickle::Dict>(&value)) {
      put({.path = path, .type = "dict", .shape = {}, .text = {}});
      named(path, *dict, depth);
    } else if (const auto* const list = std::get_if<pickle::List>(&value)) {
      items(path, list->items, depth);
    } else if (const auto* const tuple = std::get_if<pickle::Tuple>(&value)) {
      items(path, tuple->items, depth);
    } else if (const auto* const object = std::get_if<pickle::Opaque>(&value)) {
      put({.path = path, .type = printable(object->name, 80), .shape = {}, .text = {}});
      if (object->state == pickle::kNoState) return;
      const pickle::Value& state = (*tree_)[object->state];
      if (const auto* const fields = std::get_if<pickle::Dict>(&state)) named(path, *fields, depth);
    }
  }

  std::shared_ptr<const pickle::Tree> tree_;
  std::size_t total_ = 0;  // bytes of stacked arrays
};

}  // namespace

std::unique_ptr<ArrayTree> pickle_tree(const OpenRequest&, std::shared_ptr<const pickle::Tree> tree) {
  return with_stacks(std::make_unique<PickleArrays>(std::move(tree)));
}

}  // namespace echoloop
