#include "formats/import/array_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/readers/description.h"
#include "formats/readers/description_json.h"

namespace echoloop {

TreeEntry text_entry(std::string path, std::vector<std::size_t> shape, std::string_view text) {
  const bool object = text.starts_with('{') && text.size() <= kMostJson;
  return {.path = std::move(path),
          .type = "text",
          .shape = std::move(shape),
          .text = printable(text, 200),
          .json = object ? std::string(text) : ""};
}

void ArrayTree::add(TreeEntry entry) {
  if (entries_.size() >= kMaxTreeEntries)
    throw Error(container_, "more than " + std::to_string(kMaxTreeEntries) + " arrays", "a recording");
  entries_.push_back(std::move(entry));
}

std::vector<double> row_major_numbers(const ArrayView& view) {
  const std::size_t n_axes = view.shape.size();
  std::array<std::size_t, 32> strides{}, index{};
  if (n_axes > strides.size()) return {};
  for (std::size_t a = 0; a < n_axes; ++a) strides[a] = view.stride_bytes(a);
  std::vector<double> values(view.count());
  with_real_type(view.type, [&]<class T, bool kSwap>() {
    std::size_t at = 0;
    for (double& value : values) {
      value = static_cast<double>(load_number<T, kSwap>(view.bytes.data() + at));
      for (std::size_t a = n_axes; a-- > 0;) {
        at += strides[a];
        if (++index[a] < view.shape[a]) break;
        at -= strides[a] * view.shape[a];
        index[a] = 0;
      }
    }
  });
  return values;
}

std::vector<double> MemoryTree::numbers(std::size_t entry, std::size_t most) const {
  const TreeEntry& e = entries_.at(entry);
  if (!e.numeric || e.count() == 0 || e.count() > most)
    throw Error(e.path, e.type + " of shape " + shape_text(e.shape), "1 to " + std::to_string(most) + " numbers");
  return row_major_numbers(array(entry).real);
}

ArrayView ArrayTree::planned_view(const std::string& what, const ArrayView& samples, const RecordingPlan& plan) const {
  return plan.shape.empty() ? samples : split_view(what, samples, plan.shape, axis_order());
}

LibraryRecording ArrayTree::recording_of(const OpenRequest& request, RecordingPlan plan, OwnedArray samples) const {
  plan.entry = 0;
  return view_tree(container_, std::move(samples))->recording(request, std::move(plan));
}

void MemoryTree::put(TreeEntry entry, OwnedArray array) {
  add(std::move(entry));
  arrays_.push_back(std::move(array));
}

void MemoryTree::put_numbers(std::string path, OwnedArray array) {
  const bool two_parts = !array.imaginary.bytes.empty();
  put({.path = std::move(path),
       .type = (two_parts ? "complex " : "") + to_string(array.real.type),
       .shape = array.real.shape,
       .numeric = array.real.count() > 0,
       .complex = two_parts || array.real.type.kind == NumberKind::complex,
       .text = {}},
      array);
}

LibraryRecording MemoryTree::recording(const OpenRequest& request, RecordingPlan plan) const {
  OwnedArray data = array(plan.entry);
  data.real = planned_view(request.what(), data.real, plan);
  if (!data.imaginary.bytes.empty()) data.imaginary = planned_view(request.what(), data.imaginary, plan);
  RecordingParts parts{.acquisition = std::move(plan.acquisition),
                       .samples = sample_source(request.what(), data.real, plan.axes),
                       .owner = nullptr,
                       .format = std::move(plan.format)};
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const void> real, imaginary;
  };
  Owner owner{request.file, data.owner, nullptr};
  ArrayView imaginary = data.imaginary;
  if (!plan.imaginary.empty()) {
    const auto other = find(plan.imaginary);
    if (!other) throw Error(request.what(), "no " + printable(plan.imaginary), "the name of the imaginary part");
    OwnedArray quadrature = array(*other);
    imaginary = planned_view(request.what(), quadrature.real, plan);
    owner.imaginary = quadrature.owner;
  }
  if (!imaginary.bytes.empty()) {
    if (imaginary.shape != data.real.shape || !(imaginary.type == data.real.type) || parts.samples.n_values != 1) {
      throw Error(request.what(),
                  "a real part of shape " + shape_text(data.real.shape) + " and an imaginary part of shape " +
                      shape_text(imaginary.shape),
                  "two arrays of the same shape and type");
    }
    const SampleSource second = sample_source(request.what(), imaginary, plan.axes);
    if (second.sample_stride != parts.samples.sample_stride || second.element_stride != parts.samples.element_stride ||
        second.transmit_stride != parts.samples.transmit_stride)
      throw Error(request.what(), "real and imaginary parts in different memory orders", "the same order for both");
    parts.samples.n_values = 2;
    for (std::size_t f = 0; f < second.frames.size(); ++f) parts.samples.frames[f][1] = second.frames[f][0];
  }
  parts.samples.offset = plan.offset;
  parts.samples.rotation_rad = std::move(plan.rotation_rad);
  parts.owner = std::make_shared<const Owner>(std::move(owner));
  return make_library_recording(request, std::move(parts));
}

std::vector<Axis> fit_axes(const std::string& what, const std::vector<Axis>& axes,
                           const std::vector<std::size_t>& shape) {
  std::vector<Axis> fitted = axes;
  while (fitted.size() > shape.size() && fitted.back() != Axis::element && fitted.back() != Axis::time)
    fitted.pop_back();
  if (fitted.size() == shape.size()) return fitted;
  fitted.clear();
  std::size_t next = 0;
  std::vector<Axis> spare;
  for (const Axis axis : {Axis::frame, Axis::transmit, Axis::iq})
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) spare.push_back(axis);
  std::size_t too_many = shape.size() > axes.size() ? shape.size() - axes.size() : 0;
  for (const std::size_t extent : shape) {
    if (too_many > 0 && extent == 1) {
      fitted.push_back(spare.empty() ? Axis::one : spare.back());
      if (!spare.empty()) spare.pop_back();
      --too_many;
    } else if (next < axes.size()) {
      fitted.push_back(axes[next++]);
    }
  }
  if (fitted.size() == shape.size() && next == axes.size()) return fitted;
  throw Error(what, "array of shape " + shape_text(shape) + " with axes [" + axes_text(axes) + "]",
              "one axis name for each axis of the array");
}

// Joins arrays stored once per transmit or frame ("tx_00/rf", "tx_01/rf", "[0].rf", "rf_1") into one array with an
// added axis ("tx_*/rf"), and the numbers of the same groups ("tx_*/angle"); adds the contents of texts that are JSON
// objects ("metadata.fs" of metadata). Reader process.

namespace {

constexpr std::size_t kLeastStackedSamples = 512;  // of a stacked array
constexpr std::size_t kMostStackBytes = std::size_t{4} << 30;

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
    for (std::size_t k = 0; k < inner_->entries().size(); ++k)
      if (const std::string& text = inner_->entries()[k].json; !text.empty()) parse(inner_->entries()[k].path, text);
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
    if (!bytes || *bytes > kMostStackBytes || !plan.imaginary.empty() || added(plan.entry).parts.empty())
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
        for (const auto& [key, others] : groups)
          if (key.first == one.before && key.second != one.after &&
              std::ranges::equal(others, members, {}, kNumber, kNumber))
            stack({.before = key.first, .after = key.second}, others);
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
