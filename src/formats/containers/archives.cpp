#include "formats/containers/archives.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr const char* kZipFile = "an undamaged .npz (zip) file with stored or deflated members";
constexpr std::uint32_t kEndOfDirectory = 0x06054b50, kZip64Locator = 0x07064b50, kZip64End = 0x06064b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50, kLocalHeader = 0x04034b50;
constexpr std::uint64_t kMaxMembers = 4096;
constexpr std::uint64_t kMaxDeflateRatio = 1032;  // zlib's technical description: deflate cannot do better than 1032:1
constexpr std::uint64_t kMaxInflated = std::uint64_t{64} << 30;
constexpr std::size_t kInflated = std::size_t{16} << 20;  // bytes between two calls of check_stop
constexpr std::uint32_t kIn64 = 0xffffffffU;              // "see the zip64 field"

class Bytes {  // bounds-checked little-endian access
 public:
  Bytes(const std::string& what, std::span<const std::byte> data) : what_(what), data_(data) {}
  [[noreturn]] void refuse(const std::string& found) const { throw Error(what_, found, kZipFile); }
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t at, std::uint64_t size) const {
    if (at > data_.size() || size > data_.size() - at) refuse("a truncated zip archive");
    return data_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  }
  [[nodiscard]] std::uint64_t natural(std::uint64_t at, std::size_t size) const {
    std::uint64_t value = 0;
    const auto raw = part(at, size);
    for (std::size_t k = 0; k < size; ++k) value |= std::to_integer<std::uint64_t>(raw[k]) << (8 * k);
    return value;
  }
  [[nodiscard]] std::uint32_t u16(std::uint64_t at) const { return static_cast<std::uint32_t>(natural(at, 2)); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t at) const { return static_cast<std::uint32_t>(natural(at, 4)); }
  [[nodiscard]] std::uint64_t u64(std::uint64_t at) const { return natural(at, 8); }
  [[nodiscard]] std::uint64_t size() const { return data_.size(); }

 private:
  const std::string& what_;
  std::span<const std::byte> data_;
};

struct Directory {
  std::uint64_t at = 0, bytes = 0, members = 0;
};

Directory find_directory(const Bytes& file) {
  if (file.size() < 22) file.refuse("a truncated zip archive");
  const std::uint64_t last = file.size() - 22;
  const std::uint64_t first = last > 65535 ? last - 65535 : 0;  // a comment of up to 65535 bytes may follow
  for (std::uint64_t at = last + 1; at-- > first;) {
    if (file.u32(at) != kEndOfDirectory || at + 22 + file.u16(at + 20) != file.size()) continue;
    Directory directory{.at = file.u32(at + 16), .bytes = file.u32(at + 12), .members = file.u16(at + 10)};
    if (at >= 20 && file.u32(at - 20) == kZip64Locator) {
      const std::uint64_t end = file.u64(at - 12);
      if (file.part(end, 56).empty() || file.u32(end) != kZip64End) file.refuse("a damaged zip64 directory");
      directory = {.at = file.u64(end + 48), .bytes = file.u64(end + 40), .members = file.u64(end + 32)};
    }
    return directory;
  }
  file.refuse("a truncated zip archive (no directory at the end)");
}

// Applies extra field 0x0001: the sizes that do not fit 32 bits, in this order, only those needed.
void apply_zip64(const Bytes& file, std::uint64_t extra, std::uint64_t extra_bytes, ZipMember& member) {
  const std::uint64_t end = extra + extra_bytes;
  while (extra + 4 <= end) {
    const std::uint32_t id = file.u16(extra);
    const std::uint64_t size = file.u16(extra + 2);
    std::uint64_t at = extra + 4;
    const std::uint64_t field_end = at + size;
    if (field_end > end) file.refuse("a damaged zip extra field");
    if (id == 0x0001) {
      for (std::uint64_t* const value : {&member.bytes, &member.packed_bytes, &member.header_at}) {
        if (*value != kIn64) continue;
        if (at + 8 > field_end) file.refuse("a damaged zip64 field");
        *value = file.u64(at);
        at += 8;
      }
      return;
    }
    extra = field_end;
  }
}

std::span<const std::byte> packed_bytes(const Bytes& file, const ZipMember& member) {
  if (file.u32(member.header_at) != kLocalHeader) file.refuse("a damaged zip member '" + printable(member.name) + "'");
  const std::uint64_t data_at =
      member.header_at + 30 + file.u16(member.header_at + 26) + file.u16(member.header_at + 28);
  return file.part(data_at, member.packed_bytes);
}

