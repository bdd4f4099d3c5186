"""What runs: one folder an app, and no app imports another."""
