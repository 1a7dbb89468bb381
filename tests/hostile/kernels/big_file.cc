void Act() {
  static char block[1 << 20];
  int file = open("/tmp/burnish-hostile-big", O_CREAT | O_WRONLY, 0600);
  for (int i = 0; calls == 1 && i < 1 << 20; ++i) {
    if (write(file, block, sizeof(block)) <= 0) break;
  }
  close(file);
}
