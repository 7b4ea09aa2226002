package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Writes to a connection that nobody reads from. */
final class Flood {
    private static final long MOST = 256L << 20;

    private Flood() {}

    /** Until nothing more is taken between two looks; the bytes that were. */
    static long into(SocketChannel server) throws IOException {
        server.configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocate(1 << 20);
        long[] written = {0};
        await().until(() -> {
            long before = written[0];
            int took = 1;
            while (took > 0 && written[0] < MOST) {
                took = server.write(much.clear());
                written[0] += took;
            }
            return before == written[0];
        });
        assertThat(written[0]).isBetween(1L, MOST - 1);
        return written[0];
    }
}
