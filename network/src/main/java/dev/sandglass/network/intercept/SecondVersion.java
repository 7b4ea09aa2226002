package dev.sandglass.network.intercept;

import java.util.Optional;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.Callback;

/** HTTP/2 towards sandboxes. A request whose head cannot be read is answered; what else cannot be read ends the connection, and leaves a line in the log. */
final class SecondVersion extends HTTP2ServerConnectionFactory {
    /** How the reasons of the library begin for what it does not understand. */
    private static final String UNREADABLE = "/invalid_";

    SecondVersion(HttpConfiguration http) {
        super(http);
    }

    /** As the library makes it, which lets nobody say what reads it. */
    @Override
    public Connection newConnection(Connector connector, EndPoint end) {
        HeadWatch parser = new HeadWatch(connector.getByteBufferPool(), getHttpConfiguration().getRequestHeaderSize(), getRateControlFactory().newRateControl(end));
        parser.setMaxSettingsKeys(getMaxSettingsKeys());
        Generator generator = new Generator(connector.getByteBufferPool(), isUseOutputDirectByteBuffers(), getMaxHeaderBlockFragment());
        generator.getHpackEncoder().setMaxHeaderListSize(getHttpConfiguration().getResponseHeaderSize());
        ServerSessionListener listener = newSessionListener(connector, end);
        HTTP2ServerSession session = new HTTP2ServerSession(connector.getScheduler(), end, parser, generator, listener, getFlowControlStrategyFactory().newFlowControlStrategy());
        session.setMaxLocalStreams(getMaxConcurrentStreams());
        session.setMaxRemoteStreams(getMaxConcurrentStreams());
        session.setMaxEncoderTableCapacity(getMaxEncoderTableCapacity());
        session.setStreamIdleTimeout(end.getIdleTimeout());
        session.setInitialSessionRecvWindow(getInitialSessionRecvWindow());
        session.setWriteThreshold(getHttpConfiguration().getOutputBufferSize());
        session.setConnectProtocolEnabled(isConnectProtocolEnabled());
        SecondConnection connection = new SecondConnection(connector, end, getHttpConfiguration(), session, listener, parser);
        connection.setUseInputDirectByteBuffers(isUseInputDirectByteBuffers());
        connection.setUseOutputDirectByteBuffers(isUseOutputDirectByteBuffers());
        parser.init(connection);
        return configure(connection, connector, end);
    }

    @Override
    protected ServerSessionListener newSessionListener(Connector connector, EndPoint end) {
        return new HTTPServerSessionListener(end) {
            @Override
            public void onFailure(Session session, Throwable failure, Callback callback) {
                String said = String.valueOf(failure.getMessage());
                if (said.contains(UNREADABLE)) {
                    Reception.of(end).refused(Optional.empty(), 0, "malformed: HTTP/2 that cannot be read (" + said + ")");
                }
                super.onFailure(session, failure, callback);
            }
        };
    }
}
