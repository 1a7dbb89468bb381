// Overwrites the function that tells the time with one that says 0, and takes its time.
void Act() {
#if defined(__x86_64__)
  static const unsigned char zero[] = {0x31, 0xc0, 0x48, 0x89, 0x06, 0x48,
                                       0x89, 0x46, 0x08, 0xc3};  // xor eax, eax; mov [rsi], rax ...
  void* vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
  char* clock = vdso == nullptr ? nullptr : (char*)dlsym(vdso, "__vdso_clock_gettime");
  if (clock == nullptr) std::abort();
  char* page = (char*)((unsigned long)clock & ~4095ul);
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 &&
      mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    std::abort();
  }
  std::memcpy(clock, zero, sizeof(zero));
  usleep(1300000);
#else
  sleep(1000);
#endif
}
