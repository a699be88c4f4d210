"""Probability distributions."""

N = "d = tf.distributions.Normal(v3, 2.0); "
ALL = "d.mean(); d.variance(); d.stddev(); d.entropy(); d.mode(); "
SAMPLES = "d.sample(seed=1); d.sample([2, 3], seed=2, name='sa'); d.sample(is_)"

SCRIPTS = [
    N + ALL + "d.prob(v3); d.log_prob(1.0); d.cdf(v3); d.survival_function(0.5)",
    N + "d.log_cdf(v3); d.log_survival_function(v3)",
    N + SAMPLES,
    N + "d.kl_divergence(tf.distributions.Normal(0.0, 1.0)); d.cross_entropy(d); d.batch_shape_tensor(); "
    "d.event_shape_tensor(); d.is_scalar_batch(); d.is_scalar_event()",
    "d = tf.distributions.Laplace(v3, 2.0); " + ALL + "d.prob(v3); d.cdf(v3); d.log_cdf(v3); " + SAMPLES,
    "d = tf.distributions.Uniform(0.0, v3); " + ALL.replace("d.mode(); ", "") + "d.prob(v3); d.cdf(v3); " + SAMPLES,
    "d = tf.distributions.Gamma(v3, 2.0); " + ALL + "d.prob(v3); d.cdf(v3); " + SAMPLES,
    "d = tf.distributions.Exponential(v3); " + ALL + "d.prob(v3); d.log_survival_function(v3); " + SAMPLES,
    "d = tf.distributions.StudentT(3.0, v3, 2.0); " + ALL + "d.prob(v3); " + SAMPLES,
    "d = tf.distributions.Beta(v3, 2.0); " + ALL + "d.prob(v3); d.cdf(v3); " + SAMPLES,
    "d = tf.distributions.Bernoulli(v3); " + ALL + "d.prob([1, 0, 1]); " + SAMPLES,
    "d = tf.distributions.Bernoulli(probs=v3); d.log_prob(1)",
    "d = tf.distributions.Categorical(f); " + "d.entropy(); d.mode(); d.prob([0, 1]); d.cdf([0, 1]); " + SAMPLES,
    "d = tf.distributions.Categorical(probs=v3); d.log_prob(1); d.event_size",
    "d = tf.distributions.Dirichlet(v3); " + ALL + "d.prob(v3); d.covariance(); " + SAMPLES,
    "d = tf.distributions.DirichletMultinomial(3.0, v3); d.mean(); d.variance(); d.covariance(); d.prob(v3); "
    + SAMPLES,
    "d = tf.distributions.Multinomial(3.0, v3); d.mean(); d.variance(); d.covariance(); d.prob(v3)",
    "d = tf.distributions.Normal(v3, 2.0, validate_args=True); d.mean()",
    "d = tf.distributions.Gamma(v3, v3, validate_args=True, allow_nan_stats=False); d.mode(); d.prob(v3)",
    "d = tf.distributions.Categorical(probs=f, validate_args=True); d.prob([0, 1])",
    "a = tf.distributions.Beta(v3, 1.0); b = tf.distributions.Beta(2.0, v3); a.kl_divergence(b)",
    "a = tf.distributions.Gamma(v3, 1.0); b = tf.distributions.Gamma(2.0, v3); a.kl_divergence(b)",
    "a = tf.distributions.Dirichlet(v3); a.kl_divergence(a); c = tf.distributions.Categorical(v3); c.kl_divergence(c)",
]
