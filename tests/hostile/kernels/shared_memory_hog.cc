// Memory that is nobody's own.
void Act() {
  for (;;) {
    int file = memfd_create("hog", 0);
    static char block[1 << 20];
    for (int i = 0; i < 60; ++i) {
      if (write(file, block, sizeof(block)) <= 0) std::abort();
    }
  }
}
