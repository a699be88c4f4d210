"""The names of namespaces about kinds of values: distributions, linear algebra, ragged, strings; see `_names`."""

NAMES: dict[str, dict[str, str]] = {
    "distributions": {
        "lib.distributions": """
            Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED RegisterKL ReparameterizationType kl_divergence
        """,
        "lib.distributions_continuous": "Laplace Normal StudentT Uniform",
        "lib.distributions_gamma": "Beta Exponential Gamma",
        "lib.distributions_discrete": "Bernoulli Categorical Dirichlet DirichletMultinomial Multinomial",
    },
    "feature_column": {
        "lib.feature_column_making": """
            bucketized_column categorical_column_with_hash_bucket categorical_column_with_identity
            categorical_column_with_vocabulary_file categorical_column_with_vocabulary_list crossed_column
            embedding_column indicator_column numeric_column sequence_categorical_column_with_hash_bucket
            sequence_categorical_column_with_identity sequence_categorical_column_with_vocabulary_file
            sequence_categorical_column_with_vocabulary_list sequence_numeric_column shared_embedding_columns
            weighted_categorical_column
        """,
        "lib.feature_column_layers": "input_layer linear_model make_parse_example_spec",
    },
    "linalg": {
        "lib.linalg": """
            adjoint cholesky_solve eye logdet eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals lstsq=matrix_solve_ls
            norm svd tridiagonal_matmul triangular_solve=matrix_triangular_solve
        """,
        "lib.linalg_tridiagonal": "eigh_tridiagonal",
        "lib.linalg_factors": """
            lu_matrix_inverse lu_reconstruct lu_solve matrix_rank pinv tridiagonal_solve
        """,
        "lib.linalg_exponential": "expm=matrix_exponential",
        "lib.linear_operator": "LinearOperator",
        "lib.linear_operator_dense": "LinearOperatorFullMatrix LinearOperatorLowerTriangular",
        "lib.linear_operator_diagonal": "LinearOperatorDiag LinearOperatorIdentity LinearOperatorScaledIdentity",
        "lib.linear_operator_zeros": "LinearOperatorZeros",
        "lib.linear_operator_products": """
            LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker
        """,
        "lib.linear_operator_structured": """
            LinearOperatorHouseholder LinearOperatorLowRankUpdate LinearOperatorPermutation LinearOperatorTridiag
        """,
        "lib.linear_operator_circulant": """
            LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorToeplitz
        """,
        "lib.linear_operator_blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
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
