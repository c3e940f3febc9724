// Choices of a campaign, reproducible by the seed.
#pragma once

#include <cstddef>
#include <random>

namespace echoloop::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  const auto& any_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937 random_;
};

}  // namespace echoloop::testing
