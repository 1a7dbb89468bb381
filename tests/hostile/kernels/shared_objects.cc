// What would outlive the process.
void Act() { shmget(0x6275726e, 4096, IPC_CREAT | 0600); }
