// Matrix instructions on halves with sums of floats (PTX ISA: ldmatrix, mma.m16n8k16; before compute capability 8.0
// two of mma.m16n8k8).
#pragma once

#include <cuda_runtime_api.h>

namespace echoloop::cuda {

// Two neighbouring chunks of 16 rows: lane i gives the address of row i % 16 of chunk i / 16. low, high: rows 0-7 and
// 8-15 of a chunk.
struct RowChunk {
  unsigned low;
  unsigned high;
};

__device__ __forceinline__ void load_rows(const void* row, RowChunk& first, RowChunk& second) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(first.low), "=r"(first.high), "=r"(second.low), "=r"(second.high)
               : "r"(address)
               : "memory");
}

// sums [16 rows][8]: 0, 1: row lane / 4, columns 2 (lane % 4) + 0, 1; 2, 3: row lane / 4 + 8.
__device__ __forceinline__ void multiply_add(float (&sums)[4], RowChunk first, RowChunk second, unsigned b0,
                                             unsigned b1) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b0), "r"(b1));
#else
  const auto eighth = [&sums](RowChunk rows, unsigned b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(rows.low), "r"(rows.high), "r"(b));
  };
  eighth(first, b0);
  eighth(second, b1);
#endif
}

}  // namespace echoloop::cuda
