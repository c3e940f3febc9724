#include "formats/containers/mat_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "formats/base/mapping.h"

namespace echoloop {
namespace {

using matio::kUndamaged;

// Check of a MATLAB v5 file before matio parses it: the chain of elements, and inside cells and structs every nested
// size. Reason: matio allocates memory by the dimensions given in a file, before it reads the data.

// DataElement types (MAT-File Format, table 1-1), array classes (table 1-3).
constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kInt32 = 5, kUint32 = 6, kMatrix = 14, kCompressed = 15, kUtf8 = 16;
constexpr std::uint32_t kCell = 1, kStruct = 2, kObject = 3, kSparse = 5, kUint64Array = 15;
constexpr std::size_t kMaxName = 4096;                     // MATLAB's longest name has 63 characters
constexpr std::size_t kHead = 8192;                        // of an inflated variable: all that precedes its numbers
constexpr std::size_t kMaxLooked = std::size_t{64} << 20;  // of an inflated variable; the rest is not checked
constexpr std::size_t kInflatedPiece = std::size_t{256} << 10;
constexpr int kMaxElementDepth = 16;

struct DataElement {
  std::uint32_t type = 0;
  std::size_t data_at = 0, data_bytes = 0, next = 0;
};

// Returns the bytes of one number of an element type; 0: not numeric.
std::size_t number_bytes(std::uint32_t type) {
  constexpr std::size_t kBytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

struct BeyondReach {};  // thrown at the end of the inflated part

class Walker {
 public:
  // `total` may exceed bytes.size() if only the beginning of an inflated variable is available.
  Walker(const std::string& what, std::span<const std::byte> bytes, std::size_t total, ByteOrder order)
      : what_(what), bytes_(bytes), total_(total), order_(order) {}

  [[noreturn]] void refuse(const std::string& found) const { throw Error(what_, found, kUndamaged); }

  // Checks the body of a matrix element in [at, end): flags, dimensions, name, then parts by class.
  void matrix(std::size_t at, std::size_t end, int depth) const {
    if (at == end) return;  // an empty field
    if (depth > kMaxElementDepth) refuse("a MATLAB variable nested deeper than " + std::to_string(kMaxElementDepth));
    const DataElement flags = element(at, end);
    const std::uint32_t kind = word(flags.data_at) & 0xffU;
    if (kind == 0 || kind > kUint64Array) return;  // functions and opaque objects have another layout; matio skips them
    const DataElement dims = element(flags.next, end);
    if (flags.type != kUint32 || flags.data_bytes != 8 || (dims.type != kInt32 && dims.type != kUint32))
      refuse("a damaged MATLAB variable");
    const std::size_t parts = part_count(dims);
    if (kind > kObject && kind != kSparse && parts > end - at) refuse_numbers(parts, end - at);
    const DataElement name = element(dims.next, end);
    if ((name.type != kInt8 && name.type != kUint8 && name.type != kUtf8) || name.data_bytes > kMaxName)
      refuse("a MATLAB variable with a name of " + std::to_string(name.data_bytes) + " bytes");
    if (kind == kSparse) return numbers(name.next, end);
    if (kind > kObject) return numbers(name.next, end, parts);
    if (kind == kCell) return nested(name.next, end, parts, depth);
    if (kind == kObject) return;  // matio does not parse its content
    const DataElement length = element(name.next, end);
    const std::uint32_t name_bytes = word(length.data_at);
    const DataElement names = element(length.next, end);
    if (length.data_bytes != 4 || name_bytes == 0 || name_bytes > 4096) refuse("a damaged MATLAB struct");
    const std::size_t n_fields = names.data_bytes / name_bytes;
    if (n_fields > 0 && parts > total_ / n_fields) refuse("a MATLAB struct that declares more fields than bytes");
    nested(names.next, end, parts * n_fields, depth);
  }

  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < 4) {
      if (bytes_.size() < total_) throw BeyondReach{};
      refuse("a truncated MATLAB variable");
    }
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t place = order_ == ByteOrder::big ? 3 - k : k;
      value |= std::to_integer<std::uint32_t>(bytes_[at + k]) << (8 * place);
    }
    return value;
  }

 private:
  [[noreturn]] void refuse_numbers(std::size_t n, std::size_t bytes) const {
    refuse("a MATLAB array that declares " + std::to_string(n) + " numbers in " + std::to_string(bytes) + " bytes");
  }

  // Checks the elements of numbers in [at, end): each has at least `parts` numbers.
  void numbers(std::size_t at, std::size_t end, std::size_t parts = 0) const {
    while (at < end) {
      const DataElement part = element(at, end);
      const std::size_t size = number_bytes(part.type);
      if (size == 0) refuse("MATLAB numbers of type " + std::to_string(part.type));
      if (part.data_bytes / size < parts) refuse_numbers(parts, part.data_bytes);
      at = part.next;
    }
  }

