# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.feature_column_making import bucketized_column as bucketized_column
from icefloe.lib.feature_column_making import categorical_column_with_hash_bucket as categorical_column_with_hash_bucket
from icefloe.lib.feature_column_making import categorical_column_with_identity as categorical_column_with_identity
from icefloe.lib.feature_column_making import categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file
from icefloe.lib.feature_column_making import categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list
from icefloe.lib.feature_column_making import crossed_column as crossed_column
from icefloe.lib.feature_column_making import embedding_column as embedding_column
from icefloe.lib.feature_column_making import indicator_column as indicator_column
from icefloe.lib.feature_column_layers import input_layer as input_layer
from icefloe.lib.feature_column_layers import linear_model as linear_model
from icefloe.lib.feature_column_layers import make_parse_example_spec as make_parse_example_spec
from icefloe.lib.feature_column_making import numeric_column as numeric_column
from icefloe.lib.feature_column_making import sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket
from icefloe.lib.feature_column_making import sequence_categorical_column_with_identity as sequence_categorical_column_with_identity
from icefloe.lib.feature_column_making import sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file
from icefloe.lib.feature_column_making import sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list
from icefloe.lib.feature_column_making import sequence_numeric_column as sequence_numeric_column
from icefloe.lib.feature_column_making import shared_embedding_columns as shared_embedding_columns
from icefloe.lib.feature_column_making import weighted_categorical_column as weighted_categorical_column


__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "input_layer",
    "linear_model",
    "make_parse_example_spec",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
    "shared_embedding_columns",
    "weighted_categorical_column",
]
