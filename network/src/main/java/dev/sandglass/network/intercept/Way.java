package dev.sandglass.network.intercept;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.Transport;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** How a request of a sandbox gets to a server: to the address that was judged, and never to another that the name may lead to meanwhile. */
public final class Way extends Transport.Socket {
    /** Opens channels where sandboxes are let out. */
    public interface Door {
        SocketChannel open() throws IOException;
    }

    private final Door door;
    private final Object owner;
    private final InetSocketAddress place;
    private final Room room;

    /** @param room of which each connection takes a share */
    Way(Door door, Object owner, InetSocketAddress place, Room room) {
        this.door = door;
        this.owner = owner;
        this.place = place;
        this.room = room;
    }

    /** The side of a server. */
    private static final class Exit extends SocketChannelEndPoint implements Backlog.Side {
        private final Room.Share share;

        Exit(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler, Room.Share share) {
            super(channel, selector, key, scheduler);
            this.share = share;
        }

        @Override
        public Room.Share share() {
            return share;
        }

        @Override
        public void onClose(@Nullable Throwable cause) {
            super.onClose(cause);
            share.giveBack();
        }
    }

    @Override
    public boolean requiresDomainNameResolution() {
        return false;
    }

    @Override
    public SocketAddress getSocketAddress() {
        return place;
    }

    @Override
    public SelectableChannel newSelectableChannel() throws IOException {
        return door.open();
    }

    @Override
    public EndPoint newEndPoint(Scheduler scheduler, ManagedSelector selector, SelectableChannel channel, SelectionKey key) {
        Room.Share share = room.take(owner, Weight.CONNECTION).orElseThrow(() -> new RejectedExecutionException("there are too many connections to servers at once"));
        return new Exit((SocketChannel) channel, selector, key, scheduler, share);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Way way && way.owner.equals(owner) && way.place.equals(place);
    }

    @Override
    public int hashCode() {
        return 31 * owner.hashCode() + place.hashCode();
    }
}
