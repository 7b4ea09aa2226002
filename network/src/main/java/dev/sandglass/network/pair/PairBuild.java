package dev.sandglass.network.pair;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.linux.NamespaceHolder;
import dev.sandglass.linux.SearchPath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Makes a pair with the host's own tools for networks. Takes tens of milliseconds: pairs are made ahead. */
final class PairBuild {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_WORDS = 2000;
    /** Before any link is up: an interface takes its address of version 6 when it comes up. */
    private static final String NO_VERSION_6 =
            "for each in all default; do each=/proc/sys/net/ipv6/conf/$each/disable_ipv6; [ ! -e $each ] || echo 1 > $each; done\n";

    /** What waits in the kernel for a sandbox that does not read is memory of the host that no limit counts. The link is short: more would not make it faster. */
    private static final String SMALL_BUFFERS = "for each in rmem wmem; do echo 4096 65536 524288 > /proc/sys/net/ipv4/tcp_$each; done\n";

    private static final String GATEWAY = "set -e\n" + NO_VERSION_6 + SMALL_BUFFERS
            + """
            ip -batch - <<END
            link set lo up
            link add gw address 02:00:00:00:00:01 type veth peer name eth0 address 02:00:00:00:00:02 netns $1
            addr add 10.0.0.1/30 dev gw
            link set gw up
            route add local 0.0.0.0/0 dev lo
            END
            exec nft -f - <<END
            table ip gateway {
              chain arrival {
                type filter hook prerouting priority mangle
                iifname gw meta l4proto tcp tproxy to :1
              }
              chain delivery {
                type filter hook input priority filter
                icmp type echo-request drop
              }
            }
            END
            """;
    private static final String INSIDE = "set -e\n" + NO_VERSION_6
            + """
            exec ip -batch - <<END
            link set lo up
            addr add 10.0.0.2/30 dev eth0
            link set eth0 up
            route add default via 10.0.0.1
            END
            """;

    private PairBuild() {}

    /** Makes it in a directory that is not there yet; nothing is left when it throws. */
    static Pair in(Path directory) throws IOException {
        Pair pair = new Pair(directory);
        Files.createDirectory(directory);
        try (NamespaceHolder holder = NamespaceHolder.make()) {
            holder.pin(pair.user(), pair.inside());
            Files.createFile(pair.gateway());
            run(GATEWAY, "unshare", "--net=" + pair.gateway(), "sh", "-s", Long.toString(holder.pid()));
            run(INSIDE, "nsenter", "--net=" + pair.inside(), "sh", "-s");
            return pair;
        } catch (IOException | RuntimeException problem) {
            try {
                pair.remove();
            } catch (IOException leftOver) {
                problem.addSuppressed(leftOver);
            }
            throw problem;
        }
    }

    private static void run(String script, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", SearchPath.SYSTEM.text());
        Process process = ChildProcess.start(builder);
        try (ChildProcess.Watch _ = ChildProcess.killAfter(process, PATIENCE)) {
            try (OutputStream in = process.getOutputStream()) {
                in.write(script.getBytes(StandardCharsets.UTF_8));
            } catch (IOException ended) {
                // it says why
            }
            String said = new String(process.getInputStream().readNBytes(MOST_WORDS), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IOException("a network for sandboxes cannot be made here: " + (said.isEmpty() ? "status " + process.exitValue() : said));
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a network was made", hurried);
        } finally {
            process.destroyForcibly();
        }
    }
}
