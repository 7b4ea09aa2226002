package dev.sandglass.bench;

import dev.sandglass.bench.network.Caller;
import dev.sandglass.bench.network.Routed;
import dev.sandglass.bench.report.Measure;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.bench.report.Size;
import dev.sandglass.wire.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The measurements of the way into a sandbox: requests by a route beside direct ones, and what wakes it. */
final class Incoming {
    private static final int WARM_UP = 2;
    private static final int MOST_WAKES = 5;

    private final List<SandglassContender> contenders;
    private final Rounds rounds;
    private final int count;
    private final Size size;

    Incoming(List<Contender> contenders, Rounds rounds, int count, Size size) {
        this.contenders = contenders.stream().filter(SandglassContender.class::isInstance).map(SandglassContender.class::cast).toList();
        this.rounds = rounds;
        this.count = count;
        this.size = size;
    }

    /**
     * Measures it.
     *
     * @param runDir of the daemon
     * @return who took part, in the order in which they are shown
     */
    List<Who> run(Status status, Path runDir) throws IOException {
        URI address = URI.create(status.routeAddress());
        InetSocketAddress door = new InetSocketAddress(address.getHost(), address.getPort());
        List<Routed> open = new ArrayList<>();
        try {
            for (SandglassContender contender : contenders) {
                open.add(contender.routed(door, runDir));
            }
            List<Caller> callers = open.stream().flatMap(each -> each.callers().stream()).toList();
            List<Routed.Waker> wakers = open.stream().flatMap(each -> each.wakers().stream()).toList();
            Calls calls = new Calls(Measure.ROUTE_REQUEST, Measure.ROUTE_REQUESTS, count, size);
            rounds.run("requests by a route", 0.05, callers, calls.warmUp(), count, calls::inARow);
            rounds.run("requests by a route at once", 0.1, callers, Math.min(WARM_UP, count - 1), count, calls::atOnce);
            rounds.run("wake-ups", 0.1, wakers, Math.min(1, count - 1), Math.min(MOST_WAKES, count), (waker, laps) -> laps.lap(Measure.WAKE, waker.wake()));
            return Stream.<Rounds.Entrant>concat(callers.stream(), wakers.stream()).map(Rounds.Entrant::who).toList();
        } finally {
            open.forEach(Routed::close);
        }
    }
}
