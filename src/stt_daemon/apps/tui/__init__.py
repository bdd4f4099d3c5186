"""The interface in the terminal: a child that shows what happens and sends what the user wishes."""
