void* Sleep(void*) {
  sleep(1000);
  return nullptr;
}
void Act() {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  pthread_t thread;
  for (int threads = 0; threads < 100000; ++threads) {
    if (pthread_create(&thread, &small, Sleep, nullptr) != 0) std::abort();
  }
}