  [[nodiscard]] DataElement element(std::size_t at, std::size_t end) const {
    if (at > end || end - at < 8) refuse("a truncated MATLAB variable");
    const std::uint32_t tag = word(at);
    if ((tag >> 16) != 0)
      return {
          .type = tag & 0xffffU, .data_at = at + 4, .data_bytes = std::min<std::size_t>(tag >> 16, 4), .next = at + 8};
    const std::size_t size = word(at + 4);
    if (size > end - at - 8) refuse("a MATLAB element longer than the variable around the element");
    const std::size_t padded = tag == kMatrix ? size : (size + 7) / 8 * 8;
    return {.type = tag, .data_at = at + 8, .data_bytes = size, .next = std::min(at + 8 + padded, end)};
  }

  [[nodiscard]] std::size_t part_count(const DataElement& dims) const {
    if (dims.data_bytes % 4 != 0 || dims.data_bytes > 4 * 16) refuse("a damaged MATLAB variable");
    std::vector<std::size_t> extents;
    for (std::size_t k = 0; k < dims.data_bytes; k += 4) extents.push_back(word(dims.data_at + k));
    const auto product = checked_bytes(extents, 1);
    if (!product) refuse("a MATLAB variable of shape " + shape_text(extents));
    return *product;
  }

  void nested(std::size_t at, std::size_t end, std::size_t n, int depth) const {
    if (n > (end - std::min(at, end)) / 8)
      refuse("a MATLAB cell or struct that declares " + std::to_string(n) + " parts");
    for (std::size_t k = 0; k < n; ++k) {
      const DataElement part = element(at, end);
      if (part.type != kMatrix) refuse("a damaged MATLAB cell or struct");
      matrix(part.data_at, part.data_at + part.data_bytes, depth + 1);
      at = part.next;
    }
  }

  const std::string& what_;
  std::span<const std::byte> bytes_;
  std::size_t total_;
  ByteOrder order_;
};

