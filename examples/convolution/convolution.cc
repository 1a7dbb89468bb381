// 2-D convolution of one image with a 9x9 filter, "valid" padding, in single precision.
//
// Written once, with macros where a choice depends on the machine. Burnish puts a line
// `#define ROWS 4` (and so on) before this file for every parameter of convolution.yaml:
//
//   VECTOR      floats per SIMD vector
//   COLUMNS     vectors beside each other that one block of output has
//   ROWS        rows of output that one block has
//   STRIP       columns that are finished from top to bottom before the next strip starts
//   UNROLL      steps of the innermost loop over the filter that are unrolled
//   TAPS        which loop over the filter is the inner one: along_x or along_y
//
// and for the constant FILTER, the filter's width and height.

// A SIMD vector that may lie at any address.
typedef float Vector
    __attribute__((vector_size(VECTOR * sizeof(float)), aligned(sizeof(float)), may_alias));

enum Order { along_x, along_y };

const int kUnroll = UNROLL;  // the pragma below expands no macro

// Computes ROWS x (COLUMNS * VECTOR) outputs whose sums all stay in registers.
static inline void ConvolveBlock(const float* image, const float* filter, float* output,
                                 int image_width, int output_width) {
  Vector sums[ROWS][COLUMNS] = {};
  for (int outer = 0; outer < FILTER; ++outer) {
#pragma GCC unroll kUnroll
    for (int inner = 0; inner < FILTER; ++inner) {
      const int dy = TAPS == along_x ? outer : inner;
      const int dx = TAPS == along_x ? inner : outer;
      const float tap = filter[dy * FILTER + dx];
      const float* corner = image + dy * image_width + dx;
      for (int row = 0; row < ROWS; ++row) {
        for (int column = 0; column < COLUMNS; ++column) {
          const float* pixels = corner + row * image_width + column * VECTOR;
          sums[row][column] += tap * *reinterpret_cast<const Vector*>(pixels);
        }
      }
    }
  }
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < COLUMNS; ++column) {
      float* pixels = output + row * output_width + column * VECTOR;
      *reinterpret_cast<Vector*>(pixels) = sums[row][column];
    }
  }
}

void convolution(const float* image, const float* filter, float* output, int width, int height) {
  const int image_width = width + FILTER - 1;
  for (int strip = 0; strip < width; strip += STRIP) {
    for (int y = 0; y < height; y += ROWS) {
      for (int x = strip; x < strip + STRIP; x += COLUMNS * VECTOR) {
        ConvolveBlock(image + y * image_width + x, filter, output + y * width + x, image_width,
                      width);
      }
    }
  }
}
