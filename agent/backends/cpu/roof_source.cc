#include "agent/backends/cpu/roof_source.h"

namespace burnish::backends::cpu {

// - Twelve chains hide the latency of a multiply-add on two units and leave registers to spare
//   where there are only sixteen. They are named variables: an array would live in memory.
// - Factors come through a volatile, or the compiler would compute the result itself; x * 0.999 + y
//   neither overflows nor becomes denormal.
// - A pass over the data ends with a statement that may have changed it, or passes would be merged.
// - Headers of intrinsics cost g++ most of a second; clang's built-ins have other names.
const char kRoofSource[] = R"cpp(
#if defined(__clang__) && \
      (defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(__AVX512BF16__))
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

#define CHAINS(STEP) \
    STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)
#define CHAIN_COUNT 12
#define KEEP(I) asm volatile("" : : "m"(c##I));

  template <typename T>
  __attribute__((noinline)) double MultiplyAdd(long repeats) {
    typedef T Vector __attribute__((vector_size(WIDTH)));
    volatile T factor = T(0.999), summand = T(0.001);
    const Vector m = Vector{} + T(factor), a = Vector{} + T(summand);
#define START(I) Vector c##I = a + T(I);
    CHAINS(START)
#undef START
    for (long i = 0; i < repeats; ++i) {
#define STEP(I) c##I = c##I * m + a;
      CHAINS(STEP) CHAINS(STEP)
#undef STEP
    }
    CHAINS(KEEP)
    return 2.0 * 2 * CHAIN_COUNT * (WIDTH / sizeof(T)) * repeats;
  }

#if defined(__AVX512VNNI__)
#define DOT_BYTES 64
#if defined(__clang__)
#define DOT_I8(C, X, Y) (Accumulator) _mm512_dpbusd_epi32((__m512i)(C), (__m512i)(X), (__m512i)(Y))
#else
#define DOT_I8(C, X, Y) (Accumulator) __builtin_ia32_vpdpbusd_v16si((C), (X), (Y))
#endif
#elif defined(__AVXVNNI__)
#define DOT_BYTES 32
#if defined(__clang__)
#define DOT_I8(C, X, Y) \
    (Accumulator) _mm256_dpbusd_avx_epi32((__m256i)(C), (__m256i)(X), (__m256i)(Y))
#else
#define DOT_I8(C, X, Y) (Accumulator) __builtin_ia32_vpdpbusd_v8si((C), (X), (Y))
#endif
#endif

  __attribute__((noinline)) double DotI8(long repeats) {
#if defined(DOT_I8)
    typedef int Accumulator __attribute__((vector_size(DOT_BYTES)));
    volatile int factor = 0x01020304;
    const Accumulator x = Accumulator{} + int(factor), y = Accumulator{} + int(factor);
#define START(I) Accumulator c##I = x + I;
    CHAINS(START)
#undef START
    for (long i = 0; i < repeats; ++i) {
#define STEP(I) c##I = DOT_I8(c##I, x, y);
      CHAINS(STEP) CHAINS(STEP)
#undef STEP
    }
    CHAINS(KEEP)
    return 2.0 * 2 * CHAIN_COUNT * DOT_BYTES * repeats;
#else
    return 0;
#endif
  }

  __attribute__((noinline)) double DotBf16(long repeats) {
#if defined(__AVX512BF16__)
    typedef float Accumulator __attribute__((vector_size(64)));
#if defined(__clang__)
    typedef __m512bh Factors;
#define DOT_BF16(C, X, Y) (Accumulator) _mm512_dpbf16_ps((__m512)(C), (X), (Y))
#else
    typedef short Factors __attribute__((vector_size(64)));
#define DOT_BF16(C, X, Y) __builtin_ia32_dpbf16ps_v16sf((C), (X), (Y))
#endif
    typedef int Bits __attribute__((vector_size(64)));
    volatile int factor = 0x38003800;  // two small numbers
    const Factors x = (Factors)(Bits{} + int(factor)), y = x;
#define START(I) Accumulator c##I = Accumulator{} + I;
    CHAINS(START)
#undef START
    for (long i = 0; i < repeats; ++i) {
#define STEP(I) c##I = DOT_BF16(c##I, x, y);
      CHAINS(STEP) CHAINS(STEP)
#undef STEP
    }
    CHAINS(KEEP)
    return 2.0 * 2 * CHAIN_COUNT * 32 * repeats;
#else
    return 0;
#endif
  }

  __attribute__((noinline)) double Read(const unsigned char* data, long bytes, long repeats) {
    typedef long Vector __attribute__((vector_size(WIDTH)));
    const Vector* const vectors = (const Vector*)data;
    const long steps = bytes / (CHAIN_COUNT * WIDTH);
#define START(I) Vector c##I = Vector{};
    CHAINS(START)
#undef START
    for (long pass = 0; pass < repeats; ++pass) {
      const Vector* v = vectors;
      for (long i = 0; i < steps; ++i, v += CHAIN_COUNT) {
#define STEP(I) c##I += v[I];
        CHAINS(STEP)
#undef STEP
      }
      asm volatile("" : : "r"(data) : "memory");
    }
    CHAINS(KEEP)
    return double(steps) * (CHAIN_COUNT * WIDTH) * repeats;
  }

  static void burnish_roof(const unsigned char* data, long offset, long bytes, int kind,
                           long repeats, double* done) {
    switch (kind) {
      case 0:
        *done = Read(data + offset, bytes, repeats);
        break;
      case 1:
        *done = MultiplyAdd<float>(repeats);
        break;
      case 2:
        *done = MultiplyAdd<double>(repeats);
        break;
      case 3:
        *done = DotI8(repeats);
        break;
      case 4:
        *done = DotBf16(repeats);
        break;
      default:
        *done = 0;
    }
  }
)cpp";

}  // namespace burnish::backends::cpu
