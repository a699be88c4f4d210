# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.distributions_discrete import Bernoulli as Bernoulli
from icefloe.lib.distributions_gamma import Beta as Beta
from icefloe.lib.distributions_discrete import Categorical as Categorical
from icefloe.lib.distributions_discrete import Dirichlet as Dirichlet
from icefloe.lib.distributions_discrete import DirichletMultinomial as DirichletMultinomial
from icefloe.lib.distributions import Distribution as Distribution
from icefloe.lib.distributions_gamma import Exponential as Exponential
from icefloe.lib.distributions import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from icefloe.lib.distributions_gamma import Gamma as Gamma
from icefloe.lib.distributions_continuous import Laplace as Laplace
from icefloe.lib.distributions_discrete import Multinomial as Multinomial
from icefloe.lib.distributions import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from icefloe.lib.distributions_continuous import Normal as Normal
from icefloe.lib.distributions import RegisterKL as RegisterKL
from icefloe.lib.distributions import ReparameterizationType as ReparameterizationType
from icefloe.lib.distributions_continuous import StudentT as StudentT
from icefloe.lib.distributions_continuous import Uniform as Uniform
from icefloe.lib.distributions import kl_divergence as kl_divergence


__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "Laplace",
    "Multinomial",
    "NOT_REPARAMETERIZED",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]
