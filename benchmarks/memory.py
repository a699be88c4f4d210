"""How much memory saving, restoring and reading take beyond the tensors that are held: peak resident size of a process
of its own, interpreter and libraries included, less the bytes of the tensors.

Run: python benchmarks/memory.py [--megabytes 1000] [--limit 100] [--folder DIR] [TASK ...]

Exit code 1 where a task takes more than `--limit` MB beyond its tensors. The `url` tasks read from a web server and
write to an S3 store (moto), both in processes of their own; they need the extra `dev`. What the libraries for these
protocols take when they connect is told apart. Everything is removed afterwards.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Four tensors of a quarter each. `held` is how many bytes of tensors the task holds at a time.
START = """
import json, sys
import numpy as np
import icefloe
source, target, size, web, s3 = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
quarter = size // 4 // 4000
def values():
    # Different bytes on every page, made in place.
    out = {}
    for i in range(4):
        out[f"v{i}"] = np.empty((quarter, 1000), np.float32)
        out[f"v{i}"].reshape(-1)[:] = i
        out[f"v{i}"][:, 0] = np.arange(quarter)
    return out
held, client = size, 0
def connect(*urls):
    # What the clients of both protocols take by themselves, before any tensor: botocore's is 70 MB.
    global client
    before = resident()
    import fsspec
    for url in urls:
        fs, path = fsspec.core.url_to_fs(url)
        fs.exists(path)
    client = resident() - before
def resident(kind="VmRSS:"):
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(kind))
"""
END = """
print(json.dumps({"peak": resident("VmHWM:"), "held": held, "client": client}))
"""
GRAPH = """
def graph():
    for i in range(4):
        icefloe.get_variable(f"v{i}", (quarter, 1000), initializer=icefloe.zeros_initializer())
    return icefloe.train.Saver()
"""
TASKS = {
    "import": "held = 0",
    "save": "icefloe.save_checkpoint(target, values())",
    "save_sharded": "icefloe.save_checkpoint(target, values(), shards=4)",
    "saver_save": GRAPH
    + """
saver = graph()
with icefloe.Session() as session:
    loaded = values()
    while loaded:
        name, value = loaded.popitem()
        next(v for v in icefloe.global_variables() if v.op.name == name).load(value, session)
        del value
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")  # loading held a tensor twice
    saver.save(session, target)
""",
    "saver_restore": GRAPH + "saver = graph()\nwith icefloe.Session() as session: saver.restore(session, source)",
    "read": "reader = icefloe.open_checkpoint(source); found = {name: reader[name] for name in reader}",
    "read_one_by_one": """
held = size // 4
for value in icefloe.open_checkpoint(source).values():
    assert value[5, 0] == 5
    del value
""",
    "read_mmap": """
held = size  # pages of the file count as resident, though the system may take them back
reader = icefloe.open_checkpoint(source, mmap=True)
found = {name: reader[name] for name in reader}
""",
    "stream": """
held = 0
reader = icefloe.open_checkpoint(source)
for name in reader:
    for piece in reader.stream(name): pass
""",
    "convert_npz": "held = 0; icefloe.ckpt.convert(source, target + '.npz')",
    "convert_safetensors": "held = 0; icefloe.ckpt.convert(source, target + '.safetensors')",
    "report": "held = 0; icefloe.ckpt.report(source, target + '.html')",
    "url_read": "connect(web); reader = icefloe.open_checkpoint(web); found = {name: reader[name] for name in reader}",
    "url_verify": "held = 0; connect(web); assert icefloe.ckpt.verify(web).ok",
    "url_save": "connect(s3); icefloe.save_checkpoint(s3, values())",
    "url_copy": "held = 0; connect(web, s3); icefloe.ckpt.rename(web, s3, ['s,^v,w,'])",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all by default")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--limit", type=int, default=100, metavar="MB")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    size = arguments.megabytes * 1_000_000
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    tasks = arguments.tasks or list(TASKS)
    too_much = False
    try:
        source = folder / "source"
        run("save", "icefloe.save_checkpoint(source, values())", source, folder, size)
        with servers(folder) if any(t.startswith("url") for t in tasks) else contextlib.nullcontext(("", "")) as urls:
            for name in tasks:
                found = run(name, TASKS[name], source, folder, size, *urls)
                beyond = (found["peak"] - found["held"] - found["client"]) / 1e6
                too_much |= beyond > arguments.limit
                mark = f"  and the client's {found['client'] / 1e6:.0f} MB" if found["client"] else ""
                mark += "  more than allowed" if beyond > arguments.limit else ""
                print(f"{name:20} held {found['held'] / 1e6:6.0f} MB  beyond {beyond:5.0f} MB{mark}", flush=True)
    finally:
        shutil.rmtree(folder)
    return int(too_much)


def run(name: str, task: str, source: Path, folder: Path, size: int, web: str = "", s3: str = "") -> dict[str, int]:
    work = folder / "work"
    work.mkdir()
    command = [sys.executable, "-c", START + task + END, str(source), str(work / "m"), str(size), web, s3]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
        return found
    finally:
        shutil.rmtree(work)


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[tuple[str, str]]:
    """Start both servers, those of the tests; give URLs of the source on one and of a target on the other."""
    tests = ROOT / "tests"
    serve = (
        "import sys, pathlib; from remote.web import serve\n"
        "with serve(pathlib.Path(sys.argv[1])) as web: print(web.url, flush=True); sys.stdin.read()"
    )
    with (
        started([sys.executable, "-c", serve, str(folder)], {**os.environ, "PYTHONPATH": str(tests)}) as web,
        started([sys.executable, "-W", "ignore", str(tests / "remote" / "s3_server.py")], dict(os.environ)) as port,
    ):
        os.environ |= {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }
        make = "import fsspec; fsspec.filesystem('s3').mkdir('bucket')"
        subprocess.run([sys.executable, "-c", make], check=True)
        yield f"{web}/source", "s3://bucket/m"


@contextlib.contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[str]:
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


if __name__ == "__main__":
    sys.exit(main())
