int Deeper(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return Deeper(depth + 1) + frame[0];
}
void Act() { Deeper(0); }
