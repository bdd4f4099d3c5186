"""Jobs without a supervisor: they return values, and a command prints them."""
