void Compute() {}
