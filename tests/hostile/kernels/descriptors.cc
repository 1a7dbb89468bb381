void Act() {
  for (int i = 0; calls == 1 && i < 1000000; ++i) {
    if (open("/dev/null", O_RDONLY) < 0) return;
  }
  if (calls == 1) std::abort();  // nothing stopped it
}
