"""Word embeddings by noise-contrastive estimation and by sampled softmax, on sentences made up from a small grammar.

Run: icefloe exec examples/scripts/word_embeddings.py
"""

import collections
import random

import numpy as np
import tensorflow as tf

GROUPS = [["cat", "dog", "cow", "hen"], ["eats", "likes", "sees", "wants"], ["corn", "milk", "fish", "hay"]]


def sentences(count):
    """Return words of sentences `the cat eats the corn .`, one after the other."""
    chooser = random.Random(5)
    words = []
    for _ in range(count):
        animal, verb, food = (chooser.choice(group) for group in GROUPS)
        words += ["the", animal, verb, "the", food, "."]
    return words


def skip_grams(data, batch_size, start, window=1):
    """Return words, and for each one of its neighbours, as columns; and where to go on."""
    centers, contexts = [], []
    position = start
    while len(centers) < batch_size:
        for offset in [*range(-window, 0), *range(1, window + 1)]:
            centers.append(data[position])
            contexts.append([data[(position + offset) % len(data)]])
        position = (position + 1) % len(data)
    return np.array(centers[:batch_size]), np.array(contexts[:batch_size]), position


def train(loss_function, data, vocabulary_size, steps=400, embedding_size=8, batch_size=64):
    """Return the normalized embeddings and the mean losses of each quarter of the steps."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        inputs = tf.placeholder(tf.int32, shape=[batch_size])
        labels = tf.placeholder(tf.int32, shape=[batch_size, 1])
        embeddings = tf.Variable(tf.random_uniform([vocabulary_size, embedding_size], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, inputs)
        weights = tf.Variable(tf.truncated_normal([vocabulary_size, embedding_size], stddev=1.0 / embedding_size**0.5))
        biases = tf.Variable(tf.zeros([vocabulary_size]))
        sampled = tf.nn.log_uniform_candidate_sampler(tf.cast(labels, tf.int64), 1, 8, True, vocabulary_size, seed=2)
        loss = tf.reduce_mean(
            loss_function(
                weights, biases, labels, embed, num_sampled=8, num_classes=vocabulary_size, sampled_values=sampled
            )
        )
        optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        normalized = embeddings / tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
        losses = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            position = 0
            for _ in range(steps):
                centers, contexts, position = skip_grams(data, batch_size, position)
                _, value = session.run([optimizer, loss], feed_dict={inputs: centers, labels: contexts})
                losses.append(value)
            return session.run(normalized), np.mean(np.reshape(losses, [4, -1]), axis=1)


def main():
    words = sentences(200)
    counts = collections.Counter(words).most_common()
    ids = {word: i for i, (word, _) in enumerate(counts)}
    data = [ids[word] for word in words]
    names = [word for word, _ in counts]
    for title, function in (("nce", tf.nn.nce_loss), ("sampled softmax", tf.nn.sampled_softmax_loss)):
        found, losses = train(function, data, len(ids))
        print("%s: losses %s" % (title, " ".join("%.2f" % value for value in losses)))
        likeness = found.dot(found.T)
        for word in ("cat", "eats", "milk"):
            nearest = [names[i] for i in np.argsort(-likeness[ids[word]])[1:4]]
            print("  near %s: %s" % (word, " ".join(nearest)))


if __name__ == "__main__":
    main()
