"""Text and now in, Reading out. Entry: `read.read`. Plain functions, no state, no I/O."""
