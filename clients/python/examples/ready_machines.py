"""A machine is set up once, and each request gets a ready copy of it: with all that it has loaded, and nothing of the others."""

from __future__ import annotations

import time

from sandglass import Sandbox, Snapshot

SHOP = """
import http.server, json

PRICES = {f"item-{number}": number * 3 for number in range(200_000)}  # takes a while to load

class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(PRICES[self.path[1:]]).encode())

http.server.HTTPServer(("127.0.0.1", 8000), Shop).serve_forever()
"""
READY = "until curl -sf http://127.0.0.1:8000/item-1 > /dev/null; do sleep 0.05; done"


def set_up() -> Snapshot:
    """The machine as it is when it can serve."""
    with Sandbox.create(memory_mb=512) as machine:
        machine.files.write("/srv/shop.py", SHOP)
        machine.services.create("shop", ["python3", "/srv/shop.py"], port=8000)
        machine.commands.run(READY, check=True)
        return machine.create_snapshot(description="a shop with its prices loaded")


def handle(request: str, ready: Snapshot) -> str:
    """One request in a machine of its own."""
    begun = time.perf_counter()
    with Sandbox.create(snapshot_id=ready.snapshot_id, memory_mb=512) as machine:
        machine.commands.run(READY, check=True)  # at once where the snapshot has the processes
        price = machine.commands.run(["curl", "-sf", f"http://127.0.0.1:8000/{request}"], check=True).stdout
        machine.commands.run("echo sold >> /srv/sales")
        sales = machine.commands.run("wc -l < /srv/sales").stdout.strip()
        print(f"{request} costs {price}; sales in this machine: {sales} ({time.perf_counter() - begun:.2f} s)")
        return price


def main() -> None:
    ready = set_up()
    try:
        prices = [handle(f"item-{number}", ready) for number in (7, 70, 700)]
    finally:
        Sandbox.delete_snapshot(ready)
    print("prices:", ", ".join(prices))


if __name__ == "__main__":
    main()
