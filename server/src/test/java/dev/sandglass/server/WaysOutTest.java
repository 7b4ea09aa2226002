package dev.sandglass.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.network.egress.SmallInternet;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Root in a sandbox tries to get out by other ways than its gateway, and by its gateway to what no policy opens: nothing of it arrives anywhere. */
@OnEveryRuntime
class WaysOutTest {
    private static final Path WAYS = Path.of("src/test/resources/network/ways-out.py");
    private static final String ADDRESS = "203.0.113.10";
    private static final String TURNING = "203.0.113.12";
    /** Listens at a port for whatever comes, and keeps it. */
    private static final String SIBLING = """
            import select, socket
            lines = [socket.socket(type=socket.SOCK_STREAM), socket.socket(type=socket.SOCK_DGRAM)]
            for line in lines: line.bind(("0.0.0.0", 7777))
            lines[0].listen()
            open("/workspace/arrived", "w").close()
            while True:
                for line in select.select(lines, [], [])[0]:
                    open("/workspace/arrived", "a").write("something\\n")
                    line.accept() if line is lines[0] else line.recv(99)
            """;

    private static SmallInternet internet;
    private static Arrivals arrivals;

    private final TestDaemon daemon = SharedDaemon.daemon();
    private final String runtime;

    WaysOutTest(String runtime) {
        this.runtime = runtime;
    }

    @BeforeAll
    static void open() throws IOException, InterruptedException {
        internet = new SmallInternet();
        internet.name("api.example.org", ADDRESS);
        internet.name("other.example.org", "203.0.113.11");
        internet.name("inward.example.org", "10.20.0.1");
        internet.name("metadata.example.org", "169.254.169.254");
        internet.name("loopback.example.org", "127.0.0.1");
        internet.name("host.example.org", "203.0.113.1");
        internet.name("both.example.org", "169.254.169.254", ADDRESS);
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.within(internet.outside()).start();
        arrivals = new Arrivals(internet, List.of(123, 443, 4500, 5353, 7777));
        arrivals.at(List.of(7, 53, 80, 443, 853, 7777));
    }

    @AfterAll
    static void close() throws IOException, InterruptedException {
        TestDaemon daemon = SharedDaemon.daemon();
        daemon.stop();
        daemon.outOfIt().start();
        arrivals.close();
        internet.close();
    }

    /** With the most rights that there are, and rules that would open everything. */
    private TestSandbox opened(String... rules) {
        SandboxRequest request = SandboxRequest.on(runtime).memoryMb(256).security("standard").network("open", rules);
        return daemon.api().create(runtime.equals("container") ? request.capabilities(List.of("NET_RAW"), List.of()) : request);
    }

    /** What came of each way. */
    private Map<String, String> tried(TestSandbox box, String host, int counted, String kind) throws IOException {
        List<Integer> own = List.of(daemon.caller().port(), RouteClient.of(daemon).port());
        arrivals.at(own);
        String said = box.output(Run.of("python3", "-c", Files.readString(WAYS), own.getFirst() + "," + own.getLast(), host, Integer.toString(counted), kind).as("root").timeout(240_000));
        return said.lines().map(line -> line.split("\\|", 2)).collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    }

