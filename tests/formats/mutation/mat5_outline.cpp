// MATLAB 5: tags of elements, nested in matrices; compressed elements are inflated first.
#include <zlib.h>

#include <algorithm>

#include "formats/mutation/outline.h"

namespace echoloop::testing {
namespace {

constexpr std::size_t kHead = 128, kTag = 8;
constexpr std::uint64_t kMatrix = 14, kCompressed = 15;
constexpr std::size_t kMostInflated = std::size_t{4} << 20;

// Adds elements from `at` to `end`, including those of a matrix.
void elements(std::string_view bytes, std::size_t at, std::size_t end, Outline& outline) {
  while (at + kTag <= end) {
    const std::uint64_t type = number_at(bytes, {at, 4}), size = number_at(bytes, {at + 4, 4});
    const bool small = number_at(bytes, {at + 2, 2}) != 0;
    outline.places.push_back(at);
    for (const std::size_t part : {0U, 2U}) outline.numbers.push_back({at + part, 2});
    for (const std::size_t part : {0U, 4U}) outline.numbers.push_back({at + part, 4});
    const std::size_t begin = at + kTag, wanted = small ? 0 : static_cast<std::size_t>((size + 7) / 8 * 8);
    const std::size_t stop = begin + std::min(wanted, end - begin);
    if (!small && type == kMatrix) {
      elements(bytes, begin, stop, outline);
    } else {
      for (std::size_t k = begin; k + 4 <= std::min(stop, begin + 48); k += 4) outline.numbers.push_back({k, 4});
      for (std::size_t k = begin; k < std::min(stop, begin + 4); ++k) outline.numbers.push_back({k, 1});
    }
    outline.parts.push_back({at, stop});
    at = stop;
  }
}

template <class Change>
std::string each_element(const std::string& bytes, const Change& change) {
  if (bytes.size() < kHead) return bytes;
  std::string out = bytes.substr(0, kHead);
  std::size_t at = kHead;
  while (at + kTag <= bytes.size()) {
    const std::uint64_t type = number_at(bytes, {at, 4});
    const std::size_t size = static_cast<std::size_t>(number_at(bytes, {at + 4, 4}));
    const std::size_t length =
        kTag + std::min(type == kCompressed ? size : (size + 7) / 8 * 8, bytes.size() - at - kTag);
    out += change(type, bytes.substr(at, length));
    at += length;
  }
  return out + bytes.substr(at);
}

}  // namespace

Outline mat5_outline(std::string_view bytes) {
  Outline outline;
  if (bytes.size() < kHead) return outline;
  outline.numbers = {{116, 8}, {124, 2}, {126, 2}};
  elements(bytes, kHead, bytes.size(), outline);
  return outline;
}

std::string inflated_mat5(const std::string& bytes) {
  return each_element(bytes, [](std::uint64_t type, const std::string& element) {
    if (type != kCompressed) return element;
    std::string plain(kMostInflated, '\0');
    uLongf length = plain.size();
    const bool done = ::uncompress(reinterpret_cast<Bytef*>(plain.data()), &length,
                                   reinterpret_cast<const Bytef*>(element.data()) + kTag,
                                   static_cast<uLong>(element.size() - kTag)) == Z_OK;
    return done ? plain.substr(0, length) : element;
  });
}

std::string deflated_mat5(const std::string& bytes) {
  return each_element(bytes, [](std::uint64_t /*type*/, const std::string& element) {
    uLongf length = ::compressBound(static_cast<uLong>(element.size()));
    std::string packed(kTag + length, '\0');
    ::compress(reinterpret_cast<Bytef*>(packed.data()) + kTag, &length, reinterpret_cast<const Bytef*>(element.data()),
               static_cast<uLong>(element.size()));
    packed.resize(kTag + length);
    put_number(packed, {0, 4}, kCompressed);
    put_number(packed, {4, 4}, length);
    return packed;
  });
}

}  // namespace echoloop::testing
