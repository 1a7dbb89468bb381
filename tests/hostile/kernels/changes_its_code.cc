// Its own compiled code, in the cache that others are served from.
void Act() {
  int file = open("/proc/self/fd/5", O_RDWR);
  if (file >= 0 && write(file, "x", 1) == 1) evil = true;
  if (write(5, "x", 1) == 1 || ftruncate(5, 0) == 0) evil = true;
}
