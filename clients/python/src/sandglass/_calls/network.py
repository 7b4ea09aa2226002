"""What a sandbox may reach, and the routes by which it is reached."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional

from ..models import NetworkAttempt, NetworkPolicy, RouteInfo, RouteLink
from .call import Call, all_of, given, nothing, of, path


def get_policy(sandbox: str) -> Call[NetworkPolicy]:
    return Call("GET", path("sandboxes", sandbox, "policy"), of(NetworkPolicy))


def set_policy(sandbox: str, policy: Mapping[str, Any]) -> Call[NetworkPolicy]:
    return Call("PUT", path("sandboxes", sandbox, "policy"), of(NetworkPolicy), body=policy)


def add_rule(sandbox: str, rule: str) -> Call[NetworkPolicy]:
    return Call("POST", path("sandboxes", sandbox, "policy", "rules"), of(NetworkPolicy), body={"rule": rule})


def attempts(sandbox: str, after: Optional[int], limit: int) -> Call[List[NetworkAttempt]]:
    query = given(after=after, limit=limit)
    return Call("GET", path("sandboxes", sandbox, "policy", "log"), all_of(NetworkAttempt, "attempts"), query)


def create_route(sandbox: str, body: Mapping[str, Any]) -> Call[RouteInfo]:
    return Call("POST", path("sandboxes", sandbox, "routes"), of(RouteInfo), body=body)


def list_routes(sandbox: str) -> Call[List[RouteInfo]]:
    return Call("GET", path("sandboxes", sandbox, "routes"), all_of(RouteInfo, "routes"))


def get_route(sandbox: str, route: str) -> Call[RouteInfo]:
    return Call("GET", path("sandboxes", sandbox, "routes", route), of(RouteInfo))


def delete_route(sandbox: str, route: str) -> Call[None]:
    return Call("DELETE", path("sandboxes", sandbox, "routes", route), nothing)


def link_route(sandbox: str, route: str, expires: Optional[int]) -> Call[RouteLink]:
    return Call("POST", path("sandboxes", sandbox, "routes", route, "link"), of(RouteLink), body=given(expires=expires))


def unlink_route(sandbox: str, route: str) -> Call[None]:
    return Call("DELETE", path("sandboxes", sandbox, "routes", route, "link"), nothing)


def link_port(sandbox: str, port: int, expires: Optional[int]) -> Call[RouteLink]:
    return Call("POST", path("sandboxes", sandbox, "ports", str(port), "link"), of(RouteLink), body=given(expires=expires))


def unlink_port(sandbox: str, port: int) -> Call[None]:
    return Call("DELETE", path("sandboxes", sandbox, "ports", str(port), "link"), nothing)
