"""How files come and go by mail."""
