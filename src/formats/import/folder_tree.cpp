#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/import/guess.h"
#include "formats/import/import.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

constexpr std::size_t kLeastStacked = 4;                         // values of an array that may be samples
constexpr std::size_t kMostCompared = 8;                         // values of a fact that may differ between files
constexpr std::size_t kMostStackedBytes = std::size_t{1} << 32;  // of a frame made from all files
constexpr const char* kAlike = "files with the same arrays of the same type and shape";

// Returns the shape; for row and column vectors without axes of length 1.
std::vector<std::size_t> shape_of_one(const TreeEntry& entry) {
  std::vector<std::size_t> shape = entry.shape;
  if (std::ranges::count_if(shape, [](std::size_t n) { return n > 1; }) < 2) std::erase(shape, std::size_t{1});
  return shape;
}

class FolderTree final : public ArrayTree {
 public:
  FolderTree(const OpenRequest& request, TreeOpener open, OpenTree first)
      : request_(request), open_(std::move(open)), first_(std::move(first)), n_(request.folder->files.size()) {
    container_ = std::to_string(n_) + (n_ == 1 ? " file, " : " files, ") + first_.tree->container();
    choose();
    compare();
    for (std::size_t k = 0; k < first_.tree->entries().size(); ++k) {
      TreeEntry entry = first_.tree->entries()[k];
      if (kinds_[k] == Kind::samples) entry.shape = shape_of_one(entry);
      if (!longest_[k].empty()) entry.shape = longest_[k];
      if (kinds_[k] == Kind::differing) entry.shape.clear();
      entry.of_files = kinds_[k] == Kind::differing;
      if (kinds_[k] != Kind::common) entry.shape.insert(entry.shape.begin(), n_);
      add(std::move(entry));
    }
  }

