"""SavedModels: the names in them, and signatures."""
