void Act() {
  static char line[1 << 20];
  for (int i = 0; calls == 1 && i < 1024; ++i) (void)!write(1 + i % 2, line, sizeof(line));
}
