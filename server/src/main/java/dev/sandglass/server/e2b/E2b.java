package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.server.e2b.envd.SandboxPlane;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Bearers;
import dev.sandglass.server.http.Call;
import dev.sandglass.server.http.HostNames;
import dev.sandglass.server.http.Plane;
import dev.sandglass.server.route.PortTraffic;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Everything that E2B clients ask for, on the port of the API. Thread-safe. */
public final class E2b implements Plane {
    private final Addresses addresses;
    private final SandboxPlane inside;
    private final ControlPlane control;

    /** @param domain below which each port of a sandbox has a host name, in lower case */
    public E2b(Engine engine, PortTraffic traffic, Bearers bearers, Access access, HostNames hosts, Optional<String> domain) {
        this.addresses = new Addresses(hosts, domain);
        this.inside = new SandboxPlane(engine, access, traffic);
        this.control = new ControlPlane(bearers, hosts, endpoints(engine, access, domain));
    }

    private static List<Endpoint> endpoints(Engine engine, Access access, Optional<String> domain) {
        Presentation presentation = new Presentation(access, domain);
        Visible visible = new Visible(engine.sandboxes());
        SnapshotNames snapshots = new SnapshotNames(engine.snapshots());
        TemplateNames templates = new TemplateNames(engine, snapshots);
        return Stream.of(
                        new SandboxEndpoints(engine.sandboxes(), new Creation(engine, templates), presentation, visible).all(),
                        new LifecycleEndpoints(engine.sandboxes(), presentation, visible).all(),
                        new SnapshotEndpoints(engine.sandboxes(), engine.snapshots(), snapshots, presentation, visible).all(),
                        new TemplateEndpoints(engine, templates, snapshots).all(),
                        new BuildEndpoints(engine, access, new TemplateRecipes(engine, templates)).all(),
                        new VolumeEndpoints(engine, access, domain).all(),
                        new VolumeContentEndpoints(engine, access).all(),
                        new UsageEndpoints(engine.usages(), engine.events(), visible).all())
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public String name() {
        return "e2b";
    }

    @Override
    public boolean takes(Call call) {
        return addresses.of(call).isPresent();
    }

    @Override
    public void serve(Call call) throws IOException, InterruptedException {
        switch (addresses.of(call).orElseThrow()) {
            case Address.Control() -> control.serve(call);
            case Address.Inside(String sandbox, int port) -> inside.serve(call, sandbox, port);
            case Address.Untold() -> inside.serve(call);
        }
    }

    @Override
    public void refuse(Call call, SandglassException problem) throws IOException {
        switch (addresses.of(call).orElseThrow()) {
            case Address.Control() -> ControlPlane.refuse(call, problem);
            case Address.Inside _, Address.Untold _ -> inside.refuse(call, problem);
        }
    }
}