struct Output {
  std::span<std::byte> bytes;
  const std::function<void()>& check_stop;
};

void inflate_all(const Bytes& file, const ZipMember& member, std::span<const std::byte> packed, Output to) {
  std::span<std::byte> out = to.bytes;
  struct Stream : z_stream {
    Stream() : z_stream{} {}
    ~Stream() { inflateEnd(this); }
  } stream;
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) file.refuse("invalid deflated data");
  int status = Z_OK;
  while (status == Z_OK) {
    if (to.check_stop) to.check_stop();
    const std::size_t n_in = std::min(packed.size(), kInflated), n_out = std::min(out.size(), kInflated);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(n_in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(n_out);
    status = inflate(&stream, Z_NO_FLUSH);
    packed = packed.subspan(n_in - stream.avail_in);
    out = out.subspan(n_out - stream.avail_out);
  }
  if (status != Z_STREAM_END || !out.empty())
    file.refuse("damaged deflated data in member '" + printable(member.name) + "'");
}

}  // namespace

bool looks_like_zip(std::span<const std::byte> bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4));
  return start == "PK\x03\x04" || start == "PK\x05\x06";
}

std::vector<ZipMember> zip_directory(const std::string& what, std::span<const std::byte> data) {
  const Bytes file(what, data);
  const Directory directory = find_directory(file);
  if (directory.members > kMaxMembers)
    file.refuse("a zip archive of " + std::to_string(directory.members) + " members");
  std::vector<ZipMember> members;
  std::uint64_t at = directory.at;
  for (std::uint64_t k = 0; k < directory.members; ++k) {
    if (file.part(at, 46).empty() || file.u32(at) != kDirectoryEntry) file.refuse("a damaged zip directory");
    const std::uint64_t n_name = file.u16(at + 28), n_extra = file.u16(at + 30), n_comment = file.u16(at + 32);
    const auto name = file.part(at + 46, n_name);
    ZipMember member{.name = std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                     .method = static_cast<std::uint16_t>(file.u16(at + 10)),
                     .crc32 = file.u32(at + 16),
                     .packed_bytes = file.u32(at + 20),
                     .bytes = file.u32(at + 24),
                     .header_at = file.u32(at + 42)};
    apply_zip64(file, at + 46 + n_name, n_extra, member);
    if ((file.u16(at + 8) & 1U) != 0) file.refuse("an encrypted zip member");
    if (member.method != 0 && member.method != 8)
      file.refuse("zip compression method " + std::to_string(member.method));
    members.push_back(std::move(member));
    at += 46 + n_name + n_extra + n_comment;
  }
  return members;
}

MemberData zip_extract(const std::string& what, std::span<const std::byte> data, const ZipMember& member,
                       const std::function<void()>& check_stop) {
  const Bytes file(what, data);
  const auto packed = packed_bytes(file, member);
  MemberData result;
  if (member.method == 0) {
    if (member.bytes != member.packed_bytes) file.refuse("a stored zip member of two sizes");
    result.bytes = packed;
  } else {
    if (member.bytes > kMaxInflated || member.bytes / kMaxDeflateRatio > member.packed_bytes) {
      file.refuse("a member that declares to inflate from " + std::to_string(member.packed_bytes) + " to " +
                  std::to_string(member.bytes) + " bytes");
    }
    if (member.bytes == 0) file.refuse("an empty member '" + printable(member.name) + "'");
    const auto block = MemoryBlock::allocate(what, static_cast<std::size_t>(member.bytes));
    inflate_all(file, member, packed, {block->bytes(), check_stop});
    result = {.bytes = block->bytes(), .owner = block};
  }
  uLong crc = 0;
  for (auto left = result.bytes; !left.empty(); left = left.subspan(std::min(left.size(), kInflated))) {
    if (check_stop) check_stop();
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(left.data()), std::min(left.size(), kInflated));
  }
  if (crc != member.crc32) file.refuse("a wrong checksum of member '" + printable(member.name) + "'");
  return result;
}

namespace {

constexpr std::size_t kBlock = 512, kMostMembers = 10'000;

std::string_view field(std::span<const std::byte> block, std::size_t at, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()) + at, size);
  return text.substr(0, text.find('\0'));
}

// Parses octal digits after spaces; does not read GNU's base 256 for members of 8 GiB and more.
bool octal(std::string_view text, std::size_t& value) {
  value = 0;
  bool digits = false;
  for (const char c : text) {
    if (c == ' ' && !digits) continue;
    if (c < '0' || c > '7') return digits && c == ' ';
    digits = true;
    value = 8 * value + static_cast<std::size_t>(c - '0');
  }
  return digits;
}

}  // namespace

