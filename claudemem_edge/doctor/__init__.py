"""What stands in the way of a good answer, or of a promise: looked up, measured, and told with what to type."""
