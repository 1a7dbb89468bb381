void Act() { sleep(1000); }
