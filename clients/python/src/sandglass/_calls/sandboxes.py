"""Sandboxes: their life, and what is known of them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .._reading import record
from ..errors import SandglassError, error_of, invalid
from ..models import Diff, HistoryStep, NetworkPolicy, SandboxInfo, SandboxStats, VolumeMount, plain
from .call import LONG, Call, all_of, given, labels, nothing, of, page_of, path

NetworkLike = Union[str, Mapping[str, Any], NetworkPolicy]
"""What a sandbox may reach: a preset (``none``, ``open``, ``package-registries``), or a policy."""

VolumesLike = Union[Mapping[str, str], Sequence[Union[VolumeMount, Mapping[str, str]]]]
"""The volumes of a sandbox: where it has which one, or a list of mounts."""


def policy(network: NetworkLike) -> Mapping[str, Any]:
    """A policy as it is sent."""
    if isinstance(network, str):
        return {"preset": network}
    return plain(network) if isinstance(network, NetworkPolicy) else network


def mounts(volumes: Optional[VolumesLike]) -> Optional[List[Mapping[str, Any]]]:
    """VolumesLike as they are sent."""
    if volumes is None:
        return None
    if isinstance(volumes, Mapping):
        return [{"volume": volume, "path": where} for where, volume in volumes.items()]
    return [plain(each) if isinstance(each, VolumeMount) else each for each in volumes]


def creation(
    template: Optional[str], snapshot_id: Optional[str], network: Optional[NetworkLike], volumes: Optional[VolumesLike], **fields: Any
) -> Mapping[str, Any]:
    """What is asked for by whoever makes a sandbox."""
    if template is not None and snapshot_id is not None:
        raise invalid("template, snapshot_id: both are given (expected: one of them)", "A sandbox begins with one of them.")
    return given(
        template=template,
        network=None if network is None else policy(network),
        volumes=mounts(volumes),
        **{"from": snapshot_id},
        **fields,
    )


def create(body: Mapping[str, Any]) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes"), of(SandboxInfo), body=body, once=True, patience=LONG)


def create_later(body: Mapping[str, Any]) -> Call[str]:
    """Begins to make a sandbox; the answer is the operation's id."""
    return Call("POST", path("sandboxes"), lambda answer: str(answer["id"]), {"wait": False}, body, once=True)


def follow_operation(operation: str) -> Call[None]:
    return Call("GET", path("operations", operation), nothing, accept="text/event-stream", patience=LONG)


def wait_for_operation(operation: str) -> Call[Any]:
    return Call("POST", path("operations", operation, "wait"), lambda answer: answer, {"timeout_ms": 60_000})


def made(operation: Mapping[str, Any]) -> Optional[SandboxInfo]:
    """The sandbox of an operation that has ended; nothing while it is at work."""
    if operation.get("error"):
        problem = operation["error"]
        raise error_of(problem["code"], problem["message"], problem["hint"])
    if operation["state"] == "running":
        return None
    if not operation.get("sandbox"):
        raise SandglassError("internal", f"The operation {operation['id']} ended without a sandbox", "See `sandglass ls`.")
    return record(SandboxInfo, operation["sandbox"])


def get(sandbox: str) -> Call[SandboxInfo]:
    return Call("GET", path("sandboxes", sandbox), of(SandboxInfo))


def page(
    cursor: Optional[str], limit: int, metadata: Optional[Mapping[str, str]], state: Optional[Sequence[str]], name: Optional[str]
) -> Call[Tuple[List[SandboxInfo], Optional[str]]]:
    query = given(cursor=cursor, limit=limit, label=labels(metadata), state=list(state) if state else None, name=name)
    return Call("GET", path("sandboxes"), page_of(SandboxInfo, "sandboxes"), query)


def update(sandbox: str, body: Mapping[str, Any]) -> Call[SandboxInfo]:
    return Call("PATCH", path("sandboxes", sandbox), of(SandboxInfo), body=body)


def destroy(sandbox: str) -> Call[None]:
    return Call("DELETE", path("sandboxes", sandbox), nothing)


def pause(sandbox: str, disk_only: bool) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes", sandbox, "pause"), of(SandboxInfo), body={"disk_only": disk_only}, patience=LONG)


def resume(sandbox: str) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes", sandbox, "resume"), of(SandboxInfo), patience=LONG)


def stop(sandbox: str, grace: float) -> Call[SandboxInfo]:
    query = {"grace_ms": int(grace * 1000)}
    return Call("POST", path("sandboxes", sandbox, "stop"), of(SandboxInfo), query, patience=grace + LONG)


def start(sandbox: str) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes", sandbox, "start"), of(SandboxInfo), patience=LONG)


def refresh(sandbox: str) -> Call[SandboxInfo]:
    return Call("POST", path("sandboxes", sandbox, "refresh"), of(SandboxInfo))


def rewind(sandbox: str, snapshot: Optional[str], disk_only: bool) -> Call[SandboxInfo]:
    body: Mapping[str, Any] = {"undo": True} if snapshot is None else {"snapshot": snapshot, "disk_only": disk_only}
    return Call("POST", path("sandboxes", sandbox, "rewind"), of(SandboxInfo), body=body, patience=LONG)


def _forked(answer: Any) -> List[SandboxInfo]:
    return [record(SandboxInfo, each) for each in answer["sandboxes"]]


def fork(sandbox: str, body: Mapping[str, Any]) -> Call[List[SandboxInfo]]:
    return Call("POST", path("sandboxes", sandbox, "fork"), _forked, body=body, once=True, patience=LONG)


def fork_snapshot(snapshot: str, body: Mapping[str, Any]) -> Call[List[SandboxInfo]]:
    return Call("POST", path("snapshots", snapshot, "fork"), _forked, body=body, once=True, patience=LONG)


def stats(sandbox: str) -> Call[SandboxStats]:
    return Call("GET", path("sandboxes", sandbox, "stats"), of(SandboxStats))


def history(sandbox: str) -> Call[List[HistoryStep]]:
    return Call("GET", path("sandboxes", sandbox, "history"), all_of(HistoryStep, "steps"))


def diff(before: Optional[str], after: str, text: bool) -> Call[Diff]:
    return Call("GET", path("diff"), of(Diff), given(**{"from": before, "to": after, "text": text}))


def status() -> Call[Dict[str, Any]]:
    return Call("GET", path("status"), dict)
