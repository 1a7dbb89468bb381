void Act() {
  if (mount("none", "/tmp", "tmpfs", 0, nullptr) == 0) evil = true;
}
