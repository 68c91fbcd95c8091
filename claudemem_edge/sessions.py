"""Which memory belongs to which scope, and who may answer when."""
