void Act() {
  if (unshare(CLONE_NEWUSER) == 0) evil = true;
}
