"""Editing checkpoints as a stream: what is untouched is copied, the rest is computed in windows.

stored    the pieces of a tensor in a source, and how to read one in windows
stream    the planned output, written under one commit
reports   what all edits say of what they did
"""
