void Act() { kill(-1, SIGKILL); }
