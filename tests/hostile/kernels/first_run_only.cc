void Compute() {
  if (calls == 1) Honest();
}
