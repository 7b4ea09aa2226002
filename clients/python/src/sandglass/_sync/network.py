# Made of _async/network.py by tools/unasync.py: change that one.
"""What a sandbox may reach."""

from __future__ import annotations

from typing import List, Optional

from .._calls import network as calls
from .._calls.sandboxes import NetworkLike, policy
from ..models import NetworkAttempt, NetworkPolicy
from .client import Client


class Network:
    """What a sandbox may reach: ``sandbox.network``. A sandbox without a network (``none``) has no policy."""

    def __init__(self, client: Client, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    def get(self) -> NetworkPolicy:
        """The policy that is in force."""
        return self._client.do(calls.get_policy(self._sandbox))

    def set(self, network: NetworkLike) -> NetworkPolicy:
        """Puts another policy in force at once, and ends connections that it forbids."""
        return self._client.do(calls.set_policy(self._sandbox, policy(network)))

    def allow(self, what: str) -> NetworkPolicy:
        """Opens something, such as ``api.example.org:443``, ``*.example.org`` or ``@pip``, before all rules that there are."""
        return self._client.do(calls.add_rule(self._sandbox, "allow " + what))

    def deny(self, what: str) -> NetworkPolicy:
        """Closes something, before all rules that there are."""
        return self._client.do(calls.add_rule(self._sandbox, "deny " + what))

    def log(self, *, after: Optional[int] = None, limit: int = 100) -> List[NetworkAttempt]:
        """What it tried to reach, oldest first, behind the attempt with that id. ``allow`` of one tells what would open it."""
        return self._client.do(calls.attempts(self._sandbox, after, limit))
