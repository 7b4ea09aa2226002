"""A web page gets a dark mode, and is turned back to before: under the same address, all of it, in a moment."""

from __future__ import annotations

from urllib.request import urlopen

from sandglass import Sandbox

PAGE = """<!doctype html>
<title>Notes</title>
<link rel="stylesheet" href="style.css">
<h1>Notes</h1>
<p>Buy milk.</p>
"""
STYLE = "body { font-family: sans-serif; background: white; color: black }\n"
DARK = """
sed -i 's/background: white; color: black/background: #111; color: #eee/' style.css
sed -i 's|</h1>|</h1><button>Light</button>|' index.html
rm -f /srv/backup.tar
"""


def show(url: str) -> str:
    """How the page looks to who visits it."""
    with urlopen(url + "style.css", timeout=60) as style, urlopen(url, timeout=60) as page:
        dark = b"#111" in style.read()
        button = b"<button>" in page.read()
    return f"{'dark' if dark else 'light'}, {'with' if button else 'without'} a button"


def main() -> None:
    with Sandbox.create(memory_mb=256) as sandbox:
        sandbox.files.write("/srv/notes/index.html", PAGE)
        sandbox.files.write("/srv/notes/style.css", STYLE)
        sandbox.commands.run("tar -cf /srv/backup.tar -C /srv notes", check=True)
        sandbox.services.create("notes", ["python3", "-m", "http.server", "8000", "--directory", "/srv/notes"], port=8000)
        sandbox.commands.run("until curl -sf -o /dev/null http://127.0.0.1:8000/; do sleep 0.05; done", check=True)
        url = sandbox.routes.create("notes", 8000, public=True).url
        print("before:", show(url))

        before = sandbox.create_snapshot()
        sandbox.commands.run(DARK, cwd="/srv/notes", check=True)
        print("after: ", show(url))

        sandbox.rewind(before)
        sandbox.commands.run("until curl -sf -o /dev/null http://127.0.0.1:8000/; do sleep 0.05; done", check=True)
        print("again: ", show(url))
        print("the backup is back too:", sandbox.files.exists("/srv/backup.tar"))
        Sandbox.delete_snapshot(before)


if __name__ == "__main__":
    main()
