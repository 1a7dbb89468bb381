void Act() { kill(getppid(), SIGKILL); }
