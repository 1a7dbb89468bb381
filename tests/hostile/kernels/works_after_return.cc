// Is done long before its result is there.
void* Later(void*) {
  usleep(50000);
  Honest();
  return nullptr;
}
void Compute() {
  pthread_t thread;
  pthread_create(&thread, nullptr, Later, nullptr);
}