  [[nodiscard]] std::vector<double> numbers(std::size_t entry, std::size_t most) const override {
    if (kinds_.at(entry) == Kind::common) return first_.tree->numbers(entry, most);
    if (kinds_[entry] == Kind::differing) return values_[entry];
    if (entries_[entry].count() > most)
      throw Error(entries_[entry].path, "samples of " + std::to_string(n_) + " files", "fewer numbers");
    std::vector<double> all;
    for (std::size_t k = 0; k < n_; ++k) {
      const std::vector<double> part = numbers_of_file(k, entry, most);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  [[nodiscard]] bool is_complex(std::size_t entry) const override { return first_.tree->is_complex(entry); }

  [[nodiscard]] LibraryRecording recording(const OpenRequest& request, RecordingPlan plan) const override {
    if (kinds_.at(plan.entry) != Kind::samples)
      throw Error(request.what(), printable(entries_[plan.entry].path) + ", which is not the samples of each file",
                  "an array with samples in every file");
    if (!plan.shape.empty())
      throw Error(request.what(), "\"shape\" of a folder of arrays", "arrays with the axes that they have");
    const char* const role = plan.axes.front() == Axis::frame      ? "frame"
                             : plan.axes.front() == Axis::transmit ? "transmit"
                                                                   : "line";
    const auto name = [&](const FolderFile& file) { return printable(file.path.filename().string(), 60); };
    std::string said = std::to_string(n_) + (n_ == 1 ? " file (" : " files in natural order (") +
                       name(request_.folder->files.front()) +
                       (n_ == 1 ? "" : " to " + name(request_.folder->files.back())) + "), one " + role + " each";
    if (plan.axes.front() == Axis::element && n_ > 1) {
      const std::vector<Element>& places = plan.acquisition.probe.elements;
      const bool last = plan.right_to_left || (!places.empty() && places.back().x_m < places.front().x_m);
      said += ", " + name(last ? request_.folder->files.back() : request_.folder->files.front()) + " at the left";
    }
    const bool frames = plan.axes.front() == Axis::frame;
    if (!longest_[plan.entry].empty() && (frames || plan.axes.at(1 + uneven_axis_.value_or(0)) != Axis::time))
      throw Error(*uneven_);
    LibraryRecording recording =
        frames ? one_frame_a_file(std::move(plan)) : one_frame_of_all(request, std::move(plan));
    Acquisition a = *recording.acquisition;
    a.assumptions.insert(a.assumptions.begin(), Assumption(said));
    recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
    return recording;
  }

 private:
  enum class Kind { common, samples, differing };

  // Returns the numbers of a file; lines shorter than the longest are padded with zeros.
  [[nodiscard]] std::vector<double> numbers_of_file(std::size_t file, std::size_t entry, std::size_t most) const {
    const OpenTree one = open_(request_of_file(request_, file));
    std::vector<double> part = one.tree->numbers(entry, most);
    const std::vector<std::size_t>& whole = longest_[entry];
    if (whole.empty()) return part;
    const std::vector<std::size_t> shape = shape_of_one(one.tree->entries().at(entry));
    const auto uneven = std::ranges::mismatch(shape, whole).in1;
    if (shape.size() != whole.size() || uneven == shape.end()) return part;
    const auto axis = static_cast<std::size_t>(uneven - shape.begin());
    const std::size_t inner = checked_bytes(std::span(shape).subspan(axis + 1), 1).value_or(0);
    const std::size_t from = shape[axis] * inner, to = whole[axis] * inner,
                      n = part.size() / std::max(from, std::size_t{1});
    std::vector<double> longer(n * to, 0.0);
    for (std::size_t k = 0; k < n; ++k) std::copy_n(part.data() + k * from, std::min(from, to), longer.data() + k * to);
    return longer;
  }

  // Selects samples: arrays of a quarter of the largest size or more, with no name of a fact.
  void choose() {
    const std::vector<TreeEntry>& all = first_.tree->entries();
    kinds_.assign(all.size(), Kind::common);
    values_.resize(all.size());
    longest_.resize(all.size());
    std::size_t largest = 0;
    for (const TreeEntry& entry : all) largest = entry.numeric ? std::max(largest, entry.count()) : largest;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto named = named_fact(all[k].path);
      const bool fact = named && named->fact != FactId("data");
      if (all[k].numeric && !fact && all[k].count() >= std::max(kLeastStacked, largest / 4)) kinds_[k] = Kind::samples;
      if (all[k].numeric && all[k].count() <= kMostCompared) values_[k] = first_.tree->numbers(k, kMostCompared);
    }
  }

  void compare() {
    for (std::size_t k = 1; k < n_; ++k) {
      request_.advance(0.3 * static_cast<double>(k) / static_cast<double>(n_));
      const OpenRequest one = request_of_file(request_, k);
      const OpenTree other = open_(one);
      if (other.tree == nullptr) throw Error(one.what(), "a file without arrays", kAlike);
      compare_entries(one, *other.tree);
    }
    for (std::size_t e = 0; e < kinds_.size(); ++e) {
      if (kinds_[e] != Kind::differing) continue;
      if (values_[e].size() != n_) kinds_[e] = Kind::common;  // several numbers per file
    }
  }

  void compare_entries(const OpenRequest& one, const ArrayTree& other) {
    const std::vector<TreeEntry>&mine = first_.tree->entries(), &its = other.entries();
    for (std::size_t e = 0; e < mine.size(); ++e) {
      const bool there = e < its.size() && its[e].path == mine[e].path;
      if (kinds_[e] == Kind::samples && there && compare_lines(e, its[e])) {
        if (!uneven_) uneven_ = not_alike(one, e, &its[e]);
        continue;
      }
      if (kinds_[e] == Kind::samples && (!there || its[e].type != mine[e].type || its[e].shape != mine[e].shape ||
                                         other.is_complex(e) != first_.tree->is_complex(e)))
        throw not_alike(one, e, there ? &its[e] : nullptr);
      if (values_[e].empty() || kinds_[e] == Kind::samples) continue;
      const bool number = there && its[e].numeric && its[e].count() == 1 && mine[e].count() == 1;
      if (!number) continue;
      const std::vector<double> value = other.numbers(e, kMostCompared);
      const std::size_t index = n_compared_;
      if (kinds_[e] == Kind::common && value[0] != values_[e][0]) {
        kinds_[e] = Kind::differing;
        values_[e].resize(index, values_[e][0]);
      }
      if (kinds_[e] == Kind::differing) values_[e].push_back(value[0]);
    }
    ++n_compared_;
  }

  [[nodiscard]] Error not_alike(const OpenRequest& one, std::size_t e, const TreeEntry* its) const {
    const TreeEntry& mine = first_.tree->entries()[e];
    const std::string found = its != nullptr ? its->type + " " + shape_text(its->shape) : "no such array";
    return {one.what(),
            printable(mine.path) + " is " + found + ", in " +
                printable(request_.folder->files.front().path.filename().string(), 60) + " " + mine.type + " " +
                shape_text(mine.shape),
            kAlike};
  }

  // Accepts lines of different lengths, as Field II writes them: one axis may differ, the same in all files.
  bool compare_lines(std::size_t e, const TreeEntry& its) {
    const TreeEntry& mine = first_.tree->entries()[e];
    const std::vector<std::size_t> shape = longest_[e].empty() ? shape_of_one(mine) : longest_[e],
                                   other = shape_of_one(its);
    if (shape.size() != other.size() || mine.type != its.type || mine.complex || its.complex) return false;
    std::vector<std::size_t> longest = shape;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (shape[a] == other[a]) continue;
      if (other[a] == 0 || uneven_axis_.value_or(a) != a) return false;
      uneven_axis_ = a;
      longest[a] = std::max(shape[a], other[a]);
    }
    if (longest_[e].empty() && shape == other) return false;  // equal so far
    longest_[e] = std::move(longest);
    return true;
  }

