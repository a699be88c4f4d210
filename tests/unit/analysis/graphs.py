"""Graphs that the tests of this folder look at."""

from __future__ import annotations

import icefloe as tf


def training_graph() -> tf.Graph:
    """A classifier as scripts train it: an input queue, labels, dropout, averages, Adam, summaries, checks, a Saver."""
    graph = tf.Graph()
    with graph.as_default():
        images = tf.placeholder(tf.float32, [None, 8], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        keep = tf.placeholder_with_default(1.0, [], name="keep_prob")
        queue = tf.FIFOQueue(10, tf.float32, shapes=[[8]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([tf.random_uniform([8])])]))
        step = tf.train.get_or_create_global_step()
        with tf.variable_scope("hidden"):
            kernel = tf.get_variable("kernel", [8, 16])
            bias = tf.get_variable("bias", [16], initializer=tf.zeros_initializer())
            hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(images, kernel), bias))
            hidden = tf.nn.dropout(hidden, keep)
        with tf.variable_scope("head"):
            kernel = tf.get_variable("kernel", [16, 3])
            logits = tf.identity(tf.matmul(hidden, kernel), name="logits")
        tf.nn.softmax(logits, name="probabilities")
        with tf.control_dependencies([tf.Assert(tf.reduce_all(labels < 3), [labels])]):
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(entropy, name="loss")
        hits = tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32)
        accuracy = tf.reduce_mean(hits, name="accuracy")
        tf.summary.scalar("loss", loss)
        tf.summary.scalar("accuracy", accuracy)
        tf.summary.histogram("activations", hidden)
        tf.summary.merge_all()
        averages = tf.train.ExponentialMovingAverage(0.9)
        train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
        with tf.control_dependencies([train]):
            averages.apply(tf.trainable_variables())
        tf.global_variables_initializer()
        tf.train.Saver()
    return graph
