"""The names of the namespaces about kinds of values: linear algebra, ragged tensors, strings; see `_names`."""

NAMES: dict[str, dict[str, str]] = {
    "linalg": {
        "lib.linalg": """
            adjoint cholesky_solve eye logdet eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals lstsq=matrix_solve_ls
            norm svd tridiagonal_matmul triangular_solve=matrix_triangular_solve
        """,
        "lib.linalg_factors": """
            lu_matrix_inverse lu_reconstruct lu_solve matrix_rank pinv tridiagonal_solve
        """,
        "lib.array_diagonal": "diag=matrix_diag diag_part=matrix_diag_part set_diag=matrix_set_diag tensor_diag_part",
        "lib.math_matrix": "matvec",
        "lib.nn_normalization": "l2_normalize normalize",
        "top": "einsum global_norm matmul matrix_transpose tensordot trace transpose=matrix_transpose",
        "op": """
            band_part=MatrixBandPart cholesky=Cholesky cross=Cross det=MatrixDeterminant inv=MatrixInverse
            logm=MatrixLogarithm lu=Lu qr=Qr slogdet=LogMatrixDeterminant solve=MatrixSolve sqrtm=MatrixSquareRoot
            tensor_diag=Diag
        """,
    },
    "ragged": {
        "lib.ragged_value": "RaggedTensorValue",
        "lib.ragged_factory": "constant constant_value placeholder",
        "lib.ragged_range": "range",
        "lib.ragged_partition": "row_splits_to_segment_ids segment_ids_to_row_splits",
        "lib.ragged_concat": "stack",
        "lib.ragged_mask": "boolean_mask stack_dynamic_partitions",
        "lib.ragged_functional": "map_flat_values",
        "lib.ragged_cross": "cross cross_hashed",
    },
    "strings": {
        "lib.unicode": """
            bytes_split ngrams unicode_decode unicode_decode_with_offsets unicode_encode unicode_split
            unicode_split_with_offsets
        """,
        "lib.strings": """
            format=string_format join=string_join length=string_length reduce_join regex_full_match regex_replace
            split=strings_split substr to_hash_bucket=string_to_hash_bucket to_number=string_to_number
            unsorted_segment_join
        """,
        "op": """
            as_string=AsString lower=StringLower strip=StringStrip to_hash_bucket_fast=StringToHashBucketFast
            to_hash_bucket_strong=StringToHashBucketStrong unicode_script=UnicodeScript
            unicode_transcode=UnicodeTranscode upper=StringUpper
        """,
    },
}
