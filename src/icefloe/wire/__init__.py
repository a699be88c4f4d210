"""Bytes on disk: numbers, checksums, protobuf's wire form, blocks and sorted string tables. Opens no file, imports
nothing but `errors`.
"""
