#include "formats/containers/npy.h"

#include <charconv>
#include <string_view>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/containers/zip.h"

namespace echoloop {
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
    if (status != std::errc{} || end != descr.data() + descr.size() || width > kMaxNpyText) {
      throw Error(what, "dtype '" + printable(descr) + "'", kNpyFile);
    }
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
    if (!members.emplace(name, NpzMember{.npy = read_npy(member_what, data.bytes), .owner = data.owner}).second) {
      throw Error(what, "two members named '" + printable(name) + "'", "each name once");
    }
  }
  return members;
}

}  // namespace echoloop
