void Act() { std::abort(); }
