// Entry for libFuzzer; ECHO_FUZZ_TARGET is the function. assets/manual/development.md describes the build.
#include <cstdint>

#include "fuzz/targets.h"

// NOLINTNEXTLINE: libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  echoloop::fuzz::ECHO_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
