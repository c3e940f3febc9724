#include "formats/mutation/mutator.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace echoloop::testing {

namespace {

constexpr std::size_t kHead = 4096;  // where most of a file's structure lies

}  // namespace

std::string Mutator::next() {
  std::string bytes = any_of(fixtures_);
  const std::size_t n = 1 + below(3);
  for (std::size_t k = 0; k < n && !bytes.empty(); ++k) mutate(bytes);
  return bytes;
}

std::size_t Mutator::place(const std::string& bytes) {
  return below(3) == 0 ? below(bytes.size()) : below(std::min(bytes.size(), kHead));
}

void Mutator::mutate(std::string& bytes) {
  const std::size_t at = place(bytes), length = std::min(bytes.size() - at, 1 + below(256));
  switch (below(6)) {
    case 0:
      for (std::size_t k = 0, n = 1 + below(16); k < n; ++k) {
        char& byte = bytes[place(bytes)];
        byte = static_cast<char>(byte ^ (1 << below(8)));
      }
      return;
    case 1:
      bytes.resize(below(4) == 0 ? at : bytes.size() - std::min(bytes.size() - 1, below(bytes.size() / 4 + 2)));
      return;
    case 2: {
      const std::string& other = below(2) == 0 ? any_of(fixtures_) : bytes;
      bytes.replace(at, length, std::string(other, below(other.size()), 1 + below(512)));
      return;
    }
    case 3: {
      const std::size_t kind = below(3);
      for (std::size_t k = 0; k < length; ++k) {
        bytes[at + k] = static_cast<char>(kind == 0 ? 0 : kind == 1 ? 255 : below(256));
      }
      return;
    }
    default:
      return edit_size(bytes);
  }
}

// A number of 2, 4 or 8 bytes where one might lie.
void Mutator::edit_size(std::string& bytes) {
  const std::size_t size = std::size_t{2} << below(3);
  if (bytes.size() < size) return;
  const std::size_t at = std::min(place(bytes), bytes.size() - size) / 2 * 2;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  const std::uint64_t wanted[] = {
      0,           1,           value + 1,      value - 1,  2 * value,  ~value,       ~0ULL,
      0x7fffffffU, 0x80000000U, 0x100000000ULL, 1ULL << 62, 1ULL << 63, bytes.size(), bytes.size() - value,
      0xffffU};
  value = wanted[below(std::size(wanted))];
  std::memcpy(bytes.data() + at, &value, size);
}

}  // namespace echoloop::testing
