void Act() {}
