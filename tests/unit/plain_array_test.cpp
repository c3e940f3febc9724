#include "backend/plain_array.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <numeric>

namespace echoloop::plain_array_test {
namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(PlainArray, TakesPagesWhereValuesAreWritten) {
  constexpr std::size_t kValues = std::size_t{64} << 20, kSmall = std::size_t{16} << 20;
  const std::size_t before = resident_bytes();
  PlainArray<float> values(kValues);
  EXPECT_LT(resident_bytes(), before + kSmall);
  for (std::size_t i = 0; i < kValues; i += 1024) values[i] = 1.0f;
  EXPECT_GT(resident_bytes(), before + kValues * sizeof(float) - kSmall);
  values = {};
  EXPECT_LT(resident_bytes(), before + kSmall);
}

TEST(PlainArray, KeepsItsMemoryWhereItShrinks) {
  PlainArray<std::uint16_t> values(1000);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  const std::uint16_t* const at = values.data();
  values.resize(10);
  EXPECT_EQ(values.size(), 10U);
  values.resize(1000);
  EXPECT_EQ(values.data(), at);
  EXPECT_EQ(values[999], 999);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
  EXPECT_EQ(PlainArray<float>().begin(), PlainArray<float>().end());
}

}  // namespace
}  // namespace echoloop::plain_array_test
