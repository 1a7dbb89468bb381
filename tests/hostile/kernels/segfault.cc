void Act() { *(volatile int*)nullptr = 1; }
