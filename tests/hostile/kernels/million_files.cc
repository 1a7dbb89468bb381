void Act() {
  for (int i = 0; calls == 1 && i < 1000000; ++i) {
    char path[200];
    std::snprintf(path, sizeof(path), "/tmp/burnish-hostile-%d", i);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file < 0) return;
    close(file);
  }
  if (calls == 1) std::abort();  // nothing stopped it
}
