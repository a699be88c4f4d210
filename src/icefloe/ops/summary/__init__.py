"""Summary ops: values packed as Summary messages for event files."""
