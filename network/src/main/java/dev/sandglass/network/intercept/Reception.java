package dev.sandglass.network.intercept;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.io.ssl.SslHandshakeListener;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A connector of the HTTP server that listens nowhere: connections are handed to it, with what was read of them already. */
final class Reception extends AbstractConnector {
    private static final String PLAIN = "http/1.1";
    private static final String NEGOTIATED = "alpn";
    private static final SslContextFactory.Server RULES = new SslContextFactory.Server();

    private final SelectorManager selectors;
    private final Room room;

    /** @param room of which each connection takes a share */
    Reception(Server server, Room room, ConnectionFactory... factories) {
        super(server, null, null, null, 0, factories);
        this.room = room;
        this.selectors = new Selectors(getExecutor(), getScheduler());
        installBean(selectors, true);
    }

    /** What comes with a connection. */
    private record Guest(ByteBuffer said, Optional<SSLContext> tls, Conversation conversation, Room.Share share) {}

    /** The side of a sandbox. */
    static final class Place extends SocketChannelEndPoint implements Backlog.Side {
        private final Set<Runnable> endings = ConcurrentHashMap.newKeySet();
        private @Nullable Guest guest;

        Place(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
            super(channel, selector, key, scheduler);
        }

        private Guest guest() {
            if (guest == null) {
                throw new IllegalStateException("Nobody has come here.");
            }
            return guest;
        }

        Conversation conversation() {
            return guest().conversation;
        }

        /** Runs when the connection ends, whoever ends it; at once if it has ended. */
        void atEnd(Runnable ending) {
            endings.add(ending);
            if (!isOpen()) {
                ending.run();
            }
        }

        void notAtEnd(Runnable ending) {
            endings.remove(ending);
        }

        /** What was read before goes first, as far as its connection had no room for it at once. */
        @Override
        public int fill(ByteBuffer buffer) throws IOException {
            Guest came = guest;
            return came != null && came.said.hasRemaining() ? BufferUtil.append(buffer, came.said) : super.fill(buffer);
        }

        @Override
        public Room.Share share() {
            return guest().share;
        }
    }

    /** Takes a connection over, for good; false if there is no room for it. */
    boolean take(SocketChannel channel, ByteBuffer said, Optional<SSLContext> tls, Conversation conversation) throws IOException {
        channel.configureBlocking(false);
        Optional<Room.Share> share = room.take(conversation.owner(), Weight.CONNECTION);
        share.ifPresent(each -> selectors.accept(channel, new Guest(said, tls, conversation, each)));
        return share.isPresent();
    }

    /** The conversation to which a connection of the server belongs. */
    static Conversation of(Connection connection) {
        return of(connection.getEndPoint());
    }

    /** The same by the side of it that the server reads from. */
    static Conversation of(EndPoint end) {
        return place(end).conversation();
    }

    static Place place(EndPoint end) {
        return (Place) (end instanceof SslConnection.SslEndPoint secured ? secured.getSslConnection().getEndPoint() : end);
    }

    private final class Selectors extends SelectorManager {
        Selectors(Executor executor, Scheduler scheduler) {
            super(executor, scheduler, 1);
        }

        @Override
        protected EndPoint newEndPoint(SelectableChannel channel, ManagedSelector selector, SelectionKey key) {
            Place place = new Place((SocketChannel) channel, selector, key, getScheduler());
            place.setIdleTimeout(getIdleTimeout());
            return place;
        }

        @Override
        public Connection newConnection(SelectableChannel channel, EndPoint end, Object attachment) throws IOException {
            Guest guest = (Guest) attachment;
            ((Place) end).guest = guest;
            guest.conversation.opened(() -> end.close(new EOFException("the gateway ended it")));
            try {
                Connection connection = guest.tls.isPresent() ? secured(end, guest.tls.get(), guest.conversation) : getConnectionFactory(PLAIN).newConnection(Reception.this, end);
                ((Connection.UpgradeTo) connection).onUpgradeTo(guest.said);
                return connection;
            } catch (RuntimeException fault) {
                guest.share.giveBack();
                guest.conversation.closed(); // nobody else would say so, and whoever waits for it would wait for ever
                throw fault;
            }
        }

        private Connection secured(EndPoint end, SSLContext context, Conversation conversation) {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            SslConnection secured = new SslConnection(getByteBufferPool(), getExecutor(), RULES, end, engine);
            secured.addHandshakeListener(new SslHandshakeListener() {
                @Override
                public void handshakeFailed(Event event, Throwable failure) {
                    conversation.notSecured(String.valueOf(failure.getMessage()));
                }
            });
            Connection inner = getConnectionFactory(NEGOTIATED).newConnection(Reception.this, secured.getSslEndPoint());
            secured.getSslEndPoint().setConnection(inner);
            return secured;
        }

        @Override
        protected void endPointOpened(EndPoint end) {
            super.endPointOpened(end);
            onEndPointOpened(end);
        }

        @Override
        protected void endPointClosed(EndPoint end) {
            onEndPointClosed(end);
            super.endPointClosed(end);
            Place place = (Place) end;
            place.endings.forEach(Runnable::run);
            Guest guest = place.guest();
            guest.share.giveBack();
            guest.conversation.closed();
        }
    }

    @Override
    protected void accept(int acceptor) {
        throw new UnsupportedOperationException("Connections are handed over.");
    }

    @Override
    public @Nullable Object getTransport() {
        return null;
    }
}
