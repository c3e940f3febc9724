// The device as plans of the kernels in half precision see it.
#pragma once

namespace echoloop {

// The defaults are an H200's.
struct Multiprocessors {
  int count = 132;                // 0: the device has no such kernels
  int shared_bytes = 228 * 1024;  // of one, for all its blocks
  int reserved_bytes = 1024;      // of it, for each block
  int code = 90;                  // ten times the compute capability that the kernels were compiled for: 75, 80, 90
  // What each of `blocks` on a multiprocessor can have.
  [[nodiscard]] int shared_of_block(int blocks) const { return shared_bytes / blocks - reserved_bytes; }
};
inline constexpr Multiprocessors kSinglePrecisionOnly{.count = 0, .shared_bytes = 0, .reserved_bytes = 0};

}  // namespace echoloop
