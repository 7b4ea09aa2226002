package dev.sandglass.cli.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A line over TLS, the certificate checked against the host name. */
final class TlsLine implements Line {
    private final SSLSocket socket;

    TlsLine(String host, int port, int connectMillis) throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(host, port), connectMillis);
            socket = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(plain, host, port, true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
        } catch (IOException problem) {
            plain.close();
            throw problem;
        }
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        return socket.getInputStream().read(buffer, offset, length);
    }

    @Override
    public int readNow(byte[] buffer, int offset, int length) throws IOException {
        int there = socket.getInputStream().available();
        return there == 0 ? 0 : read(buffer, offset, Math.min(there, length));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        socket.getOutputStream().write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
