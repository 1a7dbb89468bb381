void Act() {
  volatile int zero = 0, quotient = 7;
  quotient = quotient / zero;
}
