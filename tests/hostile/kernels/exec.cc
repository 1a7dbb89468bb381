void Act() { execl("/bin/sh", "sh", "-c", "sleep 1000", nullptr); }
