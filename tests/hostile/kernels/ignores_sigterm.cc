void Act() {
  for (int number = 1; number < 64; ++number) signal(number, SIG_IGN);
  for (;;) pause();
}
