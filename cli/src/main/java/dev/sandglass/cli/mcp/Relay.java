package dev.sandglass.cli.mcp;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.WebSocket;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Carries the lines of a client to the daemon and those of the daemon back. When the daemon is replaced meanwhile it begins anew with the next one, and the
 * client hears of the requests that were lost.
 */
public final class Relay {
    /** The kind of all messages on the socket. */
    private static final int LINE = 0;
    /** A client that has enough of waiting closes its side. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** What is asked for may still be answered when nothing more is asked. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(60);

    private final Client client;
    private final Lines in;
    private final OutputStream out;
    private final Exchanges exchanges = new Exchanges();
    private final Object sending = new Object();
    private @Nullable WebSocket socket;
    private boolean over;

    public Relay(Client client, InputStream in, OutputStream out) {
        this.client = client;
        this.in = new Lines(in);
        this.out = out;
    }

    /** Returns when the client has said all that it wants to say, and has its answers. */
    public void run() {
        WebSocket opened = client.carryMcp();
        Thread reader = new Thread(this::carry, "mcp-input");
        reader.setDaemon(true);
        use(opened);
        reader.start();
        while (!isOver()) {
            try {
                opened.receive();
                byte[] line = Arrays.copyOfRange(opened.message(), 1, Math.max(1, opened.length()));
                if (exchanges.came(line)) {
                    print(line);
                }
            } catch (IOException broken) {
                Optional<WebSocket> next = again(broken);
                if (next.isEmpty()) {
                    return;
                }
                opened = next.get();
            }
        }
    }

    /** All that was asked for and not answered is told to be lost, and the session is begun once more, unless the client has left. */
    private Optional<WebSocket> again(IOException broken) {
        synchronized (sending) {
            socket = null;
        }
        exchanges.lost().forEach(this::print);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isOver()) {
            try {
                Thread.sleep(PAUSE);
                WebSocket opened = client.again().carryMcp();
                for (byte[] line : exchanges.beginning()) {
                    opened.send(LINE, line, 0, line.length);
                }
                use(opened);
                return Optional.of(opened);
            } catch (IOException | SandglassException notYet) {
                if (System.nanoTime() > end) {
                    throw lost(broken);
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw lost(broken);
            }
        }
        return Optional.empty();
    }

    private static SandglassException lost(IOException cause) {
        return new SandglassException(
                ErrorCode.DAEMON_UNREACHABLE, "The connection to the daemon broke, and there is no other one: " + cause.getMessage(), "Start the daemon with `sandglass up`; sandboxes go on without it.", cause);
    }

    private void use(WebSocket opened) {
        synchronized (sending) {
            socket = opened;
            sending.notifyAll();
        }
    }

    private boolean isOver() {
        synchronized (sending) {
            return over;
        }
    }

    private void carry() {
        try {
            for (Optional<byte[]> line = in.next(); line.isPresent(); line = in.next()) {
                if (line.get().length == 0) {
                    print(Exchanges.TOO_LONG.getBytes(StandardCharsets.UTF_8));
                } else {
                    send(line.get());
                }
            }
            exchanges.awaitAnswers(LAST_ANSWERS);
        } catch (IOException unreadable) {
            // nothing more can come
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            leave();
        }
    }

    /** Waits while there is no connection. One that breaks now is seen by whoever reads from it. */
    private void send(byte[] line) throws InterruptedException {
        WebSocket current;
        synchronized (sending) {
            while (socket == null) {
                sending.wait();
            }
            current = socket;
            exchanges.goes(line);
        }
        try {
            current.send(LINE, line, 0, line.length);
        } catch (IOException broken) {
            return;
        }
    }

    private void leave() {
        WebSocket last;
        synchronized (sending) {
            over = true;
            last = socket;
        }
        if (last != null) {
            try {
                last.close();
            } catch (IOException alreadyGone) {
                return;
            }
        }
    }

    /** A client that reads no more wants nothing more. */
    private void print(byte[] line) {
        byte[] whole = Arrays.copyOf(line, line.length + 1);
        whole[line.length] = '\n';
        synchronized (out) {
            try {
                out.write(whole);
                out.flush();
            } catch (IOException nobodyReads) {
                throw new UncheckedIOException(nobodyReads);
            }
        }
    }
}
