#include "formats/mat73.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "core/error.h"
#include "formats/mat73_outline.h"
#include "formats/reader.h"

namespace echoloop {

using namespace mat73;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{8} << 30;
constexpr std::size_t kMaxFieldBytes = std::size_t{256} << 20;  // all fields of a struct
constexpr std::size_t kMaxChunk = std::size_t{64} << 20;        // of an array smaller than its chunk
constexpr std::size_t kMaxExpansion = 1032;                     // of deflate

// Data inside this file that its size can hold.
void check_storage(const std::string& what, hid_t dataset, const Outline& outline, std::size_t bytes,
                   std::size_t file_size) {
  const Id plan(H5Dget_create_plist(dataset)), type(H5Dget_type(dataset));
  const H5D_layout_t layout = H5Pget_layout(plan);
  const bool chunked = layout == H5D_CHUNKED;
  if ((!chunked && layout != H5D_COMPACT && layout != H5D_CONTIGUOUS) || H5Pget_external_count(plan) != 0)
    throw Error(what, "data kept in another file", kAccepted);
  bool plausible =
      bytes <= kMaxBytes && bytes / kMaxExpansion <= file_size && H5Dget_storage_size(dataset) <= file_size;
  if (chunked) {
    std::vector<hsize_t> extents(kMaxAxes);
    const int rank = H5Pget_chunk(plan, static_cast<int>(extents.size()), extents.data());
    if (rank < 0) throw Error(what, "damaged chunks", kAccepted);
    extents.resize(static_cast<std::size_t>(rank));
    const std::vector<std::size_t> chunk(extents.begin(), extents.end());
    plausible = plausible && checked_bytes(chunk, H5Tget_size(type)).value_or(kMaxBytes) <= std::max(bytes, kMaxChunk);
  }
  if (!plausible) {
    throw Error(
        what, "an array of shape " + shape_text(outline.dims) + " in a file of " + std::to_string(file_size) + " bytes",
        kAccepted);
  }
}

using Block = std::shared_ptr<std::vector<std::byte>>;

// `member` empty: the numbers themselves; otherwise that part of complex ones.
ArrayView read_numbers(const std::string& what, hid_t dataset, const Outline& outline, const std::string& member,
                       std::size_t file_size, Block block) {
  const auto type = parse_number_type(outline.number->code, outline.number->code[1] == '1' ? '|' : '<');
  const auto bytes = type ? checked_bytes(outline.dims, type->bytes) : std::nullopt;
  if (!bytes || *bytes == 0) throw Error(what, "an array of shape " + shape_text(outline.dims), kAccepted);
  check_storage(what, dataset, outline, *bytes, file_size);
  block->resize(*bytes);
  const Id part(member.empty() ? hid_t{-1} : H5Tcreate(H5T_COMPOUND, type->bytes));
  if (part.valid()) H5Tinsert(part, member.c_str(), 0, outline.number->memory);
  const hid_t memory = member.empty() ? outline.number->memory : static_cast<hid_t>(part);
  if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, block->data()) < 0)
    throw Error(what, "damaged data", kAccepted);
  return {.type = *type, .shape = outline.dims, .order = MemoryOrder::fortran, .bytes = *block};
}

}  // namespace

struct Mat73::Handle {
  Id file;
};

Mat73::Mat73(const std::string& what, const std::string& path, std::size_t file_size)
    : what_(what), file_size_(file_size) {
  H5PLset_loading_state(0);  // a file cannot name a library to load
  handle_ = std::make_unique<Handle>(Handle{Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT))});
  if (!handle_->file.valid()) throw Error(what_, "a damaged MATLAB file", kAccepted);
}

Mat73::~Mat73() = default;

std::vector<MatVariable> Mat73::variables() const {
  std::vector<MatVariable> found;
  for (const std::string& name : hard_links(what_, handle_->file)) {
    const Id object = open_object(what_, handle_->file, name);
    const H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_DATASET) {
      const Outline outline = dataset_outline(what_, object);
      found.push_back({name, outline.kind, outline.dims, outline.number.has_value(), {}});
    } else if (kind == H5I_GROUP) {
      MatVariable variable{name, class_attribute(object), {1, 1}, false, hard_links(what_, object)};
      if (variable.kind.empty()) variable.kind = "struct";
      if (has_attribute(object, "MATLAB_sparse")) variable.kind = "sparse";
      if (!variable.fields.empty()) {  // the fields of a struct array are references, and of its shape
        const Id first = open_object(what_, object, variable.fields[0]);
        const bool dataset = H5Iget_type(first) == H5I_DATASET;
        const Outline outline = dataset ? dataset_outline(what_, first) : Outline{};
        if (outline.kind == "references") variable.dims = outline.dims;
      }
      found.push_back(std::move(variable));
    }
  }
  return found;
}

MatArray Mat73::read_array(const std::string& name) const {
  const std::string what = what_ + " (variable " + printable(name) + ")";
  const Id object = open_object(what, handle_->file, name);
  if (H5Iget_type(object) != H5I_DATASET) throw Error(what, "no array", kAccepted);
  const Outline outline = dataset_outline(what, object);
  if (!outline.number) throw Error(what, "no numbers", kAccepted);
  struct Owner {
    Block real = std::make_shared<std::vector<std::byte>>(), imaginary = std::make_shared<std::vector<std::byte>>();
  };
  const auto owner = std::make_shared<Owner>();
  MatArray array;
  array.real = read_numbers(what, object, outline, outline.real, file_size_, owner->real);
  if (!outline.imaginary.empty())
    array.imaginary = read_numbers(what, object, outline, outline.imaginary, file_size_, owner->imaginary);
  array.owner = owner;
  return array;
}

std::map<std::string, MatField> Mat73::read_fields(const std::string& name) const {
  const std::string what = what_ + " (variable " + printable(name) + ")";
  const Id object = open_object(what, handle_->file, name);
  if (H5Iget_type(object) != H5I_GROUP) throw Error(what, "a damaged struct", kAccepted);
  std::map<std::string, MatField> fields;
  std::size_t total = 0;
  for (const std::string& field : hard_links(what, object)) {
    const Id member = open_object(what, object, field);
    if (H5Iget_type(member) != H5I_DATASET) continue;
    const Outline outline = dataset_outline(what, member);
    const auto size = checked_bytes(outline.dims, sizeof(double));
    if (!outline.number || !outline.real.empty() || size == 0U) continue;
    if (!size || *size > kMaxFieldBytes || (total += *size) > kMaxFieldBytes)
      throw Error(what, "fields of more than 256 MiB", kAccepted);
    const auto block = std::make_shared<std::vector<std::byte>>();
    const ArrayView view = read_numbers(what, member, outline, {}, file_size_, block);
    add_field(fields, field, view);
  }
  return fields;
}

}  // namespace echoloop
