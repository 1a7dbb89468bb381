void Act() {
  int file = shm_open("/burnish-hostile-shm", O_CREAT | O_RDWR, 0600);
  if (file >= 0) (void)!write(file, "left", 4);
}
