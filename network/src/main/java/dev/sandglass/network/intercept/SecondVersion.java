package dev.sandglass.network.intercept;

import java.util.Optional;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.Callback;

/** HTTP/2 towards sandboxes. What cannot be read of it ends the connection before there is a request to be answered, and leaves a line in the log. */
final class SecondVersion extends HTTP2ServerConnectionFactory {
    /** How the reasons of the library begin for what it does not understand, of which a head that is too large is one. */
    private static final String UNREADABLE = "/invalid_";

    SecondVersion(HttpConfiguration http) {
        super(http);
    }

    @Override
    protected ServerSessionListener newSessionListener(Connector connector, EndPoint end) {
        return new HTTPServerSessionListener(end) {
            @Override
            public void onFailure(Session session, Throwable failure, Callback callback) {
                String said = String.valueOf(failure.getMessage());
                if (said.contains(UNREADABLE)) {
                    String why = "malformed: HTTP/2 that cannot be read, or a head of more than " + 2 * Interception.HEAD / 1024 + " KiB (" + said + ")";
                    Reception.of(end).refused(Optional.empty(), 0, why);
                }
                super.onFailure(session, failure, callback);
            }
        };
    }
}
