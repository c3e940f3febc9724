// Uninitialised memory of n plain values: a page is allocated when the computing thread first writes a value, not on
// the thread that allocates the array. Large arrays use huge pages, which are allocated and released 5 to 10 times
// faster.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace echoloop {

template <class T>
class PlainArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  PlainArray() = default;
  explicit PlainArray(std::size_t n) { resize(n); }

  // Leaves values undefined if the array had to grow. Throws std::bad_alloc.
  void resize(std::size_t n) {
    if (n > capacity_) {
      memory_.reset();
      memory_.reset(static_cast<T*>(take(n * sizeof(T))));
      capacity_ = n;
    }
    size_ = n;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return memory_.get(); }
  [[nodiscard]] const T* data() const { return memory_.get(); }
  [[nodiscard]] T& operator[](std::size_t i) { return memory_.get()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return memory_.get()[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };

  static void* take(std::size_t bytes) {
    constexpr std::size_t kHugePage = std::size_t{1} << 21, kLine = 64;
    const bool large = bytes >= 2 * kHugePage;
    const std::size_t align = large ? kHugePage : kLine;
    void* const memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint only
    return memory;
  }

  std::unique_ptr<T, Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace echoloop
