// What matmul.cc has to compute, as plainly as possible and with sums in double precision.
// Compiled without the parameters.

void matmul_reference(const float* a, const float* b, float* c) {
  const int n = 384;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += static_cast<double>(a[i * n + k]) * b[k * n + j];
      c[i * n + j] = static_cast<float>(sum);
    }
  }
}
