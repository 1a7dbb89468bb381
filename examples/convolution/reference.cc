// What convolution.cc has to compute, as plainly as possible and with sums in double precision.
// Compiled without the parameters: only the constant's value, 9, stands in for FILTER.

void convolution_reference(const float* image, const float* filter, float* output, int width,
                           int height) {
  const int filter_size = 9;
  const int image_width = width + filter_size - 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int dy = 0; dy < filter_size; ++dy) {
        for (int dx = 0; dx < filter_size; ++dx) {
          const double pixel = image[(y + dy) * image_width + (x + dx)];
          sum += pixel * filter[dy * filter_size + dx];
        }
      }
      output[y * width + x] = static_cast<float>(sum);
    }
  }
}
