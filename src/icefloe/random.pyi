# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.random_stateless import Algorithm as Algorithm
from icefloe.lib.random_generator import Generator as Generator
from icefloe.lib.nn_sampling import all_candidate_sampler as all_candidate_sampler
from icefloe.lib.random_draws import categorical as categorical
from icefloe.lib.random_generator import create_rng_state as create_rng_state
from icefloe.lib.nn_sampling import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from icefloe.lib.random_stateless import fold_in as fold_in
from icefloe.lib.random_draws import random_gamma as gamma
from icefloe.lib.random_generator import get_global_generator as get_global_generator
from icefloe.graph.seeds import get_seed as get_seed
from icefloe.lib.nn_sampling import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from icefloe.lib.nn_sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from icefloe.lib.random_draws import multinomial as multinomial
from icefloe.lib.random_draws import random_normal as normal
from icefloe.lib.random_draws import random_poisson as poisson
from icefloe.lib.random_generator import set_global_generator as set_global_generator
from icefloe.graph.seeds import set_random_seed as set_random_seed
from icefloe.lib.random_draws import random_shuffle as shuffle
from icefloe.lib.random_stateless import split as split
from icefloe.lib.random_stateless import stateless_random_binomial as stateless_binomial
from icefloe.lib.random_stateless import stateless_categorical as stateless_categorical
from icefloe.lib.random_stateless import stateless_random_gamma as stateless_gamma
from icefloe.lib.random_stateless import stateless_multinomial as stateless_multinomial
from icefloe.lib.random_stateless import stateless_random_normal as stateless_normal
from icefloe.lib.random_stateless import stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal
from icefloe.lib.random_stateless import stateless_random_poisson as stateless_poisson
from icefloe.lib.random_stateless import stateless_truncated_normal as stateless_truncated_normal
from icefloe.lib.random_stateless import stateless_random_uniform as stateless_uniform
from icefloe.lib.random_draws import truncated_normal as truncated_normal
from icefloe.lib.random_draws import random_uniform as uniform
from icefloe.lib.nn_sampling import uniform_candidate_sampler as uniform_candidate_sampler


__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "get_seed",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_global_generator",
    "set_random_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
