"""Story schemas (tables of sentences) and the engine that tells them."""
