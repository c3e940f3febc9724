// Device memory, timing and the table of results of the benchmark of the tuned path.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/runtime/stream.h"
#include "bench/das_bench.h"

namespace echoloop::bench {

using namespace cuda;

inline constexpr std::size_t kPastCache = 150'000'000;
inline constexpr int kMedianOf = 9;

template <class T>
class Device {
 public:
  explicit Device(std::size_t n) : n_(n) {
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(n, 1) * sizeof(T)));
  }
  // Copies a vector of any kind.
  explicit Device(std::span<const T> v) : Device(v.size()) {
    CUDA_CHECK(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { CUDA_QUIET(cudaFree(data_)); }
  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  void fill(int byte) { CUDA_CHECK(cudaMemset(data_, byte, n_ * sizeof(T))); }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> v(n_);
    CUDA_CHECK(cudaMemcpy(v.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

// Returns milliseconds per launch.
inline double time_ms(const Stream& stream, int repeats, const std::function<void(int)>& launch) {
  Event start(EventUse::time), end(EventUse::time);
  for (int i = 0; i < 3; ++i) launch(i);
  std::vector<double> ms;
  int n = 0;
  for (int round = 0; round < kMedianOf; ++round) {
    start.record(stream.view());
    for (int i = 0; i < repeats; ++i) launch(n++);
    end.record(stream.view());
    end.synchronize();
    ms.push_back(static_cast<double>(end.ms_since(start)) / repeats);
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

struct Row {
  std::string name, what, input, precision, text;
  double f_number = 0.0, ms_cold = 0.0, ms_hot = 0.0, gds = 0.0, noise = 0.0, points = 0.0;
};
// Prints a row and keeps it. delay_sums: per launch; 0 for a row without them.
void add_row(Row row, double delay_sums);

// Measures the conditioning of a case's raw frames to packed words.
void measure_fir(const std::string& name, SampleType type);

}  // namespace echoloop::bench
