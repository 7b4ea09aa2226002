package dev.sandglass.network.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Plays services of models, in HTTP/1.1 and HTTP/2: what it is asked it remembers, and what it answers says what it took. An answer takes {@value #INPUT} tokens in and {@value #OUTPUT} out. Words in
 * a query say how it answers: {@code gzip}, {@code trailers}, {@code held} (until it is let go on, after the first events), {@code endless}, {@code large}, {@code redirect}.
 */
public final class PlayedModels implements AutoCloseable {
    public static final int INPUT = 100;
    public static final int OUTPUT = 25;

    private static final String DELTA = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello there\"}}\n\n";

    private final Server server = new Server();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** A request that came. */
    public record Asked(String protocol, String method, String target, HttpFields fields, String body) {
        public String field(String name) {
            return String.valueOf(fields.get(name));
        }
    }

    PlayedModels(ServerSocketChannel listener, Optional<SSLContext> certificate) throws IOException {
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector = new ServerConnector(server, certificate.map(context -> secured(context, http)).orElseGet(() -> new ConnectionFactory[] {new HttpConnectionFactory(http)}));
        connector.open(listener);
        server.addConnector(connector);
        server.setHandler(new Answers());
        try {
            server.start();
        } catch (Exception problem) {
            throw new IOException(problem);
        }
    }

    private static ConnectionFactory[] secured(SSLContext context, HttpConfiguration http) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context);
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        alpn.setDefaultProtocol("http/1.1");
        return new ConnectionFactory[] {new SslConnectionFactory(tls, "alpn"), alpn, new HTTP2ServerConnectionFactory(http), new HttpConnectionFactory(http)};
    }

    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** Lets answers go on that are held. */
    public void letGo() {
        goOn.countDown();
    }

    private final class Answers extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String body = Content.Source.asString(request, StandardCharsets.UTF_8);
            asked.add(new Asked(request.getConnectionMetaData().getHttpVersion().asString(), request.getMethod(), request.getHttpURI().getPathQuery(), request.getHeaders(), body));
            String path = request.getHttpURI().getPath();
            String how = String.valueOf(request.getHttpURI().getQuery());
            boolean streams = body.contains("\"stream\":true");
            if (how.contains("redirect")) {
                response.setStatus(307);
                response.getHeaders().put("Location", "https://elsewhere.example.org/v1/messages");
                callback.succeeded();
                return true;
            }
            if (how.contains("trailers")) {
                response.setTrailersSupplier(() -> HttpFields.build().put("x-usage", "none"));
            }
            response.getHeaders().put("Content-Type", streams ? "text/event-stream" : "application/json");
            OutputStream out = Content.Sink.asOutputStream(response);
            try {
                if (streams) {
                    stream(path, how, body, response, out);
                } else {
                    byte[] whole = answer(path, how).getBytes(StandardCharsets.UTF_8);
                    out.write(how.contains("gzip") ? packed(response, whole) : whole);
                }
                out.close();
                callback.succeeded();
            } catch (IOException gone) {
                callback.failed(gone);
            }
            return true;
        }

        private void stream(String path, String how, String body, Response response, OutputStream out) throws IOException, InterruptedException {
            String events = events(path, body);
            if (how.contains("gzip")) {
                out.write(packed(response, events.getBytes(StandardCharsets.UTF_8)));
                return;
            }
            int half = events.indexOf("\n\n", events.indexOf("\n\n") + 1) + 2; // the first two
            out.write(events.substring(0, half).getBytes(StandardCharsets.UTF_8));
            out.flush();
            while (how.contains("endless")) { // until whoever reads it has gone
                out.write(DELTA.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            if (how.contains("held")) {
                goOn.await(60, TimeUnit.SECONDS);
            }
            for (byte each : events.substring(half).getBytes(StandardCharsets.UTF_8)) { // in the smallest pieces
                out.write(each);
                out.flush();
            }
        }

        private static byte[] packed(Response response, byte[] whole) throws IOException {
            response.getHeaders().put("Content-Encoding", "gzip");
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
                gzip.write(whole);
            }
            return packed.toByteArray();
        }

        private static String answer(String path, String how) {
            String text = how.contains("large") ? "x".repeat(9 << 20) : "Hello there";
            if (path.endsWith("/messages")) {
                return "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}],\"usage\":{\"input_tokens\":" + INPUT + ",\"output_tokens\":" + OUTPUT + "}}";
            }
            if (path.endsWith("/models")) {
                return "{\"data\":[{\"id\":\"model\"}]}";
            }
            return "{\"choices\":[{\"message\":{\"content\":\"" + text + "\"}}],\"usage\":{\"prompt_tokens\":" + INPUT + ",\"completion_tokens\":" + OUTPUT + ",\"total_tokens\":" + (INPUT + OUTPUT) + "}}";
        }

        private static String events(String path, String body) {
            if (path.endsWith("/messages")) {
                return "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":" + INPUT + ",\"output_tokens\":1}}}\n\n"
                        + DELTA + DELTA
                        + "event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":" + OUTPUT + "}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
            }
            String word = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n";
            String usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" + INPUT + ",\"completion_tokens\":" + OUTPUT + ",\"total_tokens\":" + (INPUT + OUTPUT) + "}}\n\n";
            if (path.endsWith("/responses")) {
                return "data: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello\"}\n\n"
                        + "data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":" + INPUT + ",\"output_tokens\":" + OUTPUT + ",\"total_tokens\":" + (INPUT + OUTPUT) + "}}}\n\n";
            }
            return word + word + (body.contains("include_usage") ? usage : "") + "data: [DONE]\n\n";
        }
    }

    @Override
    public void close() {
        letGo();
        try {
            server.stop();
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }
}
