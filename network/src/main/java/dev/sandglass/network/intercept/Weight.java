package dev.sandglass.network.intercept;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

/** What things that a sandbox or a server can make many of take of the daemon's memory, reckoned high: most of it is not bytes that were sent, but what is kept about them. */
final class Weight {
    /** A connection: its buffers, and what TLS keeps of it. */
    static final int CONNECTION = 48 << 10;
    /** What is read of a connection of HTTP/2 at once. A piece of a body that waits keeps as much if nothing else came with it. */
    static final int INPUT = 8 << 10;

    private static final int HEAD = 4 << 10;
    private static final int FIELD = 128;

    private Weight() {}

    /** A piece of a body that came over HTTP/2 and that nobody has taken yet. */
    static int piece(int length) {
        return length + INPUT;
    }

    static int head(HttpFields fields) {
        int sum = HEAD;
        for (HttpField field : fields) {
            String value = field.getValue();
            sum += FIELD + field.getName().length() + (value == null ? 0 : value.length());
        }
        return sum;
    }
}
