package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sandbox has under way on connections that are looked into takes a bounded part of the daemon's memory, however it is cut into streams and pieces. */
class BacklogTest extends GatewayFixture {
    private static final String ADDRESS = "203.0.113.10";
    private static final String SILENT = "203.0.113.11";
    private static final String NAME = "api.example.org";
    private static final String MUTE = "mute.example.org";
    /** What one sandbox may take, and a part for what this test itself holds. */
    private static final long MOST = 160L << 20;

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int LARGE = 1 << 20;
    private final Queue<SocketChannel> unanswered = new ConcurrentLinkedQueue<>();
    private final List<StreamFlood> clients = new ArrayList<>();

    @BeforeEach
    void serve() throws IOException {
        world.name(NAME, ADDRESS);
        world.https(ADDRESS, 443, NAME, exchange -> {
            exchange.sendResponseHeaders(200, LARGE);
            exchange.getResponseBody().write(new byte[LARGE]);
            exchange.close();
        });
        world.name(MUTE, SILENT);
        world.serve(SILENT, 443, unanswered::add); // it takes connections and says nothing, so that all that is for it waits
        change(allowing("allow *.example.org:443 GET,POST /*"));
        resolve(NAME);
        resolve(MUTE);
    }

    @AfterEach
    void leave() throws IOException {
        for (StreamFlood each : clients) {
            each.close();
        }
        for (SocketChannel each : unanswered) {
            each.close();
        }
    }

    private StreamFlood client(String address, String name) throws IOException {
        StreamFlood client = new StreamFlood(connect(address, 443), authority, name);
        clients.add(client);
        return client;
    }

    /** In heap and buffers, without what nobody holds. */
    private static long held() {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + direct;
    }

    private interface Sending {
        void run() throws IOException;
    }

    /** Whether the gateway ended the connection instead of taking all. */
    private static boolean isEnded(Sending sending) {
        try {
            sending.run();
            return false;
        } catch (IOException ended) {
            return true;
        }
    }

    /** The room comes back when the connections have ended, which takes its time. */
    private void isOpenAgain() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(answer()).isEqualTo("2 200 " + LARGE));
    }

    private String answer() throws Exception {
        Process curl = new ProcessBuilder("nsenter", "--net=" + gate.pair().inside(), "curl", "-sSk", "-o", "/dev/null", "-w", "%{http_version} %{http_code} %{size_download}", "--max-time", "20", "--resolve", NAME + ":443:" + ADDRESS, "https://" + NAME + "/")
                .redirectErrorStream(true)
                .start();
        String told = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        curl.waitFor();
        return told;
    }

    /** Each has an own buffer around it, which weighs a hundred times as much. */
    @Test
    void aBodyInPiecesOfOneByteTakesNoMoreThanOneInLargeOnes() throws IOException {
        long before = held();
        int ended = 0;
        for (int i = 0; i < 4; i++) {
            StreamFlood client = client(SILENT, MUTE);
            ended += isEnded(() -> {
                for (int stream = 1; stream < 8; stream += 2) {
                    client.post(stream, "/");
                    for (int part = 0; part < 60; part++) {
                        client.pieces(stream, 4000);
                    }
                }
            }) ? 1 : 0;
            assertThat(held() - before).as("after %d connections with pieces", i + 1).isLessThan(MOST);
            isOpenAgain();
        }
        assertThat(ended).as("connections that were ended").isEqualTo(4);
    }

    @Test
    void headsOfRequestsThatWaitAreWeighed() throws IOException {
        long before = held();
        int ended = 0;
        for (int i = 0; i < 160 && ended == 0; i++) {
            String name = i / 8 + "." + MUTE; // so many fit into the queue for one server
            if (i % 8 == 0) {
                world.name(name, SILENT);
                resolve(name);
            }
            ended += isEnded(() -> {
                StreamFlood client = client(SILENT, name); // the room may be full before it has shaken hands
                for (int stream = 1; stream < 256; stream += 2) {
                    client.get(stream, "/", 15_000);
                }
            }) ? 1 : 0;
        }
        assertThat(held() - before).as("with all those heads").isLessThan(MOST);
        assertThat(ended).as("connections that were ended").isPositive();
        leave();
        isOpenAgain();
    }

    @Test
    void answersThatNobodyReadsAreNotKept() throws IOException {
        long before = held();
        for (int i = 0; i < 16; i++) {
            StreamFlood client = client(ADDRESS, NAME);
            for (int stream = 1; stream < 64; stream += 2) {
                client.get(stream, "/", 10);
            }
        }
        await().untilAsserted(() -> assertThat(held() - before).as("while 512 answers of 1 MiB wait").isLessThan(MOST));
        leave();
        await().until(() -> !journeys.isEmpty());
        isOpenAgain();
    }
}
