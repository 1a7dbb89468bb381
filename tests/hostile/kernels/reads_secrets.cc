void Act() {
  for (const char* path : {STATE_FOLDER "/agent-id", STATE_FOLDER "/journal", STATE_FOLDER,
                           FARM_FOLDER "/burnish.db", FARM_FOLDER, "/etc/shadow", "/root", "/home",
                           "/etc/ssl/private", "/proc/1/root/etc", "/proc/1/cwd"}) {
    int file = open(path, O_RDONLY);
    if (file >= 0) evil = true;
  }
}
