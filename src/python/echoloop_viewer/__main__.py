"""python -m echoloop_viewer ...: the program echoloop."""
import os
import sys

from ._native import program

os.execv(program(), ["echoloop", *sys.argv[1:]])
