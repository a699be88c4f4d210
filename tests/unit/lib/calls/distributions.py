"""Values of probability distributions, rounded, and what they say of themselves."""

START = """
D = tf.distributions
def plain(value):
    value = np.asarray(value)
    return (np.round(value, 3) + 0.0).tolist() if value.dtype.kind == 'f' else value.tolist()
def built(function):
    try:
        return function()
    except (NotImplementedError, ValueError, TypeError) as error:
        return type(error).__name__ + ': ' + str(error)[:90]
def run(found):
    tensors = [t for t in found if isinstance(t, tf.Tensor)]
    with tf.Session() as session:
        values = dict(zip(map(id, tensors), session.run(tensors)))
    return [plain(values[id(f)]) if id(f) in values else f for f in found]
def V(d, at, other=None):
    tests = {m: getattr(d, m) for m in ('mean', 'variance', 'stddev', 'covariance', 'mode', 'entropy', 'batch_shape_tensor',
        'event_shape_tensor', 'is_scalar_event', 'is_scalar_batch')}
    for m in ('prob', 'log_prob', 'cdf', 'log_cdf', 'survival_function', 'log_survival_function'):
        tests[m] = lambda m=m: getattr(d, m)(at)
    tests['quantile'] = lambda: d.quantile([0.25, 0.5])
    tests['kl'] = lambda: d.kl_divergence(other or d)
    tests['cross'] = lambda: d.cross_entropy(other or d)
    tests['sample'] = lambda: d.sample([2], seed=7)
    tests['one'] = lambda: d.sample(seed=7)
    facts = [d.name, str(d), repr(d), d.dtype.name, d.reparameterization_type, d.allow_nan_stats, d.validate_args]
    facts += [sorted(d.parameters), d.batch_shape.as_list(), d.event_shape.as_list()]
    values = run([built(test) for test in tests.values()])
    return facts + [dict(zip(tests, values))]
"""

CALLS = [
    START,
    "V(D.Normal([0.0, 1.0], 2.0), [0.5, -30.0], D.Normal(1.0, 1.5))",
    "V(D.Normal(np.float64(0.5), np.float64(2.0), validate_args=True), [0.5, 3.0])",
    "V(D.Laplace(0.0, [1.0, 2.0]), [0.5, -1.0])",
    "V(D.Uniform(1.0, [2.0, 3.0]), [1.5, 4.0])",
    "V(D.Uniform(), 0.25)",
    "V(D.Gamma([2.0, 0.5], 1.5), [0.5, 2.0], D.Gamma(1.0, 2.0))",
    "V(D.Gamma([2.0, 3.0], 1.5, validate_args=True, allow_nan_stats=False), [0.5, 2.0])",
    "V(D.Exponential([1.0, 2.0]), [0.5, 1.5])",
    "V(D.StudentT([3.0, 1.5], [0.0, 1.0], 2.0), [0.5, -1.0])",
    "V(D.StudentT(0.5, 0.0, 2.0), [0.5, -1.0])",
    "V(D.Beta([2.0, 0.5], 2.0), [0.25, 0.5], D.Beta(1.0, 3.0))",
    "V(D.Bernoulli([0.5, -1.0]), [1, 0], D.Bernoulli(probs=[0.2, 0.5]))",
    "V(D.Bernoulli(probs=0.3, dtype=tf.float32, validate_args=True), 1.0)",
    "V(D.Categorical([0.1, 0.5, -1.0]), [0, 2], D.Categorical(probs=[0.2, 0.3, 0.5]))",
    "V(D.Categorical(probs=[[0.2, 0.8], [0.5, 0.5]], validate_args=True), [0, 1])",
    "V(D.Dirichlet([1.5, 2.0, 3.0]), [0.2, 0.3, 0.5], D.Dirichlet([1.0, 1.0, 1.0]))",
    "V(D.Dirichlet([[1.0, 2.0], [3.0, 4.0]], validate_args=True), [[0.5, 0.5], [0.25, 0.75]])",
    "V(D.DirichletMultinomial(3.0, [1.0, 2.0, 3.0]), [1.0, 0.0, 2.0])",
    "V(D.Multinomial(4.0, [0.1, 0.5, -1.0]), [1.0, 1.0, 2.0])",
    "V(D.Multinomial(4.0, probs=[0.25, 0.75], validate_args=True), [[3.0, 1.0], [1.0, 3.0]])",
    "D.Normal(0.0, 1.0).copy(scale=2.0).parameters['scale']",
    "D.Normal.param_static_shapes([2, 3])",
    "D.Beta.param_static_shapes(tf.TensorShape([2]))",
    "sorted(D.Exponential.param_shapes([2]))",
    "D.Dirichlet.param_shapes([2])",
    "D.Normal(0.0, 1.0).kl_divergence(D.Laplace(0.0, 1.0))",
    "D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0), allow_nan_stats=False)",
    "D.Bernoulli()",
    "D.Bernoulli(logits=1.0, probs=0.5)",
    "D.Bernoulli(logits=1)",
    "D.Categorical(probs=[1.0], validate_args=True)",
    "D.Normal(0, 1)",
    "D.Normal(0.0, -1.0, validate_args=True)",
    "D.Normal(np.float64(0.0), 1.0)",
    "D.RegisterKL(D.Beta, D.Laplace)(None)",
    "D.RegisterKL(D.Normal, D.Laplace)(5)",
    "[D.FULLY_REPARAMETERIZED, D.NOT_REPARAMETERIZED, D.ReparameterizationType('x') == D.ReparameterizationType('x')]",
    "D.Distribution(tf.float32, D.NOT_REPARAMETERIZED, False, True).sample()",
]
