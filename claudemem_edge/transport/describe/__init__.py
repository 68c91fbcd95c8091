"""Makes the schemas of our doors from the wire shapes. Nothing at run time imports it: `transport/schema` is read."""