    private static List<String> addressesOfTheHost() throws SocketException {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).filter(Inet4Address.class::isInstance).map(InetAddress::getHostAddress).toList();
    }

    @Test
    void nothingLeavesButThroughTheGatewayAndNothingReachesWhatNoPolicyOpens() throws IOException {
        try (ServerSocket connections = new ServerSocket(0);
                DatagramSocket datagrams = new DatagramSocket(connections.getLocalPort());
                TestSandbox sibling = opened();
                TestSandbox box = opened("allow 0.0.0.0/0", "allow 10.0.0.0/8", "allow 127.0.0.0/8", "allow 169.254.0.0/16", "allow *.example.org")) {
            sibling.start(Run.python(SIBLING));
            Eventually.get(() -> sibling.output("ls /workspace"), seen -> seen.contains("arrived"));
            List<String> strange = arrivals.strange();
            arrivals.forget();
            Map<String, String> outcomes = tried(box, String.join(",", addressesOfTheHost()), connections.getLocalPort(), "addresses");
            arrivals.say("said from inside", ADDRESS, 443);
            await().until(() -> arrivals.seen().contains("said from inside"));

            assertThat(outcomes).containsEntry("allowed", "answered b'word\\n'").hasSizeGreaterThan(60);
            assertThat(arrivals.seen()).as("what arrived").containsOnly(ADDRESS + ":7", "said from inside");
            assertThat(arrivals.strange()).as("pings and unknown protocols that arrived").isEqualTo(strange);
            assertThat(sibling.files().read("/workspace/arrived")).as("what arrived at a sibling").isEmpty();
            connections.setSoTimeout(1);
            datagrams.setSoTimeout(1);
            assertThatThrownBy(connections::accept).as("a connection to the host").isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> datagrams.receive(new DatagramPacket(new byte[99], 99))).as("a datagram to the host").isInstanceOf(SocketTimeoutException.class);
            assertThat(outcomes.entrySet()).filteredOn(each -> !each.getKey().startsWith("allowed")).allSatisfy(each -> assertThat(each.getValue()).as(each.getKey()).isIn("reset", "unknown", "impossible", "nothing"));
            assertThat(internet.questions()).noneMatch(name -> name.startsWith("leaked"));
        }
    }

    @Test
    void namesMustAgreeAndWhatIsNotAllowedIsNotEvenAskedFor() throws IOException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network(null, "allow api.example.org:80,443"))) {
            arrivals.forget();
            Map<String, String> outcomes = tried(box, "127.0.0.1", 9, "names");
            assertThat(outcomes).hasSizeGreaterThan(14);
            assertThat(arrivals.seen()).as("what arrived: those two that were allowed").containsExactly(ADDRESS + ":80", ADDRESS + ":443");
            assertThat(outcomes.entrySet()).filteredOn(each -> !each.getKey().startsWith("allowed")).allSatisfy(each -> assertThat(each.getValue()).as(each.getKey()).containsPattern("^(reset|unknown)$|HTTP/1.1 400"));
            assertThat(internet.questions()).noneMatch(name -> name.startsWith("leaked") || name.startsWith("secret-word"));
        }
    }

    /** It is told a public address for a name that leads inward from then on. */
    @Test
    void aNameThatTurnsInwardIsNotFollowed() throws IOException {
        String name = "turning-" + runtime + ".example.org";
        internet.name(name, TURNING);
        try (TestSandbox box = opened("allow *.example.org", "allow 0.0.0.0/0")) {
            arrivals.forget();
            Run both = Run.of("python3", "-c", """
                    import socket, sys
                    def reached(place):
                        try:
                            with socket.create_connection((place, 7), 60) as line:
                                line.sendall(b"word\\n"); return bool(line.recv(9))
                        except OSError: return False
                    print(reached(sys.argv[1]), reached(sys.argv[2]))
                    """, name, TURNING);
            assertThat(box.output(both)).as("by its name and by its address").isEqualTo("True True");
            internet.name(name, "10.20.0.1");
            Eventually.get(() -> box.output(both), "False False"::equals); // the gateway remembers for a moment
            assertThat(arrivals.seen()).as("what arrived").containsOnly(TURNING + ":7");
        }
    }

    /** The policy is in force before the first packet gets through, and when nobody is there none does. */
    @Test
    void aNewDaemonLetsNothingThroughThatTheOldOneDidNot() throws IOException, InterruptedException {
        try (TestSandbox box = daemon.api().create(SandboxRequest.on(runtime).memoryMb(256).network(null, "allow api.example.org:7"))) {
            box.start(Run.python("""
                    import os, socket
                    def reached(place):
                        try:
                            with socket.create_connection((place, 7), 60) as line:
                                line.sendall(b"word\\n"); return line.recv(9) == b"word\\n"
                        except OSError: return False
                    good = 0
                    while True:
                        if any([reached(place) for place in ("203.0.113.11", "10.20.0.1", "other.example.org")]): open("/workspace/leak", "w").close()
                        good += reached("api.example.org")
                        open("/workspace/next", "w").write(str(good)); os.rename("/workspace/next", "/workspace/good")
                    """));
            Eventually.get(() -> good(box), good -> good > 5);
            arrivals.forget();
            daemon.kill();
            daemon.start();
            int before = good(box);
            Eventually.get(() -> good(box), good -> good > before + 5);
            assertThat(arrivals.seen()).as("what arrived").containsOnly(ADDRESS + ":7");
            assertThat(box.output("ls /workspace")).doesNotContain("leak");
        }
    }

    private static int good(TestSandbox box) {
        return Integer.parseInt(box.output("cat /workspace/good 2>/dev/null || echo 0"));
    }
}
