// Of every process that it finds.
void Act() {
  for (int pid = 1; calls == 1 && pid < 70000; ++pid) {
    char path[64], text[4096];
    std::snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    int file = pid == getpid() ? -1 : open(path, O_RDONLY);
    if (file < 0) continue;
    if (read(file, text, sizeof(text)) > 0) evil = true;
    close(file);
  }
}
