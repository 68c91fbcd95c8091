"""The shapes that stages hand to one another: plain data, no behaviour that reaches outside."""
