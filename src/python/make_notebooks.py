"""make_notebooks.py OUT_FOLDER FILES.py: notebooks of scripts whose cells begin with "# %%", or "# %% [markdown]"."""
import json
import pathlib
import sys


def notebook(text):
    cells = []
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        lines = body.strip("\n").splitlines(keepends=True)
        if head.strip() == "[markdown]":
            cells.append({"cell_type": "markdown", "metadata": {}, "source": [line[2:] for line in lines if line[0] == "#"]})
        else:
            cells.append({"cell_type": "code", "metadata": {}, "source": lines, "outputs": [], "execution_count": None})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": kernel}, "cells": cells}


if __name__ == "__main__":
    for file in map(pathlib.Path, sys.argv[2:]):
        made = json.dumps(notebook(file.read_text("utf-8")), indent=1, ensure_ascii=False)
        pathlib.Path(sys.argv[1], file.stem + ".ipynb").write_text(made + "\n", "utf-8")
