void Act() {
  for (volatile int i = 0;; i = 0) {
  }
}
