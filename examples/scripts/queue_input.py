"""Input by queues: text files are read, decoded and batched by threads that a Coordinator stops.

Run: icefloe exec examples/scripts/queue_input.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.platform import gfile

BATCH = 4


def write_files(folder):
    """Write three files of lines `number,square`."""
    for part in range(3):
        with gfile.GFile(os.path.join(folder, "part-%d.csv" % part), "w") as f:
            for number in range(part * 8, part * 8 + 8):
                f.write("%d,%d\n" % (number, number * number))


def inputs(folder, num_epochs):
    """Return batches of numbers and their squares."""
    filenames = tf.train.match_filenames_once(os.path.join(folder, "*.csv"))
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=False)
    reader = tf.TextLineReader()
    key, line = reader.read(filename_queue)
    number, square = tf.decode_csv(line, record_defaults=[[0], [0.0]])
    return tf.train.batch([number, square], batch_size=BATCH, num_threads=1, capacity=32)


def count_by_hand():
    """Fill a queue from a thread of a QueueRunner, and empty it."""
    queue = tf.FIFOQueue(10, [tf.int64], shapes=[[]])
    counter = tf.get_variable(
        "counter", shape=[], dtype=tf.int64, initializer=tf.zeros_initializer(), use_resource=True
    )
    enqueue = queue.enqueue(counter.assign_add(1))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    return queue.dequeue_many(5)


def main():
    folder = tempfile.mkdtemp()
    write_files(folder)
    numbers, squares = inputs(folder, num_epochs=2)
    total = tf.reduce_sum(squares)
    counted = count_by_hand()
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

    with tf.Session() as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        seen, sums = [], 0.0
        try:
            print("counted:", sess.run(counted).tolist())
            print("counted:", sess.run(counted).tolist())
            while not coord.should_stop():
                batch, amount = sess.run([numbers, total])
                seen.append(batch)
                sums += amount
        except tf.errors.OutOfRangeError:
            print("end of input after %d batches" % len(seen))
        finally:
            coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)
    print("numbers:", np.bincount(np.concatenate(seen)).tolist())
    print("sum of squares: %.1f" % sums)


if __name__ == "__main__":
    main()
