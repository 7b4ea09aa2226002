package dev.sandglass.server.http;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A connection on which bytes are sent as they are, for requests that no client library would send. */
final class RawConnection implements AutoCloseable {
    private final SocketChannel channel;
    private final InputStream in;
    private final OutputStream out;

    /** An answer as it came. */
    record Answer(int status, Map<String, String> headers, String body) {
        Problem problem() {
            return Json.read(Problem.class, body.getBytes(StandardCharsets.UTF_8));
        }
    }

    private RawConnection(SocketAddress address) throws IOException {
        this.channel = SocketChannel.open(address);
        this.in = Channels.newInputStream(channel);
        this.out = Channels.newOutputStream(channel);
    }

    static RawConnection tcp(int port) throws IOException {
        return new RawConnection(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    static RawConnection unix(Path path) throws IOException {
        return new RawConnection(UnixDomainSocketAddress.of(path));
    }

    RawConnection send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Sends a request's head of these lines. */
    RawConnection sendHead(String... lines) throws IOException {
        return send(String.join("\r\n", lines) + "\r\n\r\n");
    }

    void endOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** The status line and headers of the next answer. */
    Answer readHead() throws IOException {
        String status = readLine();
        Map<String, String> headers = new TreeMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
        return new Answer(Integer.parseInt(status.split(" ")[1]), headers, "");
    }

    /** The next answer with a body of known length. */
    Answer readAnswer() throws IOException {
        Answer head = readHead();
        int length = Integer.parseInt(head.headers().getOrDefault("content-length", "0"));
        return new Answer(head.status(), head.headers(), new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int value = in.read(); value != '\n'; value = in.read()) {
            if (value < 0) {
                throw new EOFException("closed after: " + line);
            }
            line.write(value);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    byte[] readBytes(int count) throws IOException {
        return in.readNBytes(count);
    }

    /** Everything up to the end of the connection, however it ends. */
    String readToEnd() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (IOException reset) {
            all.writeBytes("<reset>".getBytes(StandardCharsets.ISO_8859_1));
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** Whether the other side closes without sending anything more. */
    boolean isClosedByPeer() {
        String rest = readToEnd();
        return rest.isEmpty() || rest.equals("<reset>");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