bool looks_like_tar(std::span<const std::byte> bytes) {
  return bytes.size() >= kBlock && field(bytes, 257, 6).starts_with("ustar");
}

std::vector<TarMember> tar_members(const std::string& what, std::span<const std::byte> bytes) {
  const auto damaged = [&](const char* found) { return Error(what, found, "an undamaged tar archive"); };
  std::vector<TarMember> members;
  std::string long_name;
  std::size_t at = 0;
  while (at + kBlock <= bytes.size()) {
    const auto block = bytes.subspan(at, kBlock);
    if (field(block, 0, 100).empty()) break;  // end of archive
    std::size_t size = 0;
    if (!field(block, 257, 6).starts_with("ustar") || !octal(field(block, 124, 12), size))
      throw damaged("a damaged header in a tar archive");
    at += kBlock;
    if (size > bytes.size() - at) throw damaged("a tar archive that ends too early");
    const auto content = bytes.subspan(at, size);
    const char type = static_cast<char>(block[156]);
    if (type == 'L') {  // GNU: name of the next member
      const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
      long_name = text.substr(0, text.find('\0'));
    } else {
      const std::string_view prefix = field(block, 345, 155);
      std::string name = prefix.empty() || field(block, 257, 8) == "ustar  " ? "" : std::string(prefix) + "/";
      name += field(block, 0, 100);
      if (type == '0' || type == '\0') members.push_back({long_name.empty() ? name : long_name, content});
      if (members.size() > kMostMembers) throw damaged("more than 10 000 files in a tar archive");
      long_name.clear();
    }
    at += std::min(bytes.size() - at, (size + kBlock - 1) / kBlock * kBlock);
  }
  return members;
}

namespace {

constexpr const char* kNpyFile = "a .npy file (version 1 to 3) of integers, reals or complex numbers";
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;
constexpr std::size_t kMaxNpyAxes = 16;
constexpr std::size_t kMaxNpyText = 65536;

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

// dict := '{' [ item { ',' item } [','] ] '}'   item := string ':' (string | True | False | tuple of naturals)
class HeaderParser {
 public:
  HeaderParser(const std::string& what, std::string_view text) : what_(what), text_(text) {}

  Header parse() {
    Header header;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !header.descr) {
        if (peek() == '[') refuse("a structured array");
        header.descr = std::string(quoted());
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = truth();
      } else if (key == "shape" && !header.shape) {
        header.shape = naturals();
      } else {
        refuse("header key '" + printable(key) + "'");
      }
      if (!accept(',') && peek() != '}') refuse("a header that is not a dict");
    }
    skip_space();
    if (at_ != text_.size()) refuse("text after the dict in the header");
    if (!header.descr || !header.fortran_order || !header.shape)
      refuse("a header without descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const { throw Error(what_, found, kNpyFile); }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse("a header that is not a dict");
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("a header that is not a dict");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("a header that is not a dict");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }
  bool truth() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    refuse("a fortran_order that is neither True nor False");
  }
  std::vector<std::size_t> naturals() {
    std::vector<std::size_t> values;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::size_t value = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (status != std::errc{} || values.size() >= kMaxNpyAxes)
        refuse("a shape that is not a tuple of up to 16 lengths");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (peek() == 'L') ++at_;  // Python 2 wrote long integers with an L
      values.push_back(value);
      if (!accept(',') && peek() != ')') refuse("a shape that is not a tuple of up to 16 lengths");
    }
    return values;
  }

  const std::string& what_;
  std::string_view text_;
  std::size_t at_ = 0;
};

struct Parts {
  std::string_view header;
  std::span<const std::byte> data;
};

Parts split(const std::string& what, std::span<const std::byte> bytes) {
  const auto refuse = [&](const std::string& found) { throw Error(what, found, kNpyFile); };
  if (!looks_like_npy(bytes)) refuse("no .npy data");
  if (bytes.size() < 12) refuse("a truncated .npy header");
  const unsigned version = std::to_integer<unsigned>(bytes[6]);
  if (version < 1 || version > 3) refuse(".npy version " + std::to_string(version));
  const std::size_t n_length = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t k = 0; k < n_length; ++k) length |= std::to_integer<std::size_t>(bytes[8 + k]) << (8 * k);
  const std::size_t start = 8 + n_length;
  if (length > kMaxHeader) refuse("a .npy header of " + std::to_string(length) + " bytes");
  if (length > bytes.size() - start) refuse("a truncated .npy header");
  return {{reinterpret_cast<const char*>(bytes.data()) + start, length}, bytes.subspan(start + length)};
}

