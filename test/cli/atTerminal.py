"""Runs a program on a pseudo-terminal and answers its questions.

atTerminal.py SCRIPT.json COLUMNS PROGRAM ARGS... ; the script is [[what to wait for, what to type], ...].
Prints everything the terminal showed, and exits with the program's code.
"""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

steps = json.load(open(sys.argv[1]))
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[2]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
shown, seen, deadline = "", 0, time.monotonic() + 90
plain = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.2)
    if ready:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk.decode("utf-8", "replace")
    text = plain.sub("", shown)
    if steps and not ready:
        at = text.find(steps[0][0], seen)
        if at >= 0:
            seen = at + len(steps[0][0])
            os.write(terminal, steps.pop(0)[1].encode())
else:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
sys.stdout.write(shown)
if steps:
    sys.stdout.write(f"\nNOT ASKED: {steps[0][0]}\n")
sys.exit(os.waitstatus_to_exitcode(status))
