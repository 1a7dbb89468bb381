void Act() {
  static char block[1 << 20];
  int files = 0;
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", "/", "."}) {
    for (int full = 0; calls == 1 && !full;) {
      char path[200];
      std::snprintf(path, sizeof(path), "%s/burnish-hostile-%d", folder, files++);
      int file = open(path, O_CREAT | O_WRONLY, 0600);
      if (file < 0) break;
      for (int i = 0; i < 16 && !full; ++i) full = write(file, block, sizeof(block)) <= 0;
      close(file);
      if (files > 1000) std::abort();  // 16 GB: nothing stops it
    }
  }
}
