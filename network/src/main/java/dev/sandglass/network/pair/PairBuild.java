package dev.sandglass.network.pair;

import dev.sandglass.linux.ChildProcess;
import dev.sandglass.linux.NamespaceHolder;
import dev.sandglass.linux.SearchPath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes a pair with the host's own tools for networks. Takes tens of milliseconds: pairs are made ahead. */
final class PairBuild {
    private static final int SECONDS = 30;
    private static final int MOST_WORDS = 2000;
    /** Before any link is up: an interface takes its address of version 6 when it comes up. */
    private static final String NO_VERSION_6 =
            "for each in all default; do each=/proc/sys/net/ipv6/conf/$each/disable_ipv6; [ ! -e $each ] || echo 1 > $each; done\n";

    private static final String GATEWAY = "set -e\n" + NO_VERSION_6
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
        List<String> command = new ArrayList<>(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", SearchPath.SYSTEM.text());
        Process process = ChildProcess.start(builder);
        try {
            try (OutputStream in = process.getOutputStream()) {
                in.write(script.getBytes(StandardCharsets.UTF_8));
            }
            String said = new String(process.getInputStream().readNBytes(MOST_WORDS), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("a network for sandboxes cannot be made here: " + said);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a network was made", hurried);
        } finally {
            process.destroyForcibly();
        }
    }
}