// Incremental zlib decompression. Its end is only reached if the checksum matches the inflated data.
class Inflater {
 public:
  Inflater(const std::string& what, std::span<const std::byte> packed) : what_(what) {
    if (inflateInit(&stream_) != Z_OK) throw Error(what_, "invalid compressed data", kUndamaged);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());  // below 4 GiB: a v5 element's length has 32 bits
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` as far as there is data; returns the number of bytes.
  std::size_t read(std::span<std::byte> out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (!ended_ && stream_.avail_out > 0) {
      const int status = inflate(&stream_, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      if (status == Z_BUF_ERROR) throw Error(what_, "truncated compressed data", kUndamaged);
      if (status != Z_OK && !ended_) throw Error(what_, "damaged compressed data", kUndamaged);
    }
    return out.size() - stream_.avail_out;
  }

 private:
  const std::string& what_;
  z_stream stream_{};
  bool ended_ = false;
};

// Inflates the whole variable: matio does not verify the checksum, so a flipped bit in the file would otherwise be read
// as numbers.
void check_compressed(const std::string& what, std::span<const std::byte> packed, ByteOrder order) {
  Inflater inflater(what, packed);
  std::vector<std::byte> start(kHead);
  start.resize(inflater.read(start));
  if (start.size() < 56) throw Error(what, "a truncated MATLAB variable", kUndamaged);
  const Walker head(what, start, start.size(), order);
  const std::uint32_t kind = head.word(16) & 0xffU;  // matrix tag, flags tag, flags
  const std::size_t size = head.word(4);
  if (head.word(0) != kMatrix || size / 1032 > packed.size())
    throw Error(what, "a damaged compressed MATLAB variable", kUndamaged);
  std::size_t inflated = start.size();
  if ((kind == kCell || kind == kStruct) && size + 8 > inflated) {
    start.resize(std::min(size + 8, kMaxLooked));
    inflated += inflater.read(std::span(start).subspan(inflated));
    start.resize(inflated);
  }
  try {
    Walker(what, start, size + 8, order).matrix(8, size + 8, 0);
  } catch (const BeyondReach&) {
  }
  std::vector<std::byte> rest(kInflatedPiece);
  for (std::size_t n = kInflatedPiece; n == kInflatedPiece && inflated <= size + 8; inflated += n)
    n = inflater.read(rest);
  if (inflated < size + 8) throw Error(what, "compressed data shorter than the variable", kUndamaged);
}

// Throws Error (naming `what`) if an element exceeds its parent or declares more parts than there are bytes.
void check_mat5(const std::string& what, std::span<const std::byte> file) {
  if (file.size() < 136) throw Error(what, "a truncated MATLAB file", kUndamaged);
  const bool big = file[126] == std::byte{'M'} && file[127] == std::byte{'I'};
  if (!big && !(file[126] == std::byte{'I'} && file[127] == std::byte{'M'}))
    throw Error(what, "a MATLAB file without a byte order mark", kUndamaged);
  const ByteOrder order = big ? ByteOrder::big : ByteOrder::little;
  const Walker walker(what, file, file.size(), order);
  for (std::size_t at = 128; at < file.size();) {
    if (file.size() - at < 8) walker.refuse("a truncated MATLAB file");
    const std::uint32_t type = walker.word(at);
    const std::size_t size = walker.word(at + 4);
    if (type != kMatrix && type != kCompressed)
      walker.refuse("a MATLAB element of type " + std::to_string(type) + " at byte " + std::to_string(at));
    if (size < 8 || size > file.size() - at - 8) walker.refuse("a truncated MATLAB file");
    if (type == kMatrix) walker.matrix(at + 8, at + 8 + size, 0);
    if (type == kCompressed) check_compressed(what, file.subspan(at + 8, size), order);
    at += 8 + size;
  }
}

constexpr std::size_t kMaxVariables = 4096, kMaxFields = 4096;

void silence_libraries() {
  Mat_LogInitFunc("", [](int, auto*) {});
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

MatVariable outline(const std::string& what, matvar_t& variable) {
  const matio::ClassName& type = matio::class_of(variable);
  MatVariable result{.name = variable.name == nullptr ? "" : variable.name,
                     .kind = type.name,
                     .dims = matio::dims_of(what, variable),
                     .numeric = type.code[0] != '\0',
                     .fields = {}};
  if (variable.class_type == MAT_C_STRUCT) {
    const unsigned n = Mat_VarGetNumberOfFields(&variable);
    char* const* const names = Mat_VarGetStructFieldnames(&variable);
    if (n > kMaxFields) throw Error(what, "a struct of " + std::to_string(n) + " fields", kUndamaged);
    for (unsigned k = 0; names != nullptr && k < n; ++k)
      result.fields.emplace_back(names[k] == nullptr ? "" : names[k]);
  }
  return result;
}

}  // namespace

bool looks_like_mat(std::span<const std::byte> bytes) {
  if (bytes.size() < 128) return false;
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), 128);
  return start.starts_with("MATLAB 5.") || start.starts_with("MATLAB 7.");
}

struct MatFile::Handle {
  matio::File file;                // v5 to v7
  std::optional<hdf5::Node> root;  // v7.3
};

MatFile::MatFile(const std::string& what, const std::string& path, std::span<const std::byte> bytes)
    : what_(what), file_size_(bytes.size()), handle_(std::make_unique<Handle>()) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  const bool hdf5 = bytes.size() > 520 && std::memcmp(bytes.data() + 512, kHdf5.data(), kHdf5.size()) == 0;
  if (!hdf5) check_mat5(what_, bytes);
  silence_libraries();
  if (hdf5) {
    handle_->root = hdf5::Node::open(what_, path, file_size_);
    variables_ = mat73::variables(*handle_->root);
    if (variables_.empty()) throw Error(what_, "a MATLAB file without variables", kUndamaged);
    return;
  }
  mat_t* const file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
  handle_->file.reset(file);
  if (file == nullptr || Mat_GetVersion(file) == MAT_FT_MAT73) throw Error(what_, "a damaged MATLAB file", kUndamaged);
  while (const matio::Variable variable{Mat_VarReadNextInfo(file)}) {
    if (variables_.size() >= kMaxVariables) throw Error(what_, "too many variables", kUndamaged);
    variables_.push_back(outline(what_, *variable));
  }
  if (variables_.empty()) throw Error(what_, "a MATLAB file without variables, or a damaged one", kUndamaged);
}

MatFile::~MatFile() = default;

MatContainer MatFile::container() const { return handle_->root ? MatContainer::hdf5 : MatContainer::v5; }

OwnedArray MatFile::read_array(const std::string& name) const {
  if (handle_->root) return mat73::read_array(*handle_->root, name);
  const std::string what = what_ + " (variable " + printable(name) + ")";
  matio::Variable variable{Mat_VarReadInfo(handle_->file.get(), name.c_str())};
  if (!variable) throw Error(what, "a damaged variable", kUndamaged);
  matio::check_size(what, *variable, file_size_);
  if (Mat_VarReadDataAll(handle_->file.get(), variable.get()) != 0) throw matio::unread(what_, *variable);
  OwnedArray array = matio::numbers_of(what, *variable);
  array.owner = std::shared_ptr<matvar_t>(std::move(variable));
  return array;
}

}  // namespace echoloop
