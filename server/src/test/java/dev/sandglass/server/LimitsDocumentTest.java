package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The limits in docs/security.md, and those in SPECIFICATION.md that are numbers of the daemon, are those of the code. */
class LimitsDocumentTest {
    private static final Path ROOT = Path.of("..");

    /**
     * A number that is told and a number that counts.
     *
     * @param row how the row begins that tells it
     * @param told what stands in the row
     * @param source the class that has the constant, below its module's sources
     * @param constant its declaration
     */
    private record Limit(String row, String told, String source, String constant) {}

    private static final List<Limit> LIMITS = List.of(
            new Limit("open files of a process", "65536", "runtime/oci/HostFacts", "MOST_OPEN_FILES = 65_536"),
            new Limit("output in the answer of a run", "1 MiB", "engine/command/Gathering", "DEFAULT_LIMIT = 1 << 20"),
            new Limit("finished commands that are remembered", "64", "engine/command/Commands", "KEPT_FINISHED = 64"),
            new Limit("services of one listing", "1024", "engine/service/Services", "MOST = 1024"),
            new Limit("services of one listing", "30 at once", "engine/service/Allowance", "AT_ONCE = 30"),
            new Limit("entries of one listing of files", "100000", "engine/file/Files", "MAX_ENTRIES = 100_000"),
            new Limit("entries of one listing of files", "4 Mi characters", "engine/file/Files", "MAX_NAME_CHARACTERS = 4 << 20"),
            new Limit("commands of a sandbox that begin at once", "16", "engine/guest/Starts", "AT_ONCE = 16"),
            new Limit("HTTP connections at once", "2000", "server/http/HttpSettings", "DEFAULT_MAX_CONNECTIONS = 2000"),
            new Limit("Connections at once", "2000", "server/http/HttpSettings", "DEFAULT_MAX_CONNECTIONS = 2000"),
            new Limit("HTTP requests per second", "5000", "server/http/HttpSettings", "DEFAULT_REQUESTS_PER_SECOND = 5000"),
            new Limit("a JSON request", "1 MiB", "server/http/Exchange", "MAX_JSON_BYTES = 1 << 20"),
            new Limit("the head of a request", "64 KiB", "server/http/Listeners", "MAX_HEAD_BYTES = 64 * 1024"),
            new Limit("Head of a request", "64 KiB", "server/http/Listeners", "MAX_HEAD_BYTES = 64 * 1024"),
            new Limit("a message on a WebSocket", "1 MiB", "server/http/SocketUpgrade", "MAX_MESSAGE_BYTES = 1 << 20"),
            new Limit("operations at work at once", "256", "engine/operation/Operations", "AT_ONCE = 256"),
            new Limit("a silent connection", "60 s", "server/http/HttpSettings", "DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(60)"),
            new Limit("a client that takes nothing of a stream or WebSocket", "1 h", "server/http/HttpSettings", "DEFAULT_STREAM_PATIENCE = Duration.ofHours(1)"),
            new Limit("a client that takes nothing of a stream of events", "60 s", "server/http/HttpSettings", "DEFAULT_EVENT_PATIENCE = Duration.ofSeconds(60)"),
            new Limit("connections of clients to routes at once", "2000", "server/route/RouteSettings", "DEFAULT_MAX_CONNECTIONS = 2000"),
            new Limit("heads of requests to routes", "32 KiB", "server/route/RouteDoor", "MAX_HEAD_BYTES = 32 * 1024"),
            new Limit("heads of requests to routes", "32 KiB", "server/route/AnswerReader", "MAX_HEAD_BYTES = 32 * 1024"),
            new Limit("a connection to a route that is silent", "60 s", "server/route/RouteSettings", "DEFAULT_IDLE_TIMEOUT = Duration.ofSeconds(60)"),
            new Limit("an answer that has begun", "1 h", "server/route/RouteSettings", "DEFAULT_STREAM_PATIENCE = Duration.ofHours(1)"),
            new Limit("requests that wait for one sandbox to wake up", "256", "server/route/Wakeups", "MOST_WAITING = 256"),
            new Limit("requests that wait for one sandbox to wake up", "30 s", "server/route/RouteSettings", "DEFAULT_WAKE_PATIENCE = Duration.ofSeconds(30)"),
            new Limit("connections to programs that wait", "16 for each port", "server/route/KeptConnections", "MOST_OF_A_PORT = 16"),
            new Limit("connections to programs that wait", "512 in all", "server/route/KeptConnections", "MOST = 512"),
            new Limit("connections to programs that wait", "4 s", "server/route/KeptConnections", "LONGEST = Duration.ofSeconds(4)"),
            new Limit("what waits in the daemon of one connection to a port", "128 KiB", "engine/guest/GuestLink", "CONNECTION_WINDOW = 1 << 17"),
            new Limit("readers of one command at once", "16", "engine/guest/GuestOutput", "MOST_READERS = 16"),
            new Limit("environment variables and labels", "256 each", "engine/life/Rules", "MAX_PAIRS = 256"),
            new Limit("environment variables and labels", "32 KiB", "engine/life/Rules", "MAX_VALUE = 1 << 15"),
            new Limit("forks by one request", "100", "engine/snapshot/Forking", "MOST = 100"),
            new Limit("forks by one request", "8", "engine/snapshot/Forking", "AT_ONCE = 8"),
            new Limit("sandboxes in which captured processes are brought back at once", "at least 4", "engine/life/Restores", "LEAST = 4"),
            new Limit("checkpoints that are kept", "5", "engine/life/Lifecycles", "KEPT = 5"),
            new Limit("checkpoints that are kept", "at most 100", "engine/life/Lifecycles", "MOST_KEPT = 100"),
            new Limit("layers that a copy of copies stands on", "32", "engine/snapshot/Chains", "LONGEST = 32"),
            new Limit("a snapshot that is imported", "4 MiB", "engine/archive/ArchiveFormat", "HEADER_BYTES = 4 << 20"),
            new Limit("a snapshot that is imported", "512", "engine/archive/ArchiveFormat", "PARTS = 512"),
            new Limit("a snapshot that is imported", "4 GiB", "engine/archive/ArchiveFormat", "MANIFEST_BYTES = 4L << 30"),
            new Limit("a snapshot that is imported", "33554432", "engine/archive/ArchiveFormat", "ENTRIES = 1L << 25"),
            new Limit("a snapshot that is imported", "256 GiB", "engine/archive/ArchiveFormat", "BYTES = 256L << 30"),
            new Limit("what an import leaves free", "512 MiB", "engine/snapshot/Archives", "RESERVE = 512L << 20"),
            new Limit("a diff", "60 s", "engine/diff/Differences", "AT_MOST = Duration.ofSeconds(60)"),
            new Limit("a diff", "512 KiB", "engine/diff/Gathering", "TEXT_LIMIT = 512 * 1024"),
            new Limit("a diff", "16 Mi characters", "engine/diff/Gathering", "MOST_CHARACTERS = 16 << 20"),
            new Limit("events that are kept", "10000", "ledger/EventRows", "KEPT = 10_000"),
            new Limit("operations that are kept", "1000 of a day", "ledger/OperationRows", "KEPT = 1000"),
            new Limit("`Idempotency-Key`s of sandboxes, forks and snapshots", "10000 of a day", "ledger/IdempotencyRows", "KEPT = 10_000"),
            new Limit("those of commands", "10000 of a day", "ledger/CommandKeyRows", "KEPT = 10_000"),
            new Limit("those of commands", "1000 of one sandbox", "ledger/CommandKeyRows", "KEPT_OF_ONE = 1_000"),
            new Limit("destroyed sandboxes and deleted snapshots", "10000", "ledger/SqliteLedger", "KEPT_DESTROYED = 10_000"),
            new Limit("samples of what a sandbox uses", "180", "engine/usage/Usages", "KEPT = 180"),
            new Limit("samples of what a sandbox uses", "every 5 s", "engine/usage/Usages", "INTERVAL = Duration.ofSeconds(5)"));

    @Test
    void everyNumberIsThatOfTheCode() throws IOException {
        List<String> rows = rows();
        for (Limit limit : LIMITS) {
            assertThat(source(limit.source())).as("docs tell %s of \"%s\"", limit.told(), limit.row()).containsPattern("\\b" + Pattern.quote(limit.constant() + ";"));
            List<String> telling = rows.stream().filter(row -> row.startsWith("| " + limit.row())).toList();
            assertThat(telling).as(limit.row()).hasSize(1);
            assertThat(telling.getFirst().split("\\|")[2]).as("%s, which is %s", limit.row(), limit.constant()).containsPattern("\\b" + Pattern.quote(limit.told()) + "\\b");
        }
    }

    private static List<String> rows() throws IOException {
        String all = Files.readString(ROOT.resolve("docs/security.md")) + "\n" + Files.readString(ROOT.resolve("SPECIFICATION.md"));
        return all.lines().filter(line -> line.startsWith("| ")).toList();
    }

    private static String source(String name) throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path source = module.resolve("src/main/java/dev/sandglass/" + name + ".java");
                if (Files.exists(source)) {
                    return Files.readString(source);
                }
            }
        }
        throw new AssertionError("There is no class " + name + ".");
    }
}
