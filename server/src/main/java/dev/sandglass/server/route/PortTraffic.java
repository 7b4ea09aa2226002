package dev.sandglass.server.route;

import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.engine.route.Access;
import dev.sandglass.engine.route.Route;
import dev.sandglass.engine.route.RoutePath;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.SandglassException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Passes requests on to ports of sandboxes without a route of theirs, for who has let them in already. Thread-safe. */
public final class PortTraffic {
    /** Headers that are for who stands before a sandbox. */
    private static final Set<String> OURS = Set.of("x-access-token", "e2b-traffic-access-token", "e2b-sandbox-id", "e2b-sandbox-port");
    /** Until a program begins its answer. */
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final RoutePath EVERYWHERE = new RoutePath("");

    private final LiveSandboxes sandboxes;
    private final Forwarding forwarding;
    private final Shares shares;

    PortTraffic(LiveSandboxes sandboxes, Forwarding forwarding, Shares shares) {
        this.sandboxes = sandboxes;
        this.forwarding = forwarding;
        this.shares = shares;
    }

    /**
     * Passes a request on, and its answer back. A sandbox that rests is woken if use is to wake it; {@code port_refused} when nothing listens there.
     *
     * @param host that the program sees instead of the one that was called
     * @param patient whether the program starts together with its sandbox, and is given time to listen
     */
    public void pass(Call call, SandboxId sandbox, int port, Optional<String> host, boolean patient) throws InterruptedException {
        boolean rests = sandboxes.isWokenByUse(sandbox);
        Route route = new Route(
                sandbox, Integer.toString(port), port, new Access.Public(), Set.of(), EVERYWHERE, Optional.empty(), Optional.empty(), Optional.empty(),
                PATIENCE, patient || rests, true, true, "", Instant.EPOCH);
        Pass pass = new Pass(route, call.path(), "", OURS, Optional.empty(), host);
        call.pass((request, response, callback, lingering) -> {
            Visit visit = new Visit(request, response, callback, lingering);
            Runnable leave = shares.take(sandbox);
            visit.atEnd(leave);
            try {
                forwarding.forward(visit, pass, leave);
            } catch (SandglassException | InterruptedException nothingAnswered) {
                leave.run();
                if (response.isCommitted()) {
                    visit.abort(nothingAnswered);
                    return;
                }
                throw nothingAnswered;
            }
        });
    }
}
