"""An input pipeline of tf.data: records are written, read, parsed, shuffled and batched, for training and validation.

Run: icefloe exec examples/scripts/dataset_pipeline.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf


def write_records(path, first, last):
    """Write an Example for each number: itself, its letters, and as many of its multiples as it says."""
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(first, last):
            multiples = [number * i for i in range(1, number % 4 + 1)]
            features = {
                "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[("n%d" % number).encode()])),
                "multiples": tf.train.Feature(int64_list=tf.train.Int64List(value=multiples)),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


def parse(serialized):
    features = {
        "number": tf.FixedLenFeature([], tf.int64),
        "name": tf.FixedLenFeature([], tf.string, default_value=""),
        "multiples": tf.VarLenFeature(tf.int64),
    }
    parsed = tf.parse_single_example(serialized, features)
    return parsed["number"], parsed["name"], tf.sparse_tensor_to_dense(parsed["multiples"])


def dataset(path, training):
    data = tf.data.TFRecordDataset(path).map(parse)
    if training:
        data = data.shuffle(buffer_size=8, seed=3).repeat(2)
    return data.padded_batch(4, padded_shapes=([], [], [None])).prefetch(1)


def main():
    folder = tempfile.mkdtemp()
    train_file, test_file = os.path.join(folder, "train.tfrecord"), os.path.join(folder, "test.tfrecord")
    write_records(train_file, 0, 10)
    write_records(test_file, 100, 106)

    train_data, test_data = dataset(train_file, True), dataset(test_file, False)
    iterator = tf.data.Iterator.from_structure(train_data.output_types, train_data.output_shapes)
    numbers, names, multiples = iterator.get_next()
    start_training, start_testing = iterator.make_initializer(train_data), iterator.make_initializer(test_data)
    row_sums = tf.reduce_sum(multiples, axis=1)

    with tf.Session() as sess:
        for epoch, start in enumerate([start_training, start_testing, start_training]):
            sess.run(start)
            seen = []
            while True:
                try:
                    batch, text, sums = sess.run([numbers, names, row_sums])
                except tf.errors.OutOfRangeError:
                    break
                assert [name.decode() for name in text] == ["n%d" % n for n in batch]
                assert sums.tolist() == [n * (n % 4) * (n % 4 + 1) // 2 for n in batch]
                seen.append(batch.tolist())
            print("epoch %d: %s" % (epoch, seen))

    words = tf.data.Dataset.from_tensor_slices(["the cat", "sat on the mat", "and the cat slept"])
    words = words.flat_map(lambda line: tf.data.Dataset.from_tensor_slices(tf.string_split([line]).values))
    lengths = words.map(lambda word: (word, tf.strings.length(word))).filter(lambda _, length: length > 2)
    word, length = tf.data.make_one_shot_iterator(lengths).get_next()
    total = tf.data.Dataset.range(10).reduce(np.int64(0), lambda state, number: state + number * number)
    with tf.Session() as sess:
        found = []
        try:
            while True:
                found.append(
                    "%s/%d" % tuple(v.decode() if isinstance(v, bytes) else v for v in sess.run((word, length)))
                )
        except tf.errors.OutOfRangeError:
            print("words:", " ".join(found))
        print("sum of squares:", sess.run(total))


if __name__ == "__main__":
    main()
