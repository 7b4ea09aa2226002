package dev.sandglass.network.egress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/** A real server that echoes what comes by WebSocket, tells what it sees of other requests, and speaks HTTP/2 with whoever offers it. */
final class WebSocketEcho implements AutoCloseable {
    private static final int LARGEST = 1 << 20;

    private final Server server = new Server();

    WebSocketEcho(ServerSocketChannel listener, Optional<SSLContext> tls) throws IOException {
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector = tls.isPresent() ? secured(http, tls.get()) : new ServerConnector(server, new HttpConnectionFactory(http));
        server.addConnector(connector);
        WebSocketUpgradeHandler conversations = WebSocketUpgradeHandler.from(server, container -> {
            container.setMaxTextMessageSize(LARGEST);
            container.addMapping("/ws", (request, _, _) -> new Echo("authorization=" + request.getHeaders().get("Authorization")));
        });
        conversations.setHandler(new Told());
        server.setHandler(conversations);
        try {
            connector.open(listener);
            server.start();
        } catch (Exception problem) {
            throw new IOException(problem);
        }
    }

    private ServerConnector secured(HttpConfiguration http, SSLContext context) {
        http.addCustomizer(new SecureRequestCustomizer(false));
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context);
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        alpn.setDefaultProtocol("http/1.1");
        return new ServerConnector(server, new SslConnectionFactory(tls, alpn.getProtocol()), alpn, new HTTP2ServerConnectionFactory(http), new HttpConnectionFactory(http));
    }

    /** Answers other requests with what it sees of them, but knows of no other conversations. */
    private static final class Told extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, org.eclipse.jetty.util.Callback callback) {
            if (request.getHeaders().contains(HttpHeader.UPGRADE)) {
                return false;
            }
            String fields = request.getHeaders().stream().map(field -> field.getName().toLowerCase(Locale.ROOT) + ": " + field.getValue()).sorted().collect(Collectors.joining("\n"));
            Content.Sink.write(response, true, request.getConnectionMetaData().getProtocol() + " " + request.getMethod() + " " + request.getHttpURI() + "\n" + fields + "\n", callback);
            return true;
        }
    }

    /** Says first what it was opened with. */
    public static final class Echo implements Session.Listener.AutoDemanding {
        private final String greeting;
        private Optional<Session> session = Optional.empty();

        Echo(String greeting) {
            this.greeting = greeting;
        }

        @Override
        public void onWebSocketOpen(Session opened) {
            session = Optional.of(opened);
            opened.sendText(greeting, Callback.NOOP);
        }

        @Override
        public void onWebSocketText(String text) {
            session.orElseThrow().sendText(text, Callback.NOOP);
        }

        @Override
        public void onWebSocketBinary(ByteBuffer bytes, Callback done) {
            session.orElseThrow().sendBinary(bytes, done);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception problem) {
            throw new IOException(problem);
        }
    }
}
