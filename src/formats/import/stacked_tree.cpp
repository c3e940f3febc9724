// Joins arrays stored once per transmit or frame ("tx_00/rf", "tx_01/rf", "[0].rf", "rf_1") into one array with an
// added axis ("tx_*/rf"), and the numbers of the same groups ("tx_*/angle"); adds the contents of texts that are JSON
// objects ("metadata.fs" of metadata). Reader process.
#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "core/error.h"
#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {
namespace {

constexpr std::size_t kLeastStackedSamples = 512;  // of a stacked array
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Numbered {  // path split at one of its numbers
  std::string before, after;
  std::uint64_t number = 0;
};

// Returns each number of a path, from the last one on.
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
  StackedTree(std::unique_ptr<ArrayTree> inner, const std::vector<NamedText>& json) : inner_(std::move(inner)) {
    container_ = inner_->container();
    entries_ = inner_->entries();
    group();
    for (std::size_t k = 0; k < inner_->entries().size(); ++k) {
      if (const std::string& text = inner_->entries()[k].json; !text.empty()) parse(inner_->entries()[k].path, text);
    }
    for (const NamedText& one : json) parse(one.path, one.text);
  }

  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override {
    if (entry < inner_->entries().size()) return inner_->numbers(entry, most);
    const TreeEntry& e = entries_.at(entry);
    if (e.count() > most)
      throw Error(e.path, "numbers of shape " + shape_text(e.shape), "1 to " + std::to_string(most) + " numbers");
    std::vector<double> all = added(entry).numbers;
    all.reserve(e.count());
    for (const std::size_t part : added(entry).parts) {
      const std::vector<double> one = inner_->numbers(part, e.count());
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override {
    if (plan.entry < inner_->entries().size()) return inner_->recording(request, std::move(plan));
    const TreeEntry& e = entries_[plan.entry];
    const auto bytes = checked_bytes(e.shape, sizeof(float));
    if (!bytes || *bytes > kMostBytes || !plan.imaginary.empty() || added(plan.entry).parts.empty())
      throw Error(request.what(), e.path + " of shape " + shape_text(e.shape), "real samples, up to 4 GiB");
    std::vector<float> values;
    values.reserve(e.count());
    for (const std::size_t part : added(plan.entry).parts) {
      request.check_stop();
      for (const double value : inner_->numbers(part, e.count())) values.push_back(static_cast<float>(value));
    }
    return recording_of(request, std::move(plan), array_of(std::move(values), e.shape));
  }

  [[nodiscard]] bool is_complex(std::size_t entry) const override {
    return entry < inner_->entries().size() && inner_->is_complex(entry);
  }

 private:
  using Members = std::map<std::uint64_t, std::size_t>;  // entries by number
  using Groups = std::map<std::pair<std::string, std::string>, Members>;

  struct Added {
    std::vector<std::size_t> parts = {};  // entries to stack
    std::vector<double> numbers = {};     // from JSON
  };
  [[nodiscard]] const Added& added(std::size_t entry) const { return added_.at(entry - inner_->entries().size()); }

  void parse(const std::string& path, const std::string& text) {
    try {
      put(path, parse_description(path, std::as_bytes(std::span(text)), {.bytes = kMostJson, .values = kMostJson}));
    } catch (const Error&) {  // not JSON
    }
  }

  // Adds numbers, lists of numbers, and lists of lists of equal length.
  void put(const std::string& path, const Json& value) {
    if (value.is_object()) {
      for (const auto& [name, member] : value.items()) put(path + "." + name, member);
      return;
    }
    if (value.is_string()) {
      add_entry(text_entry(path, {}, value.get<std::string>()), {});
      return;
    }
    std::vector<std::size_t> shape;
    const Json* first = &value;
    for (; first->is_array() && !first->empty(); first = &first->front()) shape.push_back(first->size());
    std::vector<double> numbers;
    if (gather(value, shape, numbers))
      add_entry({.path = path, .type = "JSON", .shape = shape, .numeric = true, .text = {}}, {.numbers = numbers});
  }

  // Returns false unless it is a table of numbers of that shape.
  static bool gather(const Json& value, std::span<const std::size_t> shape, std::vector<double>& numbers) {
    if (shape.empty()) {
      if (value.is_number()) numbers.push_back(value.get<double>());
      return value.is_number();
    }
    return value.is_array() && value.size() == shape.front() &&
           std::ranges::all_of(value, [&](const Json& row) { return gather(row, shape.subspan(1), numbers); });
  }

  void add_entry(TreeEntry entry, Added what) {
    add(std::move(entry));
    added_.push_back(std::move(what));
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
      if (!entries_[k].numeric || entries_[k].part || entries_[k].count() < kLeastStackedSamples || long_axes < 2)
        continue;
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

  // Returns false unless all have the same shape and type.
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
    Added stacked;
    for (const auto& [number, k] : members) {
      stacked.parts.push_back(k);
      entries_[k].part = true;
    }
    add_entry(std::move(whole), std::move(stacked));
    return true;
  }

  static constexpr auto kNumber = [](const Members::value_type& member) { return member.first; };

  std::unique_ptr<ArrayTree> inner_;
  std::vector<Added> added_;  // of each entry after those of the inner tree
};

}  // namespace

std::unique_ptr<ArrayTree> with_stacks(std::unique_ptr<ArrayTree> tree, const std::vector<NamedText>& json) {
  return std::make_unique<StackedTree>(std::move(tree), json);
}

}  // namespace echoloop
