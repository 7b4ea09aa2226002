"""Entries for HTTP requests from outside."""

from __future__ import annotations

from typing import List, Mapping, Optional, Sequence, Union

from .._calls import network as calls
from .._calls.call import given
from ..models import RouteInfo, RouteLink
from .client import AsyncClient


class AsyncRoutes:
    """The routes to the ports of a sandbox: ``sandbox.routes``."""

    def __init__(self, client: AsyncClient, sandbox_id: str) -> None:
        self._client = client
        self._sandbox = sandbox_id

    async def create(
        self,
        name: str,
        port: int,
        *,
        public: bool = False,
        auth: Optional[str] = None,
        header: Optional[str] = None,
        secret: Optional[str] = None,
        methods: Optional[Sequence[str]] = None,
        path_prefix: Optional[str] = None,
        rewrite: Optional[str] = None,
        cors: Optional[Mapping[str, Union[bool, Sequence[str]]]] = None,
        rate: Optional[Mapping[str, int]] = None,
        timeout: Optional[int] = None,
        resume: Optional[bool] = None,
        websocket: Optional[bool] = None,
        forwarded: Optional[bool] = None,
    ) -> RouteInfo:
        """Lets requests in to a port. Unless it is ``public``, they need the ``secret``: it is drawn, and told here alone, if none
        is given. ``resume`` lets a request wake the sandbox."""
        body = given(
            name=name,
            port=port,
            access="public" if public else "private",
            auth=auth,
            header=header,
            secret=secret,
            methods=methods and list(methods),
            path_prefix=path_prefix,
            rewrite=rewrite,
            cors=cors,
            rate=rate,
            timeout=timeout,
            resume=resume,
            websocket=websocket,
            forwarded=forwarded,
        )
        return await self._client.do(calls.create_route(self._sandbox, body))

    async def list(self) -> List[RouteInfo]:
        """All of them, by name."""
        return await self._client.do(calls.list_routes(self._sandbox))

    async def get(self, name: str) -> RouteInfo:
        """One of them."""
        return await self._client.do(calls.get_route(self._sandbox, name))

    async def remove(self, name: str) -> None:
        """Lets nobody in by it any more."""
        await self._client.do(calls.delete_route(self._sandbox, name))

    async def link(self, route: Union[str, int], *, expires: Optional[int] = None) -> RouteLink:
        """A URL that lets in whoever has it: by a route, or to a port for which there need be none. It expires after so many
        seconds, an hour if absent."""
        if isinstance(route, int):
            return await self._client.do(calls.link_port(self._sandbox, route, expires))
        return await self._client.do(calls.link_route(self._sandbox, route, expires))

    async def unlink(self, route: Union[str, int]) -> None:
        """Makes all links to a route or a port worthless."""
        if isinstance(route, int):
            await self._client.do(calls.unlink_port(self._sandbox, route))
        else:
            await self._client.do(calls.unlink_route(self._sandbox, route))
