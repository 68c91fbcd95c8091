"""Language as data: packs are read here, and rules are run here. No rule and no word list lives in code."""
