package dev.sandglass.client.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.ssl.SSLSocketFactory;

/** Where a server listens. */
public sealed interface Endpoint {
    int CONNECT_MILLIS = 10_000;

    Line open() throws IOException;

    /** What stands in the Host header. */
    String authority();

    /** As a person knows it. */
    String shown();

    /** A unix socket. */
    record Unix(Path socket) implements Endpoint {
        @Override
        public Line open() throws IOException {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return new ChannelLine(channel);
            } catch (IOException | RuntimeException problem) {
                channel.close();
                throw problem;
            }
        }

        @Override
        public String authority() {
            return "localhost";
        }

        @Override
        public String shown() {
            return socket.toString();
        }
    }

    /** A TCP port, with TLS or without. */
    record Tcp(String host, int port, boolean tls) implements Endpoint {
        @Override
        public Line open() throws IOException {
            if (tls) {
                return new TlsLine((SSLSocketFactory) SSLSocketFactory.getDefault(), host, port, CONNECT_MILLIS);
            }
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
                channel.socket().setTcpNoDelay(true);
                return new ChannelLine(channel);
            } catch (IOException | RuntimeException problem) {
                channel.close();
                throw problem;
            }
        }

        @Override
        public String authority() {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }

        @Override
        public String shown() {
            return (tls ? "https://" : "http://") + authority();
        }
    }
}
