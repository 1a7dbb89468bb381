void Act() {
  for (int fd = 0; fd < 64; ++fd) close(fd);
  sleep(1000);
}
