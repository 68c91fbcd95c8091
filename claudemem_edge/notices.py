"""Due items, handed to the doors subscribed to their scope."""
