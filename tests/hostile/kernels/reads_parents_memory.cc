void Act() {
  char here[8];
  iovec local = {here, sizeof(here)}, remote = {(void*)&Act, sizeof(here)};
  if (process_vm_readv(getppid(), &local, 1, &remote, 1, 0) > 0) evil = true;
}
