#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""there.py ADDRESS: in the second of two guests: does what the first one says. Each connection to port
7000 brings one line, a command of bash; it gets the command's output and, in the last line, its status.
The line "end" is the end."""
import os
import socket
import subprocess
import sys
import threading


def serve(connection):
    with connection, connection.makefile("rw") as talk:
        line = talk.readline().strip()
        if line == "end":
            talk.write("0\n")
            talk.flush()
            os._exit(0)
        done = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        talk.write(f"{done.stdout}\n{done.returncode}\n")
        talk.flush()


def main():
    with socket.create_server((sys.argv[1], 7000)) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


main()
