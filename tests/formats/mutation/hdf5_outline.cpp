// HDF5: superblock, object headers of both versions and their messages, B-trees, symbol tables, heaps; checksums.
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "formats/mutation/outline.h"

namespace echoloop::testing {
namespace {

constexpr std::size_t kMostSealed = 8192;  // bytes of one part with a checksum

class Hdf5 {
 public:
  explicit Hdf5(std::string_view bytes) : bytes_(bytes) {}

  Outline read() {
    superblock();
    for (std::size_t at = 0; at + 16 <= bytes_.size(); ++at) {
      if (std::isupper(static_cast<unsigned char>(bytes_[at])) != 0) signature(at);
      if (at % 8 == 0) first_header(at);
    }
    return std::move(outline_);
  }

 private:
  [[nodiscard]] std::uint64_t at(std::size_t place, std::size_t size) const {
    return place + size <= bytes_.size() ? number_at(bytes_, {place, size}) : 0;
  }
  void add(std::size_t place, std::size_t size) {
    if (place + size <= bytes_.size()) outline_.numbers.push_back({place, size});
  }
  void add_many(std::size_t place, std::size_t size, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) add(place + k * size, size);
  }
  // Adds numbers of every size, for parts whose fields are not distinguished here.
  void add_all(std::size_t place, std::size_t length) {
    for (std::size_t k = 0; k < std::min<std::size_t>(length, 64); ++k) {
      add(place + k, 1);
      if (k % 2 == 0) add(place + k, 2);
      if (k % 4 == 0) add(place + k, 4);
      if (k % 8 == 0) add(place + k, 8);
    }
  }

  // Marks bytes from `begin` followed by their checksum.
  void seal(std::size_t begin) {
    const std::size_t most = std::min(kMostSealed, bytes_.size() - begin);
    for (std::size_t length = 8; length + 4 <= most; ++length) {
      if (at(begin + length, 4) != hdf5_checksum(bytes_.substr(begin, length))) continue;
      outline_.sealed.push_back({begin, begin + length});
      return;
    }
  }

  void superblock() {
    const std::uint64_t version = at(8, 1);
    add_many(8, 1, 8);
    if (version <= 1) {
      add_many(16, 2, 2);
      add_many(version == 0 ? 24 : 28, 8, 9);
    } else {
      add_many(12, 8, 4);
      seal(0);
    }
  }

  void signature(std::size_t place) {
    const std::string_view name = bytes_.substr(place, 4);
    static const std::set<std::string_view> kSealed{"OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTLF", "BTIN", "FAHD",
                                                    "FADB", "EAHD", "EAIB", "EASB", "EADB", "FSHD", "FSSE"};
    if (name == "TREE") {
      add_many(place + 4, 1, 2), add(place + 6, 2), add_many(place + 8, 8, 2);
      add_many(place + 24, 4, 2), add_many(place + 24, 8, 24);
    } else if (name == "SNOD") {
      add(place + 4, 1), add(place + 6, 2);
      for (std::size_t k = 0; k < 6; ++k) add_many(place + 8 + 40 * k, 8, 5), add(place + 24 + 40 * k, 4);
    } else if (name == "HEAP" || name == "GCOL") {
      add(place + 4, 1), add_many(place + 8, 8, 3), add_many(place + 16, 2, 2);
    } else if (name == "OHDR") {
      second_header(place);
    } else if (kSealed.contains(name)) {
      add_all(place + 4, 64);
      seal(place);
    } else {
      return;
    }
    outline_.places.push_back(place);
  }

  // Adds an object header of version 1, which has no signature.
  void first_header(std::size_t place) {
    const std::uint64_t messages = at(place + 2, 2), references = at(place + 4, 4), length = at(place + 8, 4);
    if (at(place, 2) != 1 || messages == 0 || messages > 200 || references == 0 || references > 16 || length < 8 ||
        length > 65536 || at(place + 16, 2) > 0x18 || at(place + 18, 2) % 8 != 0 || at(place + 18, 2) > length) {
      return;
    }
    outline_.places.push_back(place);
    add(place, 1), add(place + 2, 2), add(place + 4, 4), add(place + 8, 4);
    std::size_t next = place + 16;
    for (std::uint64_t k = 0; k < messages && next + 8 <= place + 16 + length; ++k) {
      add_many(next, 2, 2), add(next + 4, 1);
      message(at(next, 2), next + 8, at(next + 2, 2));
      next += 8 + at(next + 2, 2);
    }
  }

  void second_header(std::size_t place) {
    const std::uint64_t flags = at(place + 5, 1);
    add_many(place + 4, 1, 2);
    std::size_t next = place + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
    const std::size_t size_bytes = std::size_t{1} << (flags & 3);
    const std::uint64_t length = std::min<std::uint64_t>(at(next, size_bytes), bytes_.size());
    add(next, size_bytes);
    next += size_bytes;
    const std::size_t end = next + length, head = (flags & 4) != 0 ? 6 : 4;
    while (next + head <= std::min(end, bytes_.size())) {
      add(next, 1), add(next + 1, 2), add(next + 3, 1);
      message(at(next, 1), next + head, at(next + 1, 2));
      next += head + at(next + 1, 2);
    }
    seal(place);
  }

  void message(std::uint64_t type, std::size_t place, std::size_t length) {
    if (place + length > bytes_.size()) return;
    const std::size_t version = length > 0 ? at(place, 1) : 0;
    switch (type) {
      case 0x01:  // dataspace: rank, flags, extents
        add_many(place, 1, 3), add_many(place + (version == 1 ? 8 : 4), 8, length / 8);
        break;
      case 0x03:  // datatype: class, bits, size, properties
        add_many(place, 1, 4), add(place + 4, 4), add_many(place + 8, 2, 2), add_many(place + 12, 1, 4);
        break;
      case 0x08:  // layout: contiguous, chunked by either version
        add_many(place, 1, 5), add_many(place + 2, 8, 2), add(place + 3, 8), add_many(place + 11, 4, 5);
        break;
      case 0x0b:  // filters
        add_many(place, 1, 8), add_many(place + (version == 1 ? 8 : 2), 2, length / 2);
        break;
      default:
        add_all(place, length);
    }
  }

  std::string_view bytes_;
  Outline outline_;
};

}  // namespace

// Returns Jenkins' lookup3, as in the format's description.
std::uint32_t hdf5_checksum(std::string_view bytes) {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  while (bytes.size() > 12) {
    a += static_cast<std::uint32_t>(number_at(bytes, {0, 4}));
    b += static_cast<std::uint32_t>(number_at(bytes, {4, 4}));
    c += static_cast<std::uint32_t>(number_at(bytes, {8, 4}));
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
    bytes.remove_prefix(12);
  }
  if (bytes.empty()) return c;
  char last[12] = {};
  std::memcpy(last, bytes.data(), bytes.size());
  const std::string_view rest(last, sizeof last);
  a += static_cast<std::uint32_t>(number_at(rest, {0, 4}));
  b += static_cast<std::uint32_t>(number_at(rest, {4, 4}));
  c += static_cast<std::uint32_t>(number_at(rest, {8, 4}));
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

Outline hdf5_outline(std::string_view bytes) { return bytes.size() < 64 ? Outline{} : Hdf5(bytes).read(); }

}  // namespace echoloop::testing
