"""Packs this package for pip (PEP 517 and 660). It needs nothing, so that ``pip install .`` works where no index is reached."""

from __future__ import annotations

import base64
import hashlib
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
NAME = "sandglass"
VERSION = "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"
_TIME = (2026, 1, 1, 0, 0, 0)

METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Sandboxes that can be frozen, copied and turned back in time
License: Apache-2.0
Requires-Python: >=3.9
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""

WHEEL = "Wheel-Version: 1.0\nGenerator: sandglass\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """A wheel with all of the package."""
    return _wheel(wheel_directory, dict(_sources()))


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """A wheel that only says where the package is."""
    return _wheel(wheel_directory, {f"{NAME}.pth": f"{ROOT / 'src'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The sources, so that they can be built elsewhere."""
    base = f"{NAME}-{VERSION}"
    with tarfile.open(Path(sdist_directory, f"{base}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        files = {path: ROOT / path for path in ("pyproject.toml", "README.md", "tools/backend.py", "tools/unasync.py")}
        files.update({f"src/{name}": ROOT / "src" / name for name, _ in _sources()})
        for name, path in sorted(files.items()):
            archive.add(path, f"{base}/{name}")
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        content = _metadata()
        info.size = len(content)
        archive.addfile(info, BytesIO(content))
    return f"{base}.tar.gz"


def _sources() -> Iterator[Tuple[str, bytes]]:
    for path in sorted((ROOT / "src" / NAME).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.relative_to(ROOT / "src").as_posix(), path.read_bytes()


def _metadata() -> bytes:
    return METADATA.encode() + (ROOT / "README.md").read_bytes()


def _wheel(directory: str, files: Dict[str, bytes]) -> str:
    files = {**files, f"{INFO}/METADATA": _metadata(), f"{INFO}/WHEEL": WHEEL.encode()}
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
