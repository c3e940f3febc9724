"""python farm.py DATA OUT [SCHEDULER]: `echoloop render` of all recordings below DATA on the workers of Dask.

Without the address of a scheduler: on two workers of this machine. Needs `pip install distributed`, the command
echoloop on every worker, and DATA and OUT under the same names there. Started again, it makes what is missing.
"""
import pathlib
import subprocess
import sys

from distributed import Client, LocalCluster, as_completed

ENDINGS = {".uff", ".mat", ".hdf5", ".h5", ".rff"}


def render(source, data, out):
    """Returns the complaint about a bad recording, or "". Raises after a fault: another attempt may work."""
    ended = subprocess.run(["echoloop", "render", source, "--root", data, "--out", out], capture_output=True, text=True)
    if ended.returncode not in (0, 2):
        raise RuntimeError(ended.stderr.strip() or f"echoloop ended with {ended.returncode}")
    return ended.stderr.strip() if ended.returncode == 2 else ""


def main(data, out, scheduler=None):
    sources = sorted(str(file) for file in pathlib.Path(data).rglob("*") if file.suffix in ENDINGS)
    cluster = scheduler or LocalCluster(n_workers=2, threads_per_worker=1)
    status = 0
    with Client(cluster) as client:
        tasks = {client.submit(render, source, data, out, retries=2): source for source in sources}
        for task in as_completed(tasks):
            complaint = str(task.exception() or task.result())
            status = 1 if task.status == "error" else status or (2 if complaint else 0)
            print(tasks[task], complaint or "made")
    return status


if __name__ == "__main__":  # LocalCluster starts this file again in each worker
    sys.exit(main(*sys.argv[1:]))
