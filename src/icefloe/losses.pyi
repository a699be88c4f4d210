# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.losses import Reduction as Reduction
from icefloe.lib.losses_pairs import absolute_difference as absolute_difference
from icefloe.lib.losses import add_loss as add_loss
from icefloe.lib.losses import compute_weighted_loss as compute_weighted_loss
from icefloe.lib.losses_pairs import cosine_distance as cosine_distance
from icefloe.lib.losses import get_losses as get_losses
from icefloe.lib.losses import get_regularization_loss as get_regularization_loss
from icefloe.lib.losses import get_regularization_losses as get_regularization_losses
from icefloe.lib.losses import get_total_loss as get_total_loss
from icefloe.lib.losses_pairs import hinge_loss as hinge_loss
from icefloe.lib.losses_pairs import huber_loss as huber_loss
from icefloe.lib.losses_pairs import log_loss as log_loss
from icefloe.lib.losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from icefloe.lib.losses_pairs import mean_squared_error as mean_squared_error
from icefloe.lib.losses_pairs import sigmoid_cross_entropy as sigmoid_cross_entropy
from icefloe.lib.losses_pairs import softmax_cross_entropy as softmax_cross_entropy
from icefloe.lib.losses_pairs import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy


__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]
