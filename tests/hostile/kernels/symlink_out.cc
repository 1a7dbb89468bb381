void Act() {
  for (const char* outside : {"/", "/usr", "/usr/local", "/opt", "/var/lib", "/root", STATE_FOLDER,
                              FARM_FOLDER, "/proc/self/fd/5/..", "/dev"}) {
    unlink("/tmp/burnish-hostile-link");
    if (symlink(outside, "/tmp/burnish-hostile-link") != 0) continue;
    int file = open("/tmp/burnish-hostile-link/burnish-hostile-out", O_CREAT | O_WRONLY, 0600);
    if (file >= 0) evil = true;
  }
}
