"""Calls of tf.gfile and tf.io.gfile, in an empty folder."""

CALLS = [
    """
    with tf.gfile.GFile('a.txt', 'w') as f:
        f.write('héllo\\nworld\\n')
        f.write(b'x')
        result = f.name, f.mode, f.tell(), f.seekable()
    """,
    "tf.gfile.GFile('a.txt').read()",
    "tf.gfile.GFile('a.txt', 'rb').read(3)",
    "list(tf.gfile.GFile('a.txt'))",
    "tf.gfile.GFile('a.txt').readlines()",
    "tf.gfile.GFile('a.txt', 'rb').readline()",
    "next(tf.gfile.GFile('a.txt')), tf.gfile.GFile('a.txt').next()",
    "tf.gfile.GFile('a.txt').size()",
    """
    f = tf.gfile.GFile('a.txt', 'rb')
    f.seek(2)
    result = [f.tell(), f.read(2), f.tell(), f.seek(-3, 2), f.read(1), f.seek(1, 1), f.read(), f.seek(position=3), f.tell()]
    """,
    """
    f = tf.gfile.GFile('a.txt')
    f.seek(2)
    f.read(2)
    """,
    """
    f = tf.gfile.GFile('a.txt', 'rb')
    f.read(1)
    f.close()
    result = f.read(2)
    """,
    "tf.gfile.GFile('a.txt').seek(100)",
    "tf.gfile.GFile('a.txt').seek()",
    "tf.gfile.GFile('a.txt').seek(1, position=1)",
    "tf.gfile.GFile('a.txt').seek(1, 5)",
    "tf.gfile.GFile('a.txt').seek(-1)",
    "tf.gfile.GFile('a.txt').read(-2)",
    "tf.gfile.GFile('a.txt').read(0)",
    "tf.gfile.GFile('a.txt', 'x')",
    "tf.gfile.GFile('a.txt', 'w').read()",
    "tf.gfile.GFile('a.txt', 'r').write('x')",
    "tf.gfile.GFile('none.txt').name",
    "tf.gfile.GFile('none.txt').read()",
    "tf.gfile.GFile('none/x', 'w').write('1')",
    "tf.gfile.GFile('a.txt', 'w').write(3)",
    "pathlib.Path('a.txt').read_bytes()",
    """
    with tf.gfile.GFile('e.txt', 'w') as f:
        pass
    result = os.path.exists('e.txt')
    """,
    """
    with tf.gfile.GFile('a.txt', 'a') as f:
        f.write('more')
        told = f.tell()
    result = told, pathlib.Path('a.txt').read_bytes()
    """,
    """
    with tf.gfile.GFile('a.txt', 'r+') as f:
        start = f.read(3)
        f.write('Z')
    result = start, pathlib.Path('a.txt').read_bytes()
    """,
    """
    with tf.gfile.GFile('b.txt', 'w+') as f:
        f.write('abc')
        f.flush()
        f.seek(0)
        result = f.read()
    """,
    """
    with tf.gfile.GFile('b.txt', 'a+') as f:
        f.write('def')
        f.flush()
        f.seek(0)
        result = f.read()
    """,
    "[tf.gfile.Exists(x) for x in ('a.txt', 'zz', '.', b'a.txt', pathlib.Path('a.txt'))]",
    "[tf.gfile.IsDirectory(x) for x in ('.', 'a.txt', 'zz', 'foo://x')]",
    "tf.gfile.MkDir('d'), tf.gfile.MkDir('d')",
    "tf.gfile.MkDir('q/r')",
    "tf.gfile.MakeDirs('d/e/f'), tf.gfile.MakeDirs('d/e/f')",
    "tf.gfile.MakeDirs('a.txt/x')",
    "tf.gfile.Copy('a.txt', 'd/a.txt')",
    "tf.gfile.Copy('a.txt', 'd/a.txt')",
    "tf.gfile.Copy('a.txt', 'd/a.txt', True)",
    "tf.gfile.Copy('zz', 'd/q')",
    "tf.gfile.Rename('d/a.txt', 'd/b.txt')",
    "tf.gfile.Rename('d/b.txt', 'a.txt')",
    "tf.gfile.Rename('zz', 'y')",
    "tf.gfile.Rename('d/b.txt', 'a.txt', overwrite=True)",
    "sorted(tf.gfile.ListDirectory('.'))",
    "tf.gfile.ListDirectory('zz')",
    "tf.gfile.ListDirectory('a.txt')",
    "pathlib.Path('.hidden').write_text('')",
    """
    result = [
        sorted(tf.gfile.Glob(x))
        for x in ('*.txt', 'd/*', ['a*', 'b*'], 'zz*', '*/e/*', '[ab].txt', '?.txt', 'zz/*', 'd', '*', '', '[!a].txt')
    ]
    """,
    "tf.gfile.Glob(pathlib.Path('x'))",
    "list(tf.gfile.Walk('d')), list(tf.gfile.Walk('d', in_order=False)), list(tf.gfile.Walk('zz'))",
    "list(tf.io.gfile.walk('d', topdown=False))",
    """
    s = tf.gfile.Stat('a.txt')
    result = s.length, s.is_directory, s.mtime_nsec > 0, tf.gfile.Stat('d').is_directory
    """,
    "tf.gfile.Stat('zz')",
    "tf.gfile.Remove('a.txt')",
    "tf.gfile.Remove('a.txt')",
    "tf.gfile.Remove('d')",
    "tf.gfile.DeleteRecursively('d'), tf.gfile.DeleteRecursively('b.txt')",
    "tf.gfile.DeleteRecursively('d')",
    "tf.io.gfile.join('a', 'b'), tf.io.gfile.join('gs://a', 'b'), tf.io.gfile.join('gs://a', 'b', '/c')",
    "tf.gfile.Exists('foo://x')",
    "tf.gfile.GFile('foo://x').read()",
    "tf.gfile.Exists('file://' + os.getcwd()), tf.gfile.GFile(pathlib.Path('.hidden')).read()",
    "tf.gfile.GFile(os.getcwd()).read()",
    "pathlib.Path('bytes').write_bytes(b'\\xff\\xfe')",
    "tf.gfile.FastGFile('bytes', 'rb').read()",
    "tf.gfile.GFile('bytes').read()",
    "tf.gfile.Open is tf.gfile.GFile",
]
