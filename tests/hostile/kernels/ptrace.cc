void Act() {
  if (ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0) evil = true;
}