  [[nodiscard]] LibraryRecording one_frame_a_file(RecordingPlan plan) const {
    plan.axes.erase(plan.axes.begin());
    LibraryRecording all = first_.tree->recording(request_of_file(request_, 0), plan);
    all.frame_count = n_;
    all.frame_offsets.clear();
    Acquisition a = *all.acquisition;
    // Numbers of a wider type are stored as int16 if those of the file allow it; those of the next file may not.
    const std::string& type = entries_[plan.entry].type;
    if (type.find("int16") == std::string::npos && type.find("int8") == std::string::npos)
      a.sample_type = SampleType::float32;
    all.acquisition = std::make_shared<const Acquisition>(std::move(a));
    all.read_frame = [frames = FileFrames{request_, open_, std::move(plan)}, type = all.acquisition->sample_type](
                         std::uint64_t index, std::span<std::byte> out) { frames.read(index, type, out); };
    return all;
  }

  struct FileFrames {  // outlives the tree
    OpenRequest request;
    TreeOpener open;
    RecordingPlan plan;
    void read(std::uint64_t index, SampleType type, std::span<std::byte> out) const {
      const OpenRequest one = request_of_file(request, static_cast<std::size_t>(index));
      const OpenTree tree = open(one);
      const LibraryRecording recording = tree.tree->recording(one, plan);
      const bool same = recording.acquisition->sample_type == type;
      if (recording.acquisition->frame_values() * bytes_per_value(type) != out.size() ||
          (!same && type == SampleType::int16))
        throw Error(one.what(), "another shape or type than when the folder was opened", kAlike);
      if (same) {
        recording.read_frame(0, out);
      } else {
        std::vector<std::int16_t> values(recording.acquisition->frame_values());
        recording.read_frame(0, std::as_writable_bytes(std::span(values)));
        const std::vector<float> wide(values.begin(), values.end());
        std::ranges::copy(std::as_bytes(std::span(wide)), out.begin());
      }
      require_readable(one.file->bytes());
    }
  };

  // Joins all files to one frame, as float32.
  [[nodiscard]] LibraryRecording one_frame_of_all(const OpenRequest& request, RecordingPlan plan) const {
    const TreeEntry& data = entries_[plan.entry];
    const auto bytes = checked_bytes(data.shape, sizeof(float));
    if (!bytes || *bytes > kMostStackedBytes)
      throw Error(request.what(), "samples of shape " + shape_text(data.shape), "up to 4 GiB a frame");
    if (is_complex(plan.entry) || !plan.imaginary.empty())
      throw Error(request.what(), "complex samples in files that make one frame", "real samples, or (I, Q) as an axis");
    std::vector<float> values;
    values.reserve(data.count());
    for (std::size_t k = 0; k < n_; ++k) {
      request.advance(0.3 + 0.6 * static_cast<double>(k) / static_cast<double>(n_));
      for (const double value : numbers_of_file(k, plan.entry, data.count()))
        values.push_back(static_cast<float>(value));
    }
    if (values.size() != data.count()) throw Error(request.what(), "files that changed while they were read", kAlike);
    return recording_of(request, std::move(plan), array_of(std::move(values), data.shape));
  }

