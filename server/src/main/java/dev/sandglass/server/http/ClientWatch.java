package dev.sandglass.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;

/**
 * Tells when the client closes its side of the connection. Until it is closed nobody else may read from the
 * connection. Thread-safe.
 */
public final class ClientWatch implements Callback, AutoCloseable {
    private final EndPoint end;
    private final Runnable departure;
    private boolean over;
    private boolean spoiled;

    private ClientWatch(EndPoint end, Runnable departure) {
        this.end = end;
        this.departure = departure;
    }

    /** @param departure what is done then, which must be quick */
    public static ClientWatch of(EndPoint end, Runnable departure) {
        ClientWatch watch = new ClientWatch(end, departure);
        end.tryFillInterested(watch);
        return watch;
    }

    /** Something can be read: the end, or the beginning of the next request, of which the first byte is lost. */
    @Override
    public synchronized void succeeded() {
        if (over) {
            return; // Jetty reads on by itself
        }
        try {
            int read = end.fill(ByteBuffer.allocate(1).limit(0));
            if (read < 0) {
                departure.run();
            }
            spoiled = read > 0;
        } catch (IOException gone) {
            departure.run();
        }
    }

    @Override
    public synchronized void failed(Throwable gone) {
        if (!over) {
            departure.run();
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    /** Whether nothing more can be read from this connection. */
    public synchronized boolean spoiled() {
        return spoiled;
    }

    /** Gives the connection back to Jetty. */
    @Override
    public void close() {
        synchronized (this) {
            over = true;
        }
        if (end instanceof AbstractEndPoint ours) {
            ours.getFillInterest().onFail(new CancellationException("not watched any more"));
        }
    }
}
