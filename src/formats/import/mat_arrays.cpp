// The variables of a MATLAB file as a tree: v5 here, v7.3 as the HDF5 file that it is, unless it holds cells. Reader
// process.
#include <algorithm>

#include "core/error.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_cells.h"
#include "formats/containers/mat_file.h"
#include "formats/containers/mat_tree.h"
#include "formats/import/array_tree.h"
#include "formats/import/guess_samples.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostRows = 65'536;  // of an array of structs that is stacked

class MatlabTree final : public MemoryTree {
 public:
  MatlabTree(const OpenRequest& request, const MatFile& file) : what_(request.what()), file_(file) {
    container_ = file.container() == MatContainer::v5 ? "MATLAB v5" : "MATLAB v7.3";
    std::vector<std::string> nested;
    for (const MatVariable& variable : file.variables()) {
      if (!variable.numeric) nested.push_back(variable.name);
    }
    if (!nested.empty()) {
      tree_ = std::make_unique<MatTree>(what_, request.path_to_open.string(), request.bytes().size(), nested,
                                        file.container());
    }
    for (const MatVariable& variable : file.variables()) {
      if (variable.numeric) {
        put({.path = variable.name, .type = variable.kind, .shape = variable.dims, .numeric = true, .text = {}});
      } else if (const MatNode* const node = tree_->find(variable.name)) {
        visit(variable.name, *node, 0);
      }
    }
  }

  [[nodiscard]] bool is_complex(std::size_t entry) const override { return !array(entry).imaginary.bytes.empty(); }

 protected:
  [[nodiscard]] OwnedArray array(std::size_t entry) const override {
    OwnedArray& known = arrays_.at(entry);
    if (known.real.bytes.empty()) known = file_.read_array(entries_[entry].path);  // a variable
    return known;
  }

 private:
  void visit(const std::string& path, const MatNode& node, std::size_t depth) {
    if (depth > kMaxTreeDepth) return;
    switch (node.kind) {
      case MatNode::Kind::numbers:
        put_numbers(path, {.real = node.numbers, .imaginary = node.imaginary, .owner = tree_->owner()});
        break;
      case MatNode::Kind::text:
        put(text_entry(path, node.dims, node.text));
        break;
      case MatNode::Kind::structure:
        put({.path = path, .type = "struct", .shape = node.dims, .text = {}});
        if (node.rows.size() == 1) {
          for (const auto& [name, field] : node.rows[0]) visit(path + "." + name, field, depth + 1);
        } else if (!node.rows.empty() && node.rows.size() <= kMostRows) {
          for (const auto& [name, field] : node.rows[0]) stack(path + "." + name, node, name, field);
        }
        break;
      case MatNode::Kind::cell:
        cell(path, node, depth);
        break;
      case MatNode::Kind::other:
        break;
    }
  }

  // A field of an array of structs: arrays joined as cells are, or, when each has as many numbers, one row each.
  void stack(const std::string& path, const MatNode& node, const std::string& name, const MatNode& first) {
    if (first.kind != MatNode::Kind::numbers) return;
    const std::size_t n = first.numbers.count();
    if (std::ranges::count_if(first.dims, [](std::size_t extent) { return extent > 1; }) > 1) {
      MatNode cell;
      cell.kind = MatNode::Kind::cell;
      for (const auto& row : node.rows)
        if (const auto found = row.find(name); found != row.end()) cell.cells.push_back(found->second);
      if (cell.cells.size() == node.rows.size()) join(path, cell);
      return;
    }
    if (!first.imaginary.bytes.empty()) return;
    if (n == 0 || n > (std::size_t{1} << 22) / node.rows.size()) return;
    std::vector<double> values;
    for (const auto& row : node.rows) {
      const auto found = row.find(name);
      if (found == row.end() || found->second.kind != MatNode::Kind::numbers || found->second.numbers.count() != n)
        return;
      for (std::size_t k = 0; k < n; ++k) values.push_back(found->second.numbers.real_at(k));
    }
    put_numbers(path, array_of(std::move(values), {node.rows.size(), n}));
  }

  void cell(const std::string& path, const MatNode& node, std::size_t depth) {
    put({.path = path, .type = "cell", .shape = node.dims, .text = {}});
    if (node.cells.size() > 1 && std::ranges::all_of(node.cells, [](const MatNode& one) {
          return one.kind == MatNode::Kind::structure && one.rows.size() == 1;
        })) {  // as scipy writes a list of dictionaries
      MatNode list;
      list.kind = MatNode::Kind::structure;
      for (const MatNode& one : node.cells) list.rows.push_back(one.rows[0]);
      for (const auto& [name, field] : list.rows[0]) stack(path + "{:}." + name, list, name, field);
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(node.cells.size(), 8); ++k)
      visit(path + "{" + std::to_string(k + 1) + "}", node.cells[k], depth + 1);
    if (node.cells.size() > 1 && node.cells[0].kind == MatNode::Kind::numbers) join(path + "{:}", node);
  }

  void join(const std::string& path, const MatNode& cell) {
    try {
      put_numbers(path, join_recordings(what_, cell, tree_->owner()));
    } catch (const Error&) {  // cells that are no such list
    }
  }

  std::string what_;
  const MatFile& file_;
  std::unique_ptr<MatTree> tree_;
};

}  // namespace

std::unique_ptr<ArrayTree> mat_tree(const OpenRequest& request, const MatFile& file) {
  if (file.container() == MatContainer::v5) return with_stacks(std::make_unique<MatlabTree>(request, file));
  auto stored =
      hdf5_tree(request, hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size()),
                AxisCount::matlab);
  // Cells are followed where the samples lie in them: that reads all of the file.
  const bool nested = std::ranges::any_of(stored->entries(), [](const TreeEntry& e) { return e.type == "cell"; });
  if (nested && !guess_samples(*stored)) return with_stacks(std::make_unique<MatlabTree>(request, file));
  return stored;
}

}  // namespace echoloop
