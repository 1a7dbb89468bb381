// Leaves a process behind that has nothing to do with its parents.
void Act() {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep(1000);
    _exit(0);
  }
}
