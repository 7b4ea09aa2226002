package dev.sandglass.server.api;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.route.Entrance;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Router;
import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.Status;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Puts the native API together. */
public final class Api {
    private Api() {}

    /**
     * A router that serves every operation of the description, no more and no less.
     *
     * @param entrance where routes are reached
     * @param others handlers of operations that the description has, and that are served elsewhere
     */
    public static Router router(Engine engine, Traffic traffic, Supplier<Status> status, Supplier<Entrance> entrance, Map<String, Handler> others) {
        engine.sandboxes().stopwatch().watch(traffic::done);
        Contract contract = Contract.ofApi();
        Map<String, Handler> handlers = new HashMap<>(others);
        handlers.putAll(new StatusRoutes(status, contract).handlers());
        OperationRoutes operations = new OperationRoutes(engine.operations());
        handlers.putAll(operations.handlers());
        handlers.putAll(new SandboxRoutes(engine.sandboxes(), operations).handlers());
        handlers.putAll(new PolicyRoutes(engine.sandboxes(), engine.journeys(), EventRoutes.HEARTBEAT).handlers());
        handlers.putAll(new CredentialRoutes(engine.credentials(), engine.budgets(), engine.sandboxes()).handlers());
        handlers.putAll(new RouteRoutes(engine.routes(), entrance).handlers());
        handlers.putAll(new PortRoutes(engine.ports()).handlers());
        handlers.putAll(new SnapshotRoutes(engine.snapshots()).handlers());
        handlers.putAll(new AncestryRoutes(engine.ancestry()).handlers());
        handlers.putAll(new DiffRoutes(engine.differences()).handlers());
        handlers.putAll(new SnapshotFileRoutes(engine.archives()).handlers());
        handlers.putAll(new CommandRoutes(engine.commands()).handlers());
        handlers.putAll(new OutputRoutes(engine.sandboxes(), engine.commands(), contract).handlers());
        handlers.putAll(new ServiceRoutes(engine.services()).handlers());
        handlers.putAll(new FileRoutes(engine.files()).handlers());
        handlers.putAll(new ArchiveRoutes(engine.files()).handlers());
        handlers.putAll(new VolumeRoutes(engine.volumes(), engine.volumeFiles(), engine.sandboxes(), engine.files()).handlers());
        handlers.putAll(new EventRoutes(engine.events(), EventRoutes.HEARTBEAT).handlers());
        handlers.putAll(new StatsRoutes(engine.usages()).handlers());
        handlers.putAll(new BuildRoutes(engine.builds(), engine.provisioning()).handlers());
        handlers.putAll(new TemplateRoutes(engine.templates()).handlers());
        handlers.putAll(new PoolRoutes(engine.pools()).handlers());
        handlers.putAll(new SnapshotConfigRoutes(engine.templates().configs(), engine.builds()).handlers());
        handlers.putAll(new MetricRoutes(engine, traffic, status).handlers());
        handlers.putAll(new KeyRoutes(engine.keys()).handlers());
        handlers.putAll(new ImageRoutes(engine.images(), operations).handlers());
        return new Router(contract.operations(), handlers);
    }
}