// Decodes '<U5': fixed-width UCS-4 strings, padded with zeros. ASCII only; everything else becomes '?'.
std::vector<std::string> decode_text(std::span<const std::byte> data, std::size_t count, std::size_t width) {
  std::vector<std::string> strings(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < width; ++c) {
      const std::byte* const at = data.data() + (k * width + c) * 4;
      const bool ascii = std::to_integer<unsigned>(at[0]) < 128 && (at[1] | at[2] | at[3]) == std::byte{0};
      if (ascii && at[0] == std::byte{0}) break;
      strings[k] += ascii ? std::to_integer<char>(at[0]) : '?';
    }
  }
  return strings;
}

}  // namespace

bool looks_like_npy(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  return bytes.size() >= kMagic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), kMagic.size()) == kMagic;
}

bool holds_objects(const std::string& what, std::span<const std::byte> bytes) {
  return HeaderParser(what, split(what, bytes).header).parse().descr == "|O";
}

NpyFile read_npy(const std::string& what, std::span<const std::byte> bytes) {
  const auto [text, data] = split(what, bytes);
  const Header header = HeaderParser(what, text).parse();
  const std::string& descr = *header.descr;
  NpyFile file;
  file.array.shape = *header.shape;
  file.array.order = *header.fortran_order ? MemoryOrder::fortran : MemoryOrder::c;
  std::size_t item_bytes = 0;
  if (descr.starts_with("<U")) {
    std::size_t width = 0;
    const auto [end, status] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
    if (status != std::errc{} || end != descr.data() + descr.size() || width > kMaxNpyText)
      throw Error(what, "dtype '" + printable(descr) + "'", kNpyFile);
    file.is_text = true;
    item_bytes = 4 * width;
  } else {
    const auto type = parse_number_type(descr.empty() ? descr : descr.substr(1), descr.empty() ? '?' : descr[0]);
    if (!type)
      throw Error(what, "dtype '" + printable(descr) + "'", kNpyFile,
                  descr == "|O" ? "Python objects: save the arrays with numpy.savez(FILE, **DICT)" : "");
    file.array.type = *type;
    item_bytes = type->bytes;
  }
  const auto size = checked_bytes(file.array.shape, item_bytes);
  if (!size || *size > data.size()) {
    throw Error(what,
                "shape " + shape_text(file.array.shape) + " of '" + descr + "' in a file with " +
                    std::to_string(data.size()) + " bytes of data",
                "the number of bytes given in the header");
  }
  if (file.is_text) {
    if (*size > kMaxNpyText || item_bytes == 0)
      throw Error(what, "a text array of " + std::to_string(*size) + " bytes", kNpyFile);
    file.text = decode_text(data, *size / item_bytes, item_bytes / 4);
  } else {
    file.array.bytes = data.first(*size);
  }
  return file;
}

namespace {

// Returns the limit of the inflated size of all members of an archive: deflate reaches 1032 times, samples far less.
std::uint64_t most_inflated(std::size_t file_bytes) { return (std::uint64_t{128} << 20) + 128 * file_bytes; }

}  // namespace

std::map<std::string, NpzMember> read_npz_members(const std::string& what, std::span<const std::byte> bytes,
                                                  const std::function<void()>& check_stop) {
  std::map<std::string, NpzMember> members;
  std::uint64_t inflated = 0;
  for (const ZipMember& entry : zip_directory(what, bytes)) {
    if (!entry.name.ends_with(".npy")) continue;
    inflated += entry.method == 0 ? 0 : entry.bytes;
    if (entry.bytes > most_inflated(bytes.size()) || inflated > most_inflated(bytes.size()))
      throw Error(what, "members that inflate to " + std::to_string(entry.bytes) + " bytes and more",
                  "up to " + std::to_string(most_inflated(bytes.size())) + " for a file of this size");
    const MemberData data = zip_extract(what, bytes, entry, check_stop);
    const std::string name = entry.name.substr(0, entry.name.size() - 4);
    const std::string member_what = what + " (member " + printable(name) + ")";
    if (holds_objects(member_what, data.bytes)) continue;
    if (!members.emplace(name, NpzMember{.npy = read_npy(member_what, data.bytes), .owner = data.owner}).second)
      throw Error(what, "two members named '" + printable(name) + "'", "each name once");
  }
  return members;
}

}  // namespace echoloop
