package dev.sandglass.client.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A line over TLS, the certificate checked against the host name. */
final class TlsLine implements Line {
    /** How long the rest of what has begun to come is waited for. */
    private static final int NOW_MILLIS = 5;

    private final Socket plain = new Socket();
    private final SSLSocket socket;

    TlsLine(SSLSocketFactory factory, String host, int port, int connectMillis) throws IOException {
        try {
            plain.connect(new InetSocketAddress(host, port), connectMillis);
            socket = (SSLSocket) factory.createSocket(plain, host, port, true);
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
        if (socket.getInputStream().available() == 0 && plain.getInputStream().available() == 0) { // the first tells of what is decrypted only
            return 0;
        }
        socket.setSoTimeout(NOW_MILLIS);
        try {
            return read(buffer, offset, length);
        } catch (SocketTimeoutException nothingYet) { // a part of a record, or the protocol's own
            return 0;
        } finally {
            socket.setSoTimeout(0);
        }
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
