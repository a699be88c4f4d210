"""Files of arrays as checkpoints: .npz, HDF5 and Keras, safetensors; read as the same Mapping, and written by
`convert`.

Nothing here loads a pickle, follows a link out of a file or runs what a file holds.
"""
