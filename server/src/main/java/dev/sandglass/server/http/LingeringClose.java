package dev.sandglass.server.http;

import java.util.HashSet;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Lets clients see an answer that comes before they have sent all of their request. Thread-safe.
 *
 * <p>A connection that is closed with bytes unread is reset by the kernel, which may take the answer away from under the client; so what the
 * client still sends is read and dropped for a while, as far as the bounds go.
 */
public final class LingeringClose implements Connection.Listener {
    private final LingerBounds bounds;
    private final ConnectionBudget budget;
    private final Set<Connection> lingering = new HashSet<>();

    public LingeringClose(LingerBounds bounds, ConnectionBudget budget) {
        this.bounds = bounds;
        this.budget = budget;
    }

    /** What is to be called once the answer is written: if the request is not all there, the connection ends with this answer, and lingers. */
    public Callback after(Request request, Response response, Callback callback) {
        return request.consumeAvailable() ? callback : afterLast(request, response, callback);
    }

    /** What is to be called once the last answer of a connection is written. */
    public Callback afterLast(Request request, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        EndPoint end = request.getConnectionMetaData().getConnection().getEndPoint();
        if (end.isFillInterested()) {
            return callback; // a read that came to nothing still waits: this client sends nothing
        }
        DroppingConnection dropping = new DroppingConnection(end, request.getComponents().getExecutor(), bounds, callback);
        dropping.addEventListener(this);
        return Callback.from(() -> end.upgrade(dropping), callback::failed);
    }

    synchronized int lingering() {
        return lingering.size();
    }

    @Override
    public synchronized void onOpened(Connection connection) {
        if (lingering.size() >= bounds.connections()) {
            connection.close();
        } else if (connection.getEndPoint().isOpen()) {
            lingering.add(connection);
        }
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        lingering.remove(connection);
        budget.onClosed(connection);
    }
}
