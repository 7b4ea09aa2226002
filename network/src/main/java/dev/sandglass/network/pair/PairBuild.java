package dev.sandglass.network.pair;

import dev.sandglass.linux.NamespaceHolder;
import dev.sandglass.linux.Netlink;
import dev.sandglass.linux.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes a pair. Takes some milliseconds, most of them for the one child process that it needs: pairs are made ahead. */
final class PairBuild {
    private static final Path SETTINGS = Path.of("/proc/sys/net");
    /** What waits in the kernel for a sandbox that does not read is memory of the host that no limit counts. The link is short: more would not make it faster. */
    private static final String SMALL_BUFFERS = "4096 65536 524288";

    private PairBuild() {}

    /** Makes it in a directory that is not there yet; nothing is left when it throws. */
    static Pair in(Path directory) throws IOException {
        Pair pair = new Pair(directory);
        try (NamespaceHolder holder = NamespaceHolder.make()) {
            Files.createDirectory(directory);
            holder.pin(pair.user(), pair.inside());
            Files.createFile(pair.gateway());
            NetworkNamespace.make(pair.gateway(), () -> gateway(holder.pid()));
            NetworkNamespace.call(pair.inside(), PairBuild::inside);
            return pair;
        } catch (IOException | RuntimeException problem) {
            try {
                pair.remove();
            } catch (IOException leftOver) {
                problem.addSuppressed(leftOver);
            }
            throw new IOException("a network for sandboxes cannot be made here: " + problem.getMessage(), problem);
        }
    }

    /** @param holder a process in the namespace that gets the other end */
    private static boolean gateway(long holder) throws IOException {
        noVersion6();
        for (String direction : List.of("rmem", "wmem")) {
            Files.writeString(SETTINGS.resolve("ipv4/tcp_" + direction), SMALL_BUFFERS);
        }
        try (Netlink links = Netlink.open(Netlink.ROUTE); Netlink filters = Netlink.open(Netlink.NETFILTER)) {
            links.tell("a loopback", List.of(LinkMessages.up(LinkMessages.LOOPBACK)));
            links.tell("a link (veth)", List.of(LinkMessages.link(holder)));
            links.tell("the gateway's address", List.of(LinkMessages.address(Pair.GATEWAY)));
            links.tell("the gateway's end of the link", List.of(LinkMessages.up(LinkMessages.LINK)));
            links.tell("a route for all that is local", List.of(LinkMessages.everythingIsHere()));
            filters.tell("a filter (nf_tables with tproxy)", FilterMessages.all());
        }
        return true;
    }

    private static boolean inside() throws IOException {
        noVersion6();
        try (Netlink links = Netlink.open(Netlink.ROUTE)) {
            links.tell("a loopback", List.of(LinkMessages.up(LinkMessages.LOOPBACK)));
            links.tell("the sandbox's address", List.of(LinkMessages.address(Pair.INSIDE)));
            links.tell("the sandbox's end of the link", List.of(LinkMessages.up(LinkMessages.LINK)));
            links.tell("the way to the gateway", List.of(LinkMessages.everythingIsBeyond(Pair.GATEWAY)));
        }
        return true;
    }

    /** Before any link is up: an interface takes its address of version 6 when it comes up. */
    private static void noVersion6() throws IOException {
        for (String which : List.of("all", "default")) {
            Path setting = SETTINGS.resolve("ipv6/conf").resolve(which).resolve("disable_ipv6");
            if (Files.exists(setting)) {
                Files.writeString(setting, "1");
            }
        }
    }
}
