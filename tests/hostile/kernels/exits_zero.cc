void Act() { _exit(0); }
