#include "formats/import/raw_bytes.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "formats/base/printable.h"
#include "formats/import/described.h"
#include "formats/import/folder_tree.h"
#include "formats/import/words.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

NumberType described_type(const std::string& what, const Json& meta) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"int8", "i1"},  {"uint8", "u1"},  {"int16", "i2"},   {"uint16", "u2"},    {"int32", "i4"},      {"uint32", "u4"},
      {"int64", "i8"}, {"uint64", "u8"}, {"float16", "f2"}, {"float32", "f4"},   {"float64", "f8"},    {"single", "f4"},
      {"float", "f4"}, {"double", "f8"}, {"short", "i2"},   {"complex64", "c8"}, {"complex128", "c16"}};
  std::string name = json_text(what, meta.at("dtype"), "dtype");
  std::string order = meta.contains("byte_order") ? json_text(what, meta.at("byte_order"), "byte_order") : "little";
  if (order != "little" && order != "big")
    throw Error(what, "byte_order = \"" + printable(order) + "\"", "\"little\" or \"big\"");
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    if (name[0] == '>') order = "big";
    name.erase(0, 1);
  }
  for (const auto& [word, code] : kNames) {
    if (name == word) name = code;
  }
  const bool byte = name == "i1" || name == "u1";
  const auto type = parse_number_type(name, byte ? '|' : order == "big" ? '>' : '<');
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

// The first axis counts the files; each has the header and the other axes.
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