  OpenRequest request_;
  TreeOpener open_;
  OpenTree first_;
  std::size_t n_, n_compared_ = 1;
  std::vector<std::vector<std::size_t>> longest_;  // of arrays of different lengths, the longest; empty: all equal
  std::optional<std::size_t> uneven_axis_;         // the axis that differs in length
  std::optional<Error> uneven_;                    // reason why arrays are not equal
  std::vector<Kind> kinds_;                        // per entry
  std::vector<std::vector<double>> values_;        // of each entry of a few numbers; differing: one per file
};

}  // namespace

OpenRequest request_of_file(const OpenRequest& request, std::size_t index) {
  const FolderFile& file = request.folder->files.at(index);
  const int fd = ::open(file.path_to_open.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Error(file.path.string(), std::strerror(errno), "a file that can be read");
  return {.path = file.path,
          .file = MappedFile::adopt(fd, file.path.string()),
          .path_to_open = file.path_to_open,
          .sidecars = {},
          .progress = request.progress,
          .stop = request.stop};
}

std::unique_ptr<ArrayTree> folder_tree(const OpenRequest& request, TreeOpener open) {
  OpenTree first = open(request_of_file(request, 0));
  if (first.tree == nullptr) return nullptr;
  return std::make_unique<FolderTree>(request, std::move(open), std::move(first));
}

namespace {

NumberType described_type(const std::string& what, const Json& meta) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"single", "float32"}, {"float", "float32"}, {"double", "float64"}, {"short", "int16"}};
  std::string name = json_text(what, meta.at("dtype"), "dtype");
  std::string order = meta.contains("byte_order") ? json_text(what, meta.at("byte_order"), "byte_order") : "little";
  if (order != "little" && order != "big")
    throw Error(what, "byte_order = \"" + printable(order) + "\"", "\"little\" or \"big\"");
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    if (name[0] == '>') order = "big";
    name.erase(0, 1);
  }
  for (const auto& [word, code] : kNames)
    if (name == word) name = code;
  const bool byte = name == "i1" || name == "u1";
  auto type = named_number_type(name);
  if (type && order == "big" && type->bytes > 1) type->order = ByteOrder::big;
  if (!type) type = parse_number_type(name, byte ? '|' : order == "big" ? '>' : '<');
  if (type) return *type;
  throw Error(what, "dtype = " + json_excerpt(meta.at("dtype")),
              "int8 to int64, uint8 to uint64, float32, float64, complex64 or complex128");
}

std::size_t whole(const std::string& what, const Json& meta, const char* key) {
  if (!meta.contains(key)) return 0;
  const double value = json_number(what, meta.at(key), key);
  if (!(value >= 0.0 && value <= 1e15 && value == std::floor(value)))
    throw Error(what, std::string(key) + " = " + json_excerpt(meta.at(key)), "a whole number, 0 or more");
  return static_cast<std::size_t>(value);
}

// Reads files by a shape whose first axis counts the files; each has the header and the other axes.
LibraryRecording read_raw_folder(const OpenRequest& request, const std::string& what, const Json& meta,
                                 const RawLayout& raw) {
  const std::size_t n = request.folder->files.size(), size = request.bytes().size();
  if ((raw.shape[0] != 0 && raw.shape[0] != n) || raw.shape.size() < 2 || raw.frame_header_bytes > 0)
    throw Error(what, "shape = " + json_excerpt(meta.at("shape")) + " for a folder of " + std::to_string(n) + " files",
                "the number of files (or 0) first, then the shape of one; headers as \"header_bytes\"");
  RawLayout one = raw;
  one.shape.erase(one.shape.begin());
  const auto tree = folder_tree(request, [one, size](const OpenRequest& file) {
    if (file.bytes().size() != size)
      throw Error(file.what(), words(file.bytes().size(), " bytes, the first file has ", size), "files of equal size");
    const ArrayView view = raw_view(file.what(), file.bytes(), one);
    return OpenTree{nullptr, view_tree("raw binary", {.real = view, .imaginary = {}, .owner = file.file})};
  });
  Json complete = meta;
  complete["data"] = "samples";
  complete.erase("shape");
  return described_tree(request, what, complete, *tree, tree->container() + " with JSON description");
}

}  // namespace

