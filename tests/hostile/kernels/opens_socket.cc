void Act() { socket(AF_INET, SOCK_STREAM, 0); }
