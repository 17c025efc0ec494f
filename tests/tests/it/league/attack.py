"""A random mover that attacks the program of its opponent, whose number `target` has, and plays on."""

import os
import resource
import signal
import sys
import time

playing = os.fork()
if playing == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while os.waitpid(playing, os.WNOHANG) == (0, 0):
    time.sleep(0.01)
    try:
        target = int(open("target").read())
        resource.prlimit(target, resource.RLIMIT_CPU, (0, 0))
        os.kill(target, signal.SIGKILL)
    except (OSError, ValueError):
        pass
