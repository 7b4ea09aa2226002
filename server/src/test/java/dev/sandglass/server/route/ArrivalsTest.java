package dev.sandglass.server.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.server.http.ConnectionBudget;
import dev.sandglass.server.http.LingerBounds;
import dev.sandglass.server.http.LingeringClose;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Strangers keep nobody out: who has been let in stays, who has not makes room. */
class ArrivalsTest {
    private static final int LIMIT = 3;

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);
    private final Arrivals arrivals = new Arrivals(Duration.ofMillis(500));
    private final CountDownLatch answer = new CountDownLatch(1);

    @BeforeEach
    void listen() throws Exception {
        ConnectionBudget budget = new ConnectionBudget(LIMIT, arrivals::oldest);
        LingeringClose lingering = new LingeringClose(LingerBounds.DEFAULT, budget);
        connector.setHost("127.0.0.1");
        connector.addBean(arrivals);
        connector.addBean(budget);
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws InterruptedException {
                Visit visit = new Visit(request, response, callback, lingering);
                visit.atEnd(() -> arrivals.await(visit.end()));
                if (request.getHttpURI().getPath().equals("/in")) {
                    arrivals.letIn(visit.end());
                    response.write(false, BufferUtil.toBuffer("begun"), Callback.NOOP);
                    answer.await();
                }
                response.write(true, BufferUtil.EMPTY_BUFFER, callback);
                return true;
            }
        });
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        answer.countDown();
        server.stop();
    }

    private Socket open() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String path) throws IOException {
        socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String line(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = socket.getInputStream().read(); next >= 0 && next != '\n'; next = socket.getInputStream().read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Test
    void whoWaitsLongestMakesRoomAndWhoWasLetInStays() throws IOException {
        try (Socket first = open(); Socket inside = open(); Socket silent = open()) {
            send(first, "/out");
            assertThat(line(first)).isEqualTo("HTTP/1.1 200 OK");
            send(inside, "/in");
            assertThat(line(inside)).isEqualTo("HTTP/1.1 200 OK");
            try (Socket second = open(); Socket third = open()) {
                send(second, "/out");
                assertThat(line(second)).isEqualTo("HTTP/1.1 200 OK");
                send(third, "/out");
                assertThat(line(third)).isEqualTo("HTTP/1.1 200 OK");
                assertEnded(silent);
                assertEnded(first);
                answer.countDown();
                assertThat(rest(inside)).endsWith("0\r\n\r\n");
            }
        }
    }

    @Test
    void aHeadThatTricklesInHasNoMoreTimeThanAnother() throws Exception {
        try (Socket slow = open(); Socket inside = open()) {
            send(inside, "/in");
            assertThat(line(inside)).isEqualTo("HTTP/1.1 200 OK");
            slow.getOutputStream().write("GET / HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII));
            slow.setSoTimeout(20);
            int read = 0;
            while (read == 0) { // for as long as it is not closed
                try {
                    slow.getOutputStream().write('y');
                    arrivals.sweep();
                    read = slow.getInputStream().read();
                } catch (SocketTimeoutException notYet) {
                    read = 0;
                } catch (IOException reset) {
                    read = -1;
                }
            }
            assertThat(read).isEqualTo(-1);
            answer.countDown();
            assertThat(rest(inside)).as("whose time does not count").endsWith("0\r\n\r\n");
        }
    }

    @Test
    void aSandboxHasItsShare() {
        Shares shares = new Shares(2);
        SandboxId busy = new SandboxId("sbx-aaaaaaaaaaaa");
        Runnable first = shares.take(busy);
        shares.take(busy);
        assertThatThrownBy(() -> shares.take(busy)).isInstanceOf(SandglassException.class).hasMessageContaining("2 requests");
        shares.take(new SandboxId("sbx-bbbbbbbbbbbb"));
        first.run();
        first.run();
        shares.take(busy);
        assertThatThrownBy(() -> shares.take(busy)).as("once over is over once").isInstanceOf(SandglassException.class);
    }

    /** Until the answer's end, which its connection outlives. */
    private static String rest(Socket socket) throws IOException {
        StringBuilder rest = new StringBuilder();
        while (!rest.toString().endsWith("0\r\n\r\n")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                break;
            }
            rest.append((char) next);
        }
        return rest.toString();
    }

    private static void assertEnded(Socket socket) {
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketTimeoutException open) {
            throw new AssertionError("it is still open", open);
        } catch (IOException reset) {
            return; // as good
        }
    }
}
