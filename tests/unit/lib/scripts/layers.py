"""Functions and classes of tf.layers."""

SCRIPTS = [
    # dense
    "tf.layers.dense(f, 4)",
    "tf.layers.dense(f, 4, activation=tf.nn.relu, name='d')",
    "tf.layers.dense(f, 4, tf.tanh, False)",
    "tf.layers.dense(f, 4), tf.layers.dense(f, 4), tf.layers.dense(g, 2)",
    "tf.layers.dense(f, 4, name='d'), tf.layers.dense(g, 4, name='d', reuse=True)",
    "tf.layers.dense(f3, 5, use_bias=False)",
    "tf.layers.dense(dyn, 5)",
    "tf.layers.dense(d, 5)",
    "tf.layers.dense(h, 5)",
    "tf.layers.dense(f, 4, kernel_initializer=tf.zeros_initializer(), bias_initializer=tf.ones_initializer())",
    "tf.layers.dense(f, 4, kernel_regularizer=tf.nn.l2_loss, bias_regularizer=lambda b: tf.reduce_sum(b * b))",
    "tf.layers.dense(f, 4, activity_regularizer=tf.reduce_sum)",
    "tf.constant([t.name for t in [tf.layers.dense(f, 4, kernel_regularizer=tf.nn.l2_loss, name='a')] and "
    "tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])",
    "tf.layers.dense(f, 4, kernel_constraint=tf.abs, trainable=False)\n"
    "tf.constant([v.name for v in tf.trainable_variables()] + ['all'] + [v.name for v in tf.global_variables()])",
    """
with tf.variable_scope('outer', initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss):
    tf.layers.dense(f, 4)
    with tf.name_scope('inner'):
        tf.layers.dense(g, 4)
""",
    """
def net(x):
    return tf.layers.dense(tf.layers.dense(x, 4, name='one'), 2, name='two')
with tf.variable_scope('net'):
    net(f)
with tf.variable_scope('net', reuse=True):
    net(g)
""",
    """
with tf.variable_scope('net', reuse=tf.AUTO_REUSE):
    tf.layers.dense(f, 4, name='one')
    tf.layers.dense(g, 4, name='one')
""",
    """
layer = tf.layers.Dense(4, name='mine')
y, z = layer(f), layer(g)
layer.apply(f)
tf.constant([layer.name, layer.scope_name, layer.dtype] + [v.name for v in layer.variables + layer.trainable_weights])
""",
    """
layer = tf.layers.Dense(4)
layer(f)
tf.constant([layer.name, layer.scope_name])
tf.constant(layer.count_params())
tf.constant([layer.kernel.name, layer.bias.name])
""",
    """
layer = tf.layers.Dense(4)
with tf.variable_scope('a'):
    layer(f)
with tf.variable_scope('b'):
    layer(g)
""",
    "tf.enable_resource_variables()\ntf.layers.dense(f, 4)",
    "with tf.variable_scope('r', use_resource=True):\n    tf.layers.dense(f, 4)",
    "with tf.variable_scope('p', partitioner=tf.fixed_size_partitioner(2)):\n    tf.layers.dense(sq, 4, use_bias=False)",
    "tf.layers.dense(f, 4, name='d'), tf.layers.dense(g, 5, name='d', reuse=True)",
    "tf.layers.dense(v3, 4)",
    "tf.layers.dense(any, 4)",
    "tf.layers.dense(i, 4)",
    "tf.layers.dense(f, 4, nonsense=1)",
    "tf.layers.Dense(4).scope_name",
    "tf.layers.Dense(4, reuse=True)",
    # dropout, flatten
    "tf.layers.dropout(f)",
    "tf.layers.dropout(f, 0.3, training=True)",
    "tf.layers.dropout(f, 0.3, training=b[0, 0], name='dr')",
    "tf.layers.dropout(f, 0.3, noise_shape=[None, 1], seed=3, training=True)",
    "tf.layers.dropout(f, 0, training=True)",
    "tf.layers.dropout(f, 1.5, training=True)",
    "tf.layers.flatten(img)",
    "tf.layers.flatten(img, data_format='channels_first', name='fl')",
    "tf.layers.flatten(dyn), tf.layers.flatten(v3)",
    "tf.layers.flatten(tf.placeholder(tf.float32, [2, None, 3]))",
    "tf.layers.flatten(tf.placeholder(tf.float32, [None, None, 3]))",
    # convolutions
    "tf.layers.conv2d(img, 4, 3)",
    "tf.layers.conv2d(img, 4, [3, 5], [2, 1], 'SAME', activation=tf.nn.relu, name='c')",
    "tf.layers.conv2d(img, 4, 3, dilation_rate=2, use_bias=False)",
    "tf.layers.conv2d(img, 4, 3, data_format='channels_first')",
    "tf.layers.conv2d(img, 4, 9)",
    "tf.layers.conv2d(f3, 4, 3)",
    "tf.layers.conv2d(img, 4, [3])",
    "tf.layers.conv2d(img, 0, 3)",
    "tf.layers.conv2d(img, 4, 3, padding='full')",
    "tf.layers.conv2d(img, 4, 3, data_format='NHWC')",
    "tf.layers.conv2d(img, 4, 3, strides=2, dilation_rate=2)",
    "tf.layers.conv2d(img, 4, 3, kernel_regularizer=tf.nn.l2_loss, name='c'), tf.layers.conv2d(img, 4, 3, name='c', reuse=True)",
    "layer = tf.layers.Conv2D(4, 3)\nlayer(img), layer(img)",
    "tf.layers.conv1d(f3, 4, 2)",
    "tf.layers.conv1d(f3, 4, 2, 2, 'same', activation=tf.sigmoid)",
    "tf.layers.conv1d(f3, 4, 2, data_format='channels_first')",
    "tf.layers.conv3d(vol, 4, 2)",
    "tf.layers.conv3d(vol, 4, 2, (1, 2, 2), 'same', name='c3')",
    "tf.layers.conv2d_transpose(img, 4, 3)",
    "tf.layers.conv2d_transpose(img, 4, 3, 2, 'same', activation=tf.nn.relu)",
    "tf.layers.conv2d_transpose(tf.placeholder(tf.float32, [None, None, 8, 3]), 4, 3, 2)",
    "tf.layers.conv3d_transpose(vol, 3, 2, 2)",
    "tf.layers.separable_conv2d(img, 4, 3)",
    "tf.layers.separable_conv2d(img, 4, 3, 2, 'same', depth_multiplier=2, activation=tf.nn.relu, use_bias=False)",
    "tf.layers.separable_conv2d(img, 4, 3, dilation_rate=2)",
    "tf.layers.separable_conv1d(f3, 5, 2)",
    # pooling
    "tf.layers.max_pooling2d(img, 2, 2)",
    "tf.layers.max_pooling2d(img, [2, 3], [1, 2], 'same', name='mp')",
    "tf.layers.max_pooling2d(img, 2, 1, data_format='channels_first')",
    "tf.layers.average_pooling2d(img, 2, 2)",
    "tf.layers.average_pooling2d(img, 3, 2, padding='SAME')",
    "tf.layers.max_pooling1d(f3, 2, 1)",
    "tf.layers.average_pooling1d(f3, 2, 2, 'same')",
    "tf.layers.average_pooling1d(f3, 2, 2, data_format='channels_first')",
    "tf.layers.max_pooling3d(vol, 2, 2)",
    "tf.layers.average_pooling3d(vol, 2, 1, 'same')",
    "tf.layers.max_pooling3d(vol, 2, 2, data_format='channels_first')",
    "tf.layers.max_pooling2d(f3, 2, 2)",
    "tf.layers.MaxPooling2D(2, 2)(img)",
    # batch normalization
    "tf.layers.batch_normalization(f)",
    "tf.layers.batch_normalization(f, training=True)",
    "tf.layers.batch_normalization(f, training=b[0, 0])",
    "tf.layers.batch_normalization(img)",
    "tf.layers.batch_normalization(img, training=True, name='bn')",
    "tf.layers.batch_normalization(img, training=b[0, 0], momentum=0.9, epsilon=1e-5)",
    "tf.layers.batch_normalization(img, training=True, scale=False, center=False)",
    "tf.layers.batch_normalization(f, training=True, scale=False)",
    "tf.layers.batch_normalization(img, axis=1, training=True)",
    "tf.layers.batch_normalization(img, axis=2, fused=False, training=True)",
    "tf.layers.batch_normalization(img, axis=[1, 3], training=True)",
    "tf.layers.batch_normalization(img, fused=False)",
    "tf.layers.batch_normalization(f3, training=True)",
    "tf.layers.batch_normalization(vol, training=True)",
    "tf.layers.batch_normalization(h, training=True)",
    "tf.layers.batch_normalization(d, training=True)",
    "tf.layers.batch_normalization(tf.ones([4, 3]), training=True, virtual_batch_size=2)",
    "tf.layers.batch_normalization(f, training=True, adjustment=lambda s: (tf.ones([2, 3]), tf.zeros([2, 3])))",
    "tf.layers.batch_normalization(f, training=True, gamma_regularizer=tf.nn.l2_loss, trainable=False)",
    "tf.layers.batch_normalization(f, training=True)\n"
    "tf.constant([u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])",
    "tf.layers.batch_normalization(img, training=b[0, 0])\n"
    "tf.constant([u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])",
    "tf.layers.batch_normalization(f, axis=4)",
    "tf.enable_resource_variables()\ntf.layers.batch_normalization(img, training=True)",
    "tf.layers.batch_normalization(f, name='b', training=True), tf.layers.batch_normalization(g, name='b', reuse=True)",
    # one's own
    """
class Scale(tf.layers.Layer):
    def build(self, input_shape):
        self.by = self.add_weight('by', [int(input_shape[-1])], initializer=tf.ones_initializer())
        self.shift = self.add_variable('shift', [], trainable=False, regularizer=tf.nn.l2_loss)
        super().build(input_shape)
    def call(self, inputs, sign=1.0):
        return inputs * self.by * sign + self.shift
layer = Scale()
layer(f), layer(g, sign=-1.0)
tf.constant([layer.name] + [v.name for v in layer.trainable_variables] + [v.name for v in layer.non_trainable_variables])
""",
]
