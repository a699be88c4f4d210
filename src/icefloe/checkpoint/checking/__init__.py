"""Checking checkpoints: verify, rescue, statistics, differences. Bytes only, streamed in windows."""
