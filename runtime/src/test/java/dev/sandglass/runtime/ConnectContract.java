package dev.sandglass.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The daemon reaches ports on the sandbox's own loopback, and nothing else does for it. */
abstract class ConnectContract extends RuntimeFixture {
    private static final int PORT = 8123;
    private static final Set<Thread.State> WAITS = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    ConnectContract(Engine engine) throws IOException {
        super(engine);
    }

    @Test
    void bytesGoBothWaysAndEachWayEndsByItself() throws Exception {
        Guest guest = listening("""
                c = s.accept()[0]
                got = b''
                while True:
                    part = c.recv(65536)
                    if not part: break
                    got += part
                c.sendall(b'you said ' + got)
                c.close()
                """);
        GuestReader reader = guest.link().connect(PORT);
        GuestStream stream = reader.stream();
        byte[] hello = "hello".getBytes(StandardCharsets.US_ASCII);
        stream.write(hello, 0, hello.length);
        stream.end(); // the other way stays open
        assertThat(new String(readAll(reader), StandardCharsets.US_ASCII)).isEqualTo("you said hello");
    }

    @Test
    void megabytesWaitForASlowSide() throws Exception {
        Guest guest = listening("""
                import os, time
                c = s.accept()[0]
                while not os.path.exists('/tmp/go'): time.sleep(0.01)
                while True:
                    part = c.recv(65536)
                    if not part: break
                    c.sendall(part)
                c.close()
                """);
        byte[] sent = new byte[8 << 20];
        new Random(7).nextBytes(sent);
        GuestReader reader = guest.link().connect(PORT);
        GuestStream stream = reader.stream();
        Thread writer = Thread.ofVirtual().start(() -> {
            try {
                stream.write(sent, 0, sent.length);
                stream.end();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        await("the writer is held up").atMost(Duration.ofSeconds(60)).until(() -> WAITS.contains(writer.getState()));
        assertThat(guest.sh("echo meanwhile")).as("nobody else waits").isEqualTo("meanwhile");
        assertThat(writer.isAlive()).as("the other side takes nothing yet").isTrue();
        guest.sh("touch /tmp/go");
        assertThat(readAll(reader)).isEqualTo(sent);
        writer.join();
    }

    @Test
    void aPortThatNobodyListensOnRefuses() throws Exception {
        Guest guest = workshop.start(workshop.machine());
        assertThatThrownBy(() -> guest.link().connect(PORT))
                .isInstanceOfSatisfying(SandglassException.class, problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.PORT_REFUSED);
                    assertThat(problem.what()).contains("Port " + PORT);
                });
        assertThat(guest.sh("echo alive")).isEqualTo("alive");
    }

    /** A sandbox with a Python program that has listened on the port as {@code s} when this returns. */
    private Guest listening(String program) throws Exception {
        Guest guest = workshop.start(workshop.machine());
        String script = "import socket\ns = socket.create_server(('127.0.0.1', " + PORT + "))\nprint('ready', flush=True)\n" + program;
        GuestReader server = guest.start("user", "python3", "-c", script);
        if (!(server.next() instanceof GuestEvent.Output(_, _, ByteBuffer ready))) {
            throw new AssertionError("the server did not come up");
        }
        assertThat(StandardCharsets.US_ASCII.decode(ready).toString()).isEqualTo("ready\n");
        return guest;
    }

    private static byte[] readAll(GuestReader reader) throws InterruptedException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        while (true) {
            switch (reader.next()) {
                case GuestEvent.Output(_, _, ByteBuffer bytes) -> {
                    byte[] part = new byte[bytes.remaining()];
                    bytes.get(part);
                    read.writeBytes(part);
                }
                case GuestEvent.Eof() -> {}
                case GuestEvent.Ended(GuestExit exit) -> {
                    assertThat(exit.status()).isZero();
                    reader.stream().close();
                    return read.toByteArray();
                }
                case GuestEvent.Refused(_, _, String text) -> throw new AssertionError(text);
                case GuestEvent.Closed() -> throw new AssertionError("closed");
            }
        }
    }
}
