"""Functions of tf.summary."""

SCRIPTS = [
    "tf.summary.scalar('loss', f[0, 0])",
    "tf.summary.scalar('a loss!', 1.0, family='odd family')",
    "tf.summary.scalar('/loss', is_, collections=['own'])",
    """
    with tf.name_scope('outer'):
        tf.summary.scalar('loss', 1.0)
        tf.summary.scalar('loss', 2.0, family='fam')
    tf.summary.merge_all()
    """,
    "tf.summary.image('images', img)",
    "tf.summary.image('images', tf.cast(img, tf.uint8), max_outputs=1, family='fam')",
    "tf.summary.histogram('values', f)",
    "tf.summary.histogram('values', i, family='fam')",
    "tf.summary.audio('clips', tf.ones([2, 100]), 8000)",
    "tf.summary.audio('clips', tf.ones([2, 100, 1]), tf.constant(44100.0), 1, family='fam')",
    "tf.summary.text('words', s)",
    "tf.summary.text('words', f)",
    "tf.summary.tensor_summary('tensor', f, display_name='Shown', summary_description='Words')",
    "tf.summary.tensor_summary('tensor', s, collections=[], family='fam')",
    """
    one = tf.summary.scalar('one', 1.0)
    two = tf.summary.scalar('two', 2.0, collections=['own'])
    tf.summary.merge([one, two])
    tf.summary.merge([one, two], ['more'], 'my merge')
    tf.summary.merge_all('own', name='mine')
    tf.constant([len(tf.get_collection(key)) for key in ('summaries', 'own', 'more')])
    """,
    "tf.constant(tf.summary.merge_all() is None)",
    "tf.summary.get_summary_description(tf.constant(1).op.node_def)",
    "tf.summary.get_summary_description(tf.raw_ops.TensorSummary(tensor=f, description='{}').op.node_def)",
]
