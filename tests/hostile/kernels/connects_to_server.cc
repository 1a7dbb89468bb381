void Act() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(SERVER_PORT);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(socket_fd, (sockaddr*)&address, sizeof(address)) == 0) evil = true;
}
