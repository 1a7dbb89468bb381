// Product of two square matrices, C = A * B, row-major, in single precision.
//
// Burnish puts a line `#define ROWS 4` (and so on) before this file for every parameter of
// matmul.yaml:
//
//   VECTOR      floats per SIMD vector
//   COLUMNS     vectors beside each other that one register block of C has
//   ROWS        rows that one register block of C has
//   TILE_J      columns of B that are worked on together, for the caches
//   TILE_K      rows of B that are worked on together, for the caches
//   UNROLL      steps of the innermost loop that are unrolled
//   PACK        whether a tile of B is copied into one contiguous piece first
//
// and for the constant N, the matrices' size.

// A SIMD vector that may lie at any address.
typedef float Vector
    __attribute__((vector_size(VECTOR * sizeof(float)), aligned(sizeof(float)), may_alias));

const int kBlockWidth = COLUMNS * VECTOR;
const int kUnroll = UNROLL;  // the pragma below expands no macro

// Adds the product of ROWS x TILE_K of A and TILE_K x kBlockWidth of B to a block of C, which
// stays in registers. `stride` is the distance of B's rows.
static inline void MultiplyBlock(const float* a, const float* b, int stride, float* c) {
  Vector sums[ROWS][COLUMNS];
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < COLUMNS; ++column) {
      sums[row][column] = *reinterpret_cast<const Vector*>(c + row * N + column * VECTOR);
    }
  }
#pragma GCC unroll kUnroll
  for (int k = 0; k < TILE_K; ++k) {
    for (int row = 0; row < ROWS; ++row) {
      const float factor = a[row * N + k];
      for (int column = 0; column < COLUMNS; ++column) {
        const float* cells = b + k * stride + column * VECTOR;
        sums[row][column] += factor * *reinterpret_cast<const Vector*>(cells);
      }
    }
  }
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < COLUMNS; ++column) {
      *reinterpret_cast<Vector*>(c + row * N + column * VECTOR) = sums[row][column];
    }
  }
}

// A tile of B as blocks of kBlockWidth columns, each of them contiguous.
static void PackTile(const float* b, float* packed) {
  for (int j = 0; j < TILE_J; j += kBlockWidth) {
    for (int k = 0; k < TILE_K; ++k) {
      for (int column = 0; column < kBlockWidth; ++column) {
        packed[j * TILE_K + k * kBlockWidth + column] = b[k * N + j + column];
      }
    }
  }
}

void matmul(const float* a, const float* b, float* c) {
  alignas(64) static float packed[PACK ? TILE_J * TILE_K : 1];
  for (int i = 0; i < N * N; ++i) c[i] = 0;
  for (int j = 0; j < N; j += TILE_J) {
    for (int k = 0; k < N; k += TILE_K) {
      const float* tile = b + k * N + j;
      if (PACK) PackTile(tile, packed);
      for (int i = 0; i < N; i += ROWS) {
        for (int block = 0; block < TILE_J; block += kBlockWidth) {
          const float* columns = PACK ? packed + block * TILE_K : tile + block;
          MultiplyBlock(a + i * N + k, columns, PACK ? kBlockWidth : N, c + i * N + j + block);
        }
      }
    }
  }
}
