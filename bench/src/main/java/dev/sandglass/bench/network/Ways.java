package dev.sandglass.bench.network;

import dev.sandglass.bench.report.Results.Part;
import dev.sandglass.bench.report.Results.Who;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.linux.Trees;
import dev.sandglass.network.egress.Gateway;
import dev.sandglass.network.egress.Outside;
import dev.sandglass.network.egress.Secrets;
import dev.sandglass.network.egress.World;
import dev.sandglass.network.intercept.Authorities;
import dev.sandglass.network.pair.Gate;
import dev.sandglass.network.pair.Pair;
import dev.sandglass.network.pair.Pairs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * All ways, and what they lead to. The servers are in the gateway's namespace of one pair, to which every address belongs; the relay listens there too, for the client at the other end of that
 * pair's link. The gateway is the daemon's, in this process, between another pair and that namespace.
 */
public final class Ways implements AutoCloseable {
    private static final String FAMILY = "network";
    private static final Who PLAIN = new Who("direct", FAMILY, Part.BASELINE);
    private static final Who RELAYED = new Who("socat", FAMILY, Part.BASELINE);
    private static final Who STREAMED = new Who("sandglass gateway", FAMILY, Part.OURS);
    private static final Who PASSED = new Who("sandglass passed through", FAMILY, Part.OURS);
    private static final Who INSPECTED = new Who("sandglass looked into", FAMILY, Part.OURS);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final SandboxId OUTER = new SandboxId("sbx-benchservers");
    private static final SandboxId INNER = new SandboxId("sbx-benchgateway");
    /** A name that is looked up before it is dialed is not what is measured, so there is none. */
    private static final InetSocketAddress NO_RESOLVER = new InetSocketAddress("203.0.113.53", 53);

    private final Owned owned = new Owned();
    private final Pair outer;
    private final Pair inner;
    private final List<String> notes = new ArrayList<>();
    private boolean relays;

    /**
     * @param runDir of the daemon, in whose mount namespace the process is
     * @param megabytes of each stream
     */
    public Ways(Path runDir, int megabytes) throws IOException {
        try {
            Path directory = Files.createDirectories(runDir.resolve("bench-net"));
            owned.add(() -> Trees.remove(directory));
            Pairs pairs = Pairs.open(directory.resolve("pairs"), 0);
            owned.add(pairs::close);
            Gate given = take(owned, pairs, OUTER);
            given.close(); // the relay takes its place
            outer = given.pair();
            Gate gate = take(owned, pairs, INNER);
            owned.add(gate::close);
            inner = gate.pair();
            ServerKey key = ServerKey.make(Files.createTempDirectory(directory, "key"), Servers.ADDRESS);
            Servers servers = new Servers(outer.gateway(), key.identity(), (long) megabytes << 20);
            owned.add(servers::close);
            World world = new Outside(Optional.of(outer.gateway()), List.of(NO_RESOLVER), Optional.of(key.certificate()), List.of()).world();
            owned.add(world.interception()::close);
            Gateway gateway = new Gateway(INNER, gate, Authorities.at(directory.resolve("key")).of("bench"), policy(), Secrets.NONE, world, _ -> {}).open();
            owned.add(gateway::close);
            relay();
        } catch (IOException | RuntimeException problem) {
            giveUp(owned, problem);
            throw problem;
        }
    }

    private static Gate take(Owned owned, Pairs pairs, SandboxId id) throws IOException {
        pairs.remove(id); // what a run that was killed has left
        Gate gate = pairs.take(id);
        owned.add(() -> pairs.remove(id));
        return gate;
    }

    private static void giveUp(Owned owned, Exception problem) {
        try {
            owned.close();
        } catch (IOException leftOver) {
            problem.addSuppressed(leftOver);
        }
    }

    private static Policy policy() {
        String look = "allow " + Servers.ADDRESS + ":" + Servers.INSPECTED + " GET /*";
        return new Policy(List.of(Rule.parse(look), Rule.parse("allow " + Servers.ADDRESS)), Verdict.DENY);
    }

    private void relay() {
        try {
            Process socat = new ProcessBuilder("nsenter", "--net=" + outer.gateway(), "--", "socat", "TCP4-LISTEN:1,ip-transparent,reuseaddr,fork,backlog=128", "TCP4:" + Servers.ADDRESS + ":" + Servers.STREAM)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            owned.add(() -> end(socat));
            await(socat, relayed());
            relays = true;
        } catch (IOException problem) {
            notes.add("socat is skipped: " + problem.getMessage());
        }
    }

    private Way relayed() {
        return new Way(RELAYED, outer.inside(), 0);
    }

    /** Until it listens, has ended, or has had time enough. */
    private static void await(Process relay, Way way) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                way.stream();
                return;
            } catch (IOException notYet) {
                if (!relay.isAlive()) {
                    throw new IOException("it is not installed, or ended at once", notYet);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException("it did not listen within " + PATIENCE.toSeconds() + " s", notYet);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** Those of a stream. */
    public List<Way> streams() {
        Way ours = new Way(STREAMED, inner.inside(), 0);
        return relays ? List.of(ours, relayed()) : List.of(ours);
    }

    /** Those of requests. The client of the first is beside the server. */
    public List<Way> requests() {
        return List.of(
                new Way(PASSED, inner.inside(), Servers.PASSED),
                new Way(INSPECTED, inner.inside(), Servers.INSPECTED),
                new Way(PLAIN, outer.gateway(), Servers.PASSED));
    }

    /** In the order in which they are shown. */
    public static List<Who> order() {
        return List.of(STREAMED, RELAYED, PASSED, INSPECTED, PLAIN);
    }

    /** Why some are not there. */
    public List<String> notes() {
        return notes;
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        owned.close();
    }
}
