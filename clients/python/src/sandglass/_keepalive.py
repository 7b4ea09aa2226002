"""Lets the kernel notice when the other machine is gone, however long nothing is said."""

from __future__ import annotations

import socket
from typing import Any

_IDLE = 30
_BETWEEN = 10
_TIMES = 6


def keep_alive(connection: Any) -> None:
    """Sets what this system has for it; does nothing for what is no TCP connection."""
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", _IDLE), ("TCP_KEEPALIVE", _IDLE), ("TCP_KEEPINTVL", _BETWEEN), ("TCP_KEEPCNT", _TIMES)):
        option = getattr(socket, name, None)
        if option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
