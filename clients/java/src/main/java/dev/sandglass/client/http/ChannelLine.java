package dev.sandglass.client.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A line over a unix or TCP socket channel. */
final class ChannelLine implements Line {
    private final SocketChannel channel;

    ChannelLine(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer, offset, length));
    }

    @Override
    public int readNow(byte[] buffer, int offset, int length) throws IOException {
        channel.configureBlocking(false);
        try {
            return read(buffer, offset, length);
        } finally {
            channel.configureBlocking(true);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
