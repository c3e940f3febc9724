// Arrays that a file has once a transmit or a frame ("tx_00/rf", "tx_01/rf", "[0].rf", "rf_1"), as one array with one
// more axis ("tx_*/rf"), and the numbers beside them ("tx_*/angle") likewise. Reader process.
#include <algorithm>
#include <charconv>
#include <map>

#include "core/error.h"
#include "formats/import/array_tree.h"

namespace echoloop {
namespace {

constexpr std::size_t kLeastSamples = 512;  // of an array that is stacked
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Numbered {  // a path with one of its numbers
  std::string before, after;
  std::uint64_t number = 0;
};

// Of each number of a path, the last one first.
std::vector<Numbered> numbers_of_path(const std::string& path) {
  std::vector<Numbered> all;
  for (std::size_t end = path.size(); end > 0; --end) {
    if (!is_digit(path[end - 1]) || (end < path.size() && is_digit(path[end]))) continue;
    std::size_t begin = end - 1;
    while (begin > 0 && is_digit(path[begin - 1])) --begin;
    Numbered one{.before = path.substr(0, begin), .after = path.substr(end)};
    std::from_chars(path.data() + begin, path.data() + end, one.number);
    all.push_back(std::move(one));
  }
  return all;
}

class StackedTree final : public ArrayTree {
 public:
  explicit StackedTree(std::unique_ptr<ArrayTree> inner) : inner_(std::move(inner)) {
    container_ = inner_->container();
    entries_ = inner_->entries();
    group();
  }

  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override {
    if (entry < inner_->entries().size()) return inner_->numbers(entry, most);
    const TreeEntry& e = entries_.at(entry);
    if (e.count() > most)
      throw Error(e.path, "numbers of shape " + shape_text(e.shape), "1 to " + std::to_string(most) + " numbers");
    std::vector<double> all;
    all.reserve(e.count());
    for (const std::size_t part : parts(entry)) {
      const std::vector<double> one = inner_->numbers(part, e.count());
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override {
    if (plan.entry < inner_->entries().size()) return inner_->recording(request, std::move(plan));
    const TreeEntry& e = entries_[plan.entry];
    const auto bytes = checked_bytes(e.shape, sizeof(float));
    if (!bytes || *bytes > kMostBytes || !plan.imaginary.empty())
      throw Error(request.what(), e.path + " of shape " + shape_text(e.shape), "real samples, up to 4 GiB");
    auto block = std::make_shared<std::vector<float>>();
    block->reserve(e.count());
    for (const std::size_t part : parts(plan.entry)) {
      request.check_stop();
      for (const double value : inner_->numbers(part, e.count())) block->push_back(static_cast<float>(value));
    }
    const ArrayView view{.type = {NumberKind::real, 4, ByteOrder::little},
                         .shape = e.shape,
                         .order = MemoryOrder::c,
                         .bytes = std::as_bytes(std::span(*block))};
    plan.entry = 0;
    return view_tree(container_, {{"samples", {.real = view, .imaginary = {}, .owner = block}}})
        ->recording(request, std::move(plan));
  }

  [[nodiscard]] bool is_complex(std::size_t entry) const override {
    return entry < inner_->entries().size() && inner_->is_complex(entry);
  }

 private:
  using Members = std::map<std::uint64_t, std::size_t>;  // entries by their number
  using Groups = std::map<std::pair<std::string, std::string>, Members>;

  [[nodiscard]] const std::vector<std::size_t>& parts(std::size_t entry) const {
    return parts_.at(entry - inner_->entries().size());
  }

  void group() {
    Groups groups;
    const std::size_t n = entries_.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (!entries_[k].numeric) continue;
      for (const Numbered& one : numbers_of_path(entries_[k].path))
        groups[{one.before, one.after}].emplace(one.number, k);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const auto long_axes = std::ranges::count_if(entries_[k].shape, [](std::size_t extent) { return extent > 1; });
      if (!entries_[k].numeric || entries_[k].part || entries_[k].count() < kLeastSamples || long_axes < 2) continue;
      for (const Numbered& one : numbers_of_path(entries_[k].path)) {
        const Members& members = groups.at({one.before, one.after});
        if (!stack(one, members)) continue;
        for (const auto& [key, others] : groups) {
          if (key.first == one.before && key.second != one.after &&
              std::ranges::equal(others, members, {}, kNumber, kNumber))
            stack({.before = key.first, .after = key.second}, others);
        }
        break;
      }
    }
  }

  // False: not all are alike.
  bool stack(const Numbered& name, const Members& members) {
    const TreeEntry& first = entries_[members.begin()->second];
    for (const auto& [number, k] : members) {
      const TreeEntry& e = entries_[k];
      if (e.shape != first.shape || e.type != first.type || e.part || inner_->is_complex(k)) return false;
    }
    if (members.size() < 2) return false;
    TreeEntry whole{
        .path = name.before + "*" + name.after, .type = first.type, .shape = first.shape, .numeric = true, .text = {}};
    whole.shape.insert(whole.shape.begin(), members.size());
    parts_.emplace_back();
    for (const auto& [number, k] : members) {
      parts_.back().push_back(k);
      entries_[k].part = true;
    }
    add(std::move(whole));
    return true;
  }

  static constexpr auto kNumber = [](const Members::value_type& member) { return member.first; };

  std::unique_ptr<ArrayTree> inner_;
  std::vector<std::vector<std::size_t>> parts_;  // of each entry that is stacked, after those of the inner tree
};

}  // namespace

std::unique_ptr<ArrayTree> with_stacks(std::unique_ptr<ArrayTree> tree) {
  return std::make_unique<StackedTree>(std::move(tree));
}

}  // namespace echoloop
