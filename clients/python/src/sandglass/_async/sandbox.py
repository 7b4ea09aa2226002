"""Sandboxes."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .._calls import sandboxes as calls
from .._calls.call import given
from .._calls.sandboxes import NetworkLike, VolumesLike, mounts
from .._lines import Events
from ..errors import SandboxNotFoundError
from ..models import SandboxInfo, SandboxStats
from .client import AsyncClient, client_of
from .commands import AsyncCommands
from .concurrency import Told, tell
from .files import AsyncFiles
from .network import AsyncNetwork
from .paging import MOST, AsyncPaginator
from .pty import AsyncPty
from .race import Attempt, AsyncRace, AsyncRaceResult
from .routes import AsyncRoutes
from .services import AsyncServices
from .snapshots import AsyncSnapshots, Which, snapshot_named
from .volumes import AsyncVolumes
S = TypeVar("S", bound="AsyncSandbox")


class AsyncSandbox(AsyncSnapshots):
    """An isolated machine: made by :meth:`create`, found again by :meth:`connect`.

    It stays until it is destroyed: by :meth:`kill`, at the end of an ``async with`` block, or by its own timeout if it has one.
    """

    def __init__(self, client: AsyncClient, info: SandboxInfo) -> None:
        super().__init__(client, info)
        self.commands = AsyncCommands(client, info.sandbox_id)
        """Run commands in it."""
        self.files = AsyncFiles(client, info.sandbox_id)
        """Read, write, list, watch and copy its files."""
        self.pty = AsyncPty(client, info.sandbox_id)
        """Run commands with a terminal."""
        self.services = AsyncServices(client, info.sandbox_id)
        """Have commands supervised."""
        self.routes = AsyncRoutes(client, info.sandbox_id)
        """Let HTTP requests from outside in to its ports."""
        self.network = AsyncNetwork(client, info.sandbox_id)
        """Say what it may reach."""
        self.volumes = AsyncVolumes(client, info.sandbox_id)
        """Give it directories that outlive it."""

    @property
    def sandbox_id(self) -> str:
        """Its id, such as ``sbx-0123456789ab``. It stays the same, also when the sandbox is turned back or renamed."""
        return self._id

    @property
    def name(self) -> str:
        """Its name, as far as this program knows."""
        return self._info.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self._id}>"

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.kill()

    @classmethod
    async def create(
        cls: Type[S],
        template: Optional[str] = None,
        *,
        snapshot_id: Optional[str] = None,
        image: Optional[str] = None,
        name: Optional[str] = None,
        timeout: Optional[int] = None,
        envs: Optional[Mapping[str, str]] = None,
        metadata: Optional[Mapping[str, str]] = None,
        network: Optional[NetworkLike] = None,
        volumes: Optional[VolumesLike] = None,
        volumes_from: Optional[str] = None,
        credentials: Optional[Sequence[str]] = None,
        runtime: Optional[str] = None,
        security: Optional[str] = None,
        memory_mb: Optional[int] = None,
        cpus: Optional[float] = None,
        disk_mb: Optional[int] = None,
        max_processes: Optional[int] = None,
        cap_add: Optional[Sequence[str]] = None,
        cap_drop: Optional[Sequence[str]] = None,
        user: Optional[str] = None,
        workdir: Optional[str] = None,
        disk_only: Optional[bool] = None,
        on_timeout: Optional[str] = None,
        ttl: Optional[int] = None,
        hard_ttl: Optional[int] = None,
        linger: Optional[bool] = None,
        auto_resume: Optional[bool] = None,
        checkpoint_every: Optional[int] = None,
        keep_checkpoints: Optional[int] = None,
        restart: Optional[str] = None,
        on_step: Optional[Callable[[str], Told]] = None,
        client: Optional[AsyncClient] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> S:
        """Makes a sandbox, and returns when it runs.

        It begins with a ``template`` (built on first use), a snapshot (``snapshot_id``: its id or name), an ``image``, or else the
        base image. ``envs`` are variables of all its commands, ``metadata`` are labels by which it is found again. ``network`` is a
        preset (``"none"``, ``"open"``, ``"package-registries"``) or a policy, ``volumes`` says where it has which volume
        (``{"/data": "my-volume"}``) or is a list of mounts. ``timeout`` is after how many seconds it is destroyed, or paused
        if ``on_timeout`` is ``"pause"``; ``ttl`` after how many unused ones it is paused, ``hard_ttl`` after how many it is
        destroyed whatever happens; without them it stays. ``on_step`` is told what is being done when that takes a while.

        The daemon is found by ``client``, or ``url`` and ``api_key``, then ``SANDGLASS_URL`` and ``SANDGLASS_API_KEY``, then by
        the local socket and token file.
        """
        used = client_of(client, url, api_key)
        body = calls.creation(
            template,
            snapshot_id,
            network,
            volumes,
            image=image,
            name=name,
            timeout=timeout,
            env=envs and dict(envs),
            labels=metadata and dict(metadata),
            volumes_from=volumes_from,
            credentials=credentials and list(credentials),
            runtime=runtime,
            security=security,
            memory_mb=memory_mb,
            cpus=cpus,
            disk_mb=disk_mb,
            max_processes=max_processes,
            cap_add=cap_add and list(cap_add),
            cap_drop=cap_drop and list(cap_drop),
            user=user,
            workdir=workdir,
            disk_only=disk_only,
            on_timeout=on_timeout,
            ttl=ttl,
            hard_ttl=hard_ttl,
            linger=linger,
            auto_resume=auto_resume,
            checkpoint_every=checkpoint_every,
            keep_checkpoints=keep_checkpoints,
            restart=restart,
        )
        if on_step is None:
            return cls(used, await used.do(calls.create(body)))
        operation = await used.do(calls.create_later(body))
        return cls(used, await _followed(used, operation, on_step))

    @classmethod
    async def connect(
        cls: Type[S], sandbox: str, *, client: Optional[AsyncClient] = None, url: Optional[str] = None, api_key: Optional[str] = None
    ) -> S:
        """A sandbox that is there, by its id or name. One that is paused or stopped goes on."""
        used = client_of(client, url, api_key)
        info = await used.do(calls.get(sandbox))
        if info.state in ("paused", "resuming"):
            info = await used.do(calls.resume(info.sandbox_id))
        elif info.state in ("stopped", "starting", "stopping"):
            info = await used.do(calls.start(info.sandbox_id))
        return cls(used, info)

    @staticmethod
    def list(
        *,
        metadata: Optional[Mapping[str, str]] = None,
        state: Optional[Sequence[str]] = None,
        name: Optional[str] = None,
        limit: int = MOST,
        client: Optional[AsyncClient] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> AsyncPaginator[SandboxInfo]:
        """All sandboxes that have that metadata, one of those states and a name that begins so; oldest first, in pages of ``limit``."""
        states = [state] if isinstance(state, str) else state
        return AsyncPaginator(
            client_of(client, url, api_key), lambda cursor, most: calls.page(cursor, most, metadata, states, name), limit
        )

    async def kill(
        self: Union[AsyncSandbox, str],
        *,
        client: Optional[AsyncClient] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> None:
        """Destroys it; fine if it is gone. ``AsyncSandbox.kill("name")`` destroys one by its name or id."""
        if isinstance(self, str):
            await client_of(client, url, api_key).do(calls.destroy(self))
        else:
            await self._client.do(calls.destroy(self._id))

    async def get_info(self) -> SandboxInfo:
        """All that is known of it now."""
        return await self._take(calls.get(self._id))

    async def is_running(self) -> bool:
        """Whether it runs; not if it is gone."""
        try:
            return (await self.get_info()).state == "running"
        except SandboxNotFoundError:
            return False

    async def update(
        self,
        *,
        name: Optional[str] = None,
        metadata: Optional[Mapping[str, Optional[str]]] = None,
        memory_mb: Optional[int] = None,
        cpus: Optional[float] = None,
        disk_mb: Optional[int] = None,
        max_processes: Optional[int] = None,
        timeout: Optional[int] = None,
        on_timeout: Optional[str] = None,
        ttl: Optional[int] = None,
        hard_ttl: Optional[int] = None,
        auto_resume: Optional[bool] = None,
        checkpoint_every: Optional[int] = None,
        keep_checkpoints: Optional[int] = None,
        restart: Optional[str] = None,
    ) -> SandboxInfo:
        """Changes what is given; times count from now, and 0 is never. Of ``metadata`` what is ``None`` is removed."""
        body = given(
            name=name,
            labels=metadata and dict(metadata),
            memory_mb=memory_mb,
            cpus=cpus,
            disk_mb=disk_mb,
            max_processes=max_processes,
            timeout=timeout,
            on_timeout=on_timeout,
            ttl=ttl,
            hard_ttl=hard_ttl,
            auto_resume=auto_resume,
            checkpoint_every=checkpoint_every,
            keep_checkpoints=keep_checkpoints,
            restart=restart,
        )
        return await self._take(calls.update(self._id, body))

    async def set_timeout(self, timeout: int) -> None:
        """Lets it be destroyed, or paused, so many seconds from now; never if that is 0."""
        await self.update(timeout=timeout)

    async def refresh(self) -> SandboxInfo:
        """Lets its timeout, ttl and hard_ttl begin anew."""
        return await self._take(calls.refresh(self._id))

    async def pause(self, *, disk_only: bool = False) -> None:
        """Keeps its processes and memory on the disk and frees what they used. ``disk_only`` ends them: not every runtime keeps them."""
        await self._take(calls.pause(self._id, disk_only))

    async def resume(self) -> None:
        """Lets it go on where it was paused; fine if it runs."""
        await self._take(calls.resume(self._id))

    async def stop(self, *, grace: float = 10.0) -> None:
        """Ends all its processes, by force after so many seconds, and keeps its disk."""
        await self._take(calls.stop(self._id, grace))

    async def start(self) -> None:
        """Starts it anew on its disk; fine if it runs."""
        await self._take(calls.start(self._id))

    async def get_host(self, port: int) -> str:
        """Under which host one of its ports is reached from outside, such as ``8080-sbx0123456789ab.sandglass.localhost:7071``.

        What lets requests in there is a route to the port, or a link: see ``routes.create`` and ``routes.link``.
        """
        return await self._client.host_of(port, self._id)

    async def stats(self) -> SandboxStats:
        """What it uses now, may use, and used in the last minutes."""
        return await self._client.do(calls.stats(self._id))

    async def fork(
        self: S,
        count: int = 1,
        *,
        name: Optional[str] = None,
        envs: Optional[Mapping[str, str]] = None,
        metadata: Optional[Mapping[str, str]] = None,
        memory_mb: Optional[int] = None,
        cpus: Optional[float] = None,
        timeout: Optional[int] = None,
        disk_only: Optional[bool] = None,
        volumes: Optional[VolumesLike] = None,
        volumes_from: Optional[str] = None,
    ) -> List[S]:
        """Makes copies of it from one moment, with their processes where its runtime can. It goes on; all of them are made, or none.

        They are called ``name``, or ``name-1`` and so on. What they do from then on, neither it nor the others see.
        """
        body = _forking(count, name, envs, metadata, memory_mb, cpus, timeout, disk_only, volumes, volumes_from)
        return [type(self)(self._client, info) for info in await self._client.do(calls.fork(self._id, body))]

    @classmethod
    async def fork_snapshot(
        cls: Type[S],
        snapshot: Which,
        count: int = 1,
        *,
        name: Optional[str] = None,
        envs: Optional[Mapping[str, str]] = None,
        metadata: Optional[Mapping[str, str]] = None,
        memory_mb: Optional[int] = None,
        cpus: Optional[float] = None,
        timeout: Optional[int] = None,
        disk_only: Optional[bool] = None,
        volumes: Optional[VolumesLike] = None,
        volumes_from: Optional[str] = None,
        client: Optional[AsyncClient] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> List[S]:
        """Makes copies that begin with a snapshot, all of them or none."""
        used = client_of(client, url, api_key)
        body = _forking(count, name, envs, metadata, memory_mb, cpus, timeout, disk_only, volumes, volumes_from)
        return [cls(used, info) for info in await used.do(calls.fork_snapshot(snapshot_named(snapshot), body))]

    async def race(
        self,
        *attempts: Attempt[AsyncSandbox],
        count: Optional[int] = None,
        name: Optional[str] = None,
        score: Optional[str] = None,
        timeout: Optional[float] = None,
        envs: Optional[Mapping[str, str]] = None,
    ) -> AsyncRaceResult[AsyncSandbox]:
        """Lets copies of it try something at once, keeps the best of them and destroys the others.

        Several ``attempts`` are tried by one copy each; a single one is tried by ``count`` copies, 2 if absent. An attempt is a
        command, as of ``commands.run``, that succeeds if it ends with 0, or a function that gets the copy and succeeds if it
        neither fails nor returns ``False``. Each command finds its number in ``SANDGLASS_BRANCH``, from 1, and is killed after
        ``timeout`` seconds, if that is given.

        The first success wins. With ``score``, a line of shell that prints a number in each copy that succeeded, all are waited
        for, and the highest wins.
        """
        race = AsyncRace(attempts, count, score, timeout, envs)
        return await race.run(await self.fork(race.count, name=race.name_of(name)))

    @classmethod
    async def race_snapshot(
        cls,
        snapshot: Which,
        *attempts: Attempt[AsyncSandbox],
        count: Optional[int] = None,
        name: Optional[str] = None,
        score: Optional[str] = None,
        timeout: Optional[float] = None,
        envs: Optional[Mapping[str, str]] = None,
        client: Optional[AsyncClient] = None,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
    ) -> AsyncRaceResult[AsyncSandbox]:
        """As :meth:`race`, with copies that begin with a snapshot."""
        race = AsyncRace(attempts, count, score, timeout, envs)
        copies = await cls.fork_snapshot(
            snapshot, race.count, name=race.name_of(name), client=client, url=url, api_key=api_key
        )
        return await race.run(copies)

def _forking(
    count: int,
    name: Optional[str],
    envs: Optional[Mapping[str, str]],
    metadata: Optional[Mapping[str, str]],
    memory_mb: Optional[int],
    cpus: Optional[float],
    timeout: Optional[int],
    disk_only: Optional[bool],
    volumes: Optional[VolumesLike],
    volumes_from: Optional[str],
) -> Mapping[str, Any]:
    return given(
        count=count,
        name=name,
        env=envs and dict(envs),
        labels=metadata and dict(metadata),
        memory_mb=memory_mb,
        cpus=cpus,
        timeout=timeout,
        disk_only=disk_only,
        volumes=mounts(volumes),
        volumes_from=volumes_from,
    )


async def _followed(client: AsyncClient, operation: str, on_step: Callable[[str], Told]) -> SandboxInfo:
    """The sandbox of an operation when it runs; its steps are told meanwhile."""
    events = Events()
    answer = await client.stream(calls.follow_operation(operation))
    told = ""
    try:
        piece = await answer.piece()
        while piece:
            for _, state in events.feed(piece):
                step = state.get("step") or ""
                if step and step != told:
                    told = step
                    await tell(on_step, step)
            piece = await answer.piece()
    finally:
        answer.close()
    while True:
        made = calls.made(await client.do(calls.wait_for_operation(operation)))
        if made is not None:
            return made
