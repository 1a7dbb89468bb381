// 100 GB, and every page of them.
void Act() {
  for (int gigabyte = 0; gigabyte < 100; ++gigabyte) {
    char* data = (char*)mmap(nullptr, 1 << 30, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
    if (data == MAP_FAILED) std::abort();
    for (long i = 0; i < 1 << 30; i += 4096) data[i] = 1;
  }
}
