void Act() { output[size] = 1; }
