"""The command `icefloe`: public names of the library, arguments, and output."""
