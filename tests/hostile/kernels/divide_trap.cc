void Act() {
  volatile int zero = 0;
  volatile int quotient = 1 / zero;
  (void)quotient;
}
