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
import dev.sandglass.network.pair.Pairs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    private static final SandboxId OUTER = new SandboxId("sbx-benchservers");
    private static final SandboxId INNER = new SandboxId("sbx-benchgateway");
    /** A name that is looked up before it is dialed is not what is measured, so there is none. */
    private static final InetSocketAddress NO_RESOLVER = new InetSocketAddress("203.0.113.53", 53);

    private final Path directory;
    private final Pairs pairs;
    private final Gate outer;
    private final Gate inner;
    private final Servers servers;
    private final World world;
    private final Gateway gateway;
    private final List<String> notes = new ArrayList<>();
    private @Nullable Process socat;

    /**
     * @param runDir of the daemon, in whose mount namespace the process is
     * @param megabytes of each stream
     */
    public Ways(Path runDir, int megabytes) throws IOException {
        directory = Files.createDirectories(runDir.resolve("bench-net"));
        pairs = Pairs.open(directory.resolve("pairs"), 0);
        pairs.remove(OUTER); // what a run that was killed has left
        pairs.remove(INNER);
        outer = pairs.take(OUTER);
        inner = pairs.take(INNER);
        outer.close(); // the relay takes its place
        ServerKey key = ServerKey.make(Files.createTempDirectory(directory, "key"), Servers.ADDRESS);
        servers = new Servers(outer.pair().gateway(), key.identity(), (long) megabytes << 20);
        world = new Outside(Optional.of(outer.pair().gateway()), List.of(NO_RESOLVER), Optional.of(key.certificate()), List.of()).world();
        gateway = new Gateway(INNER, inner, Authorities.at(directory.resolve("key")).of("bench"), policy(), Secrets.NONE, world, _ -> {}).open();
        relay();
    }

    private static Policy policy() {
        String look = "allow " + Servers.ADDRESS + ":" + Servers.INSPECTED + " GET /*";
        return new Policy(List.of(Rule.parse(look), Rule.parse("allow " + Servers.ADDRESS)), Verdict.DENY);
    }

    private void relay() throws IOException {
        try {
            socat = new ProcessBuilder("nsenter", "--net=" + outer.pair().gateway(), "--", "socat", "TCP4-LISTEN:1,ip-transparent,reuseaddr,fork,backlog=128", "TCP4:" + Servers.ADDRESS + ":" + Servers.STREAM)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            await(relayed());
        } catch (IOException problem) {
            notes.add("socat is skipped: " + problem.getMessage());
            end(socat);
            socat = null;
        }
    }

    private Way relayed() {
        return new Way(RELAYED, outer.pair().inside(), 0);
    }

    /** Until it listens, or has ended. */
    private void await(Way way) throws IOException {
        while (true) {
            try {
                way.stream();
                return;
            } catch (IOException notYet) {
                Process process = socat;
                if (process == null || !process.isAlive()) {
                    throw new IOException("it is not installed, or ended at once", notYet);
                }
            }
        }
    }

    /** Those of a stream. */
    public List<Way> streams() {
        Way ours = new Way(STREAMED, inner.pair().inside(), 0);
        return socat == null ? List.of(ours) : List.of(ours, relayed());
    }

    /** Those of requests. The client of the first is beside the server. */
    public List<Way> requests() {
        return List.of(
                new Way(PASSED, inner.pair().inside(), Servers.PASSED),
                new Way(INSPECTED, inner.pair().inside(), Servers.INSPECTED),
                new Way(PLAIN, outer.pair().gateway(), Servers.PASSED));
    }

    /** In the order in which they are shown. */
    public static List<Who> order() {
        return List.of(STREAMED, RELAYED, PASSED, INSPECTED, PLAIN);
    }

    /** Why some are not there. */
    public List<String> notes() {
        return notes;
    }

    private static void end(@Nullable Process process) {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Override
    public void close() throws IOException {
        end(socat);
        gateway.close();
        world.interception().close();
        servers.close();
        inner.close();
        pairs.remove(INNER);
        pairs.remove(OUTER);
        pairs.close();
        Trees.remove(directory);
    }
}
