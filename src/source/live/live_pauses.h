// Pauses after wrong tokens: while the one of an address lasts, no token that comes from it is compared. The pause
// doubles with each wrong token, so that a token cannot be found by trying. Pure: each call gets the time. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace echoloop {

class LivePauses {
 public:
  static constexpr std::int64_t kFirst_ns = 100'000'000, kLongest_ns = 10'000'000'000;
  static constexpr std::int64_t kForgotten_ns = 60'000'000'000;  // after the end of a pause
  static constexpr std::size_t kMost = 64;  // addresses; beyond, the one whose pause ends first is forgotten

  [[nodiscard]] std::int64_t left_ns(const std::string& place, std::int64_t now_ns) const;  // 0: none
  void add_wrong(const std::string& place, std::int64_t now_ns);
  void add_right(const std::string& place);

 private:
  struct Pause {
    std::string place;
    std::int64_t long_ns = 0;
    std::int64_t end_ns = 0;
  };
  std::vector<Pause> pauses_;
};

}  // namespace echoloop
