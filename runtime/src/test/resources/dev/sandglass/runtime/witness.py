"""Holds one of everything that a full snapshot should keep, and answers each line of its input with what has become of it."""
import os, pty, select, socket, sys, threading, time

count = 0


def tick():
    global count
    while True:
        count += 1
        time.sleep(0.002)


threading.Thread(target=tick, daemon=True).start()
log = open("/workspace/log", "a")
deleted = open("/tmp/deleted", "w+")
deleted.write("kept")
deleted.flush()
os.unlink("/tmp/deleted")
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/door")
door.listen()
keyboard, terminal = pty.openpty()
watch = select.epoll()
watch.register(door, select.EPOLLIN)
print("ready", flush=True)
for line in sys.stdin:
    log.write(line)
    log.flush()
    visitor = socket.socket(socket.AF_UNIX)
    visitor.connect("/tmp/door")
    woken = [number for number, _ in watch.poll(10)] == [door.fileno()]
    door.accept()[0].close()
    os.write(keyboard, b"typed\n")
    typed = os.read(terminal, 100).decode().strip()
    os.read(keyboard, 100)
    deleted.seek(0)
    words = ",".join(open("/workspace/log").read().split())
    print(count, deleted.read(), typed, woken, threading.active_count(), words, flush=True)