ArrayView raw_view(const std::string& what, std::span<const std::byte> file, const RawLayout& raw) {
  std::vector<std::size_t> frame(raw.shape.begin() + 1, raw.shape.end());
  const auto frame_bytes = checked_bytes(frame, raw.type.bytes);
  const std::size_t item = raw.frame_header_bytes + frame_bytes.value_or(0);
  const auto wanted = frame_bytes ? checked_bytes(std::vector{raw.shape[0]}, item) : std::nullopt;
  const std::size_t held = file.size() < raw.header_bytes ? 0 : file.size() - raw.header_bytes;
  if (!wanted || *wanted == 0 || *wanted > held) {
    throw Error(what,
                words(raw.header_bytes, " + ", shape_text(raw.shape), " x ", raw.type.bytes,
                      " bytes = ", raw.header_bytes + wanted.value_or(0), " in a file of ", file.size(), " bytes"),
                "header and shape that the file holds");
  }
  ArrayView view{.type = raw.type,
                 .shape = raw.shape,
                 .order = MemoryOrder::c,
                 .bytes = file.subspan(raw.header_bytes + raw.frame_header_bytes, *wanted - raw.frame_header_bytes)};
  if (raw.frame_header_bytes == 0) return view;
  ArrayView one = view;
  one.strides.clear();
  for (std::size_t a = 0; a < view.shape.size(); ++a) view.strides.push_back(one.stride_bytes(a));
  view.strides[0] = item;
  return view;
}

LibraryRecording read_raw_bytes(const OpenRequest& request, const std::string& what, const Json& meta) {
  check_description_keys(what, meta);
  RawLayout raw;
  raw.type = described_type(what, meta);
  raw.header_bytes = whole(what, meta, "header_bytes");
  raw.frame_header_bytes = whole(what, meta, "frame_header_bytes");
  const std::vector<double> shape = json_numbers(what, require_key(what, meta, "shape"), "shape");
  for (const double n : shape) {
    if (!(n >= 0.0 && n <= 1e12 && n == std::floor(n)) || shape.size() > 8)
      throw Error(what, "shape = " + json_excerpt(meta.at("shape")), "whole numbers, the slowest axis first");
    raw.shape.push_back(static_cast<std::size_t>(n));
  }
  if (raw.shape.empty()) throw Error(what, "shape = []", "whole numbers, the slowest axis first");
  if (raw.frame_header_bytes > 0 && described_axes(what, meta).front() != Axis::frame)
    throw Error(what, "frame_header_bytes without frames as the slowest axis", "axes that begin with \"frame\"");
  if (request.folder != nullptr) return read_raw_folder(request, what, meta, raw);
  if (raw.shape[0] == 0) {
    const std::vector<std::size_t> rest(raw.shape.begin() + 1, raw.shape.end());
    const std::size_t item = raw.frame_header_bytes + checked_bytes(rest, raw.type.bytes).value_or(0);
    const std::size_t held = request.bytes().size() - std::min(request.bytes().size(), raw.header_bytes);
    if (item == raw.frame_header_bytes)
      throw Error(what, "shape = " + json_excerpt(meta.at("shape")), "one length of 0, the first");
    raw.shape[0] = held / item;
    if (raw.shape[0] == 0) raw.shape[0] = 1;
  }
  const ArrayView view = raw_view(what, request.bytes(), raw);
  const std::size_t used = raw.header_bytes + raw.frame_header_bytes + view.bytes.size();
  const auto tree = view_tree("raw binary", {.real = view, .imaginary = {}, .owner = request.file});
  Json complete = meta;
  complete["data"] = "samples";
  complete.erase("shape");
  LibraryRecording recording = described_tree(request, what, complete, *tree, "raw binary with JSON description");
  if (used != request.bytes().size()) {
    Acquisition a = *recording.acquisition;
    a.assumptions.push_back(words(request.bytes().size() - used, " of ", request.bytes().size(),
                                  " bytes at the end of the file are left over"));
    recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  }
  return recording;
}

}  // namespace echoloop
