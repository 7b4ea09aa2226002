package dev.sandglass.network.intercept;

import dev.sandglass.engine.network.Request;
import java.io.IOException;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Takes room for the head of each request until it is over. Whoever has too much under way loses the connection: an answer would have to wait like all others until he takes it.
 */
final class Weighing extends Handler.Wrapper {
    private static final String SHARE = Room.Share.class.getName();

    private final Room room;

    Weighing(Room room, Handler next) {
        super(next);
        this.room = room;
    }

    @Override
    public boolean handle(org.eclipse.jetty.server.Request asked, Response response, Callback callback) throws Exception {
        Conversation conversation = Hearing.conversation(asked);
        Optional<Room.Share> share = room.take(conversation.owner(), Weight.head(asked.getHeaders()));
        if (share.isEmpty()) {
            refuse(asked, conversation, callback);
            return true;
        }
        asked.setAttribute(SHARE, share.get());
        org.eclipse.jetty.server.Request.addCompletionListener(asked, _ -> share.get().giveBack());
        return super.handle(asked, response, callback);
    }

    private static void refuse(org.eclipse.jetty.server.Request asked, Conversation conversation, Callback callback) {
        conversation.refused(Request.parse(asked.getMethod(), String.valueOf(asked.getHttpURI().getPathQuery())), 0, "too much is under way at once");
        IOException full = new IOException("there is no room for the request");
        asked.getConnectionMetaData().getConnection().getEndPoint().close(full);
        callback.failed(full);
    }

    /** Whether there is room for the head of the answer too. */
    static boolean fits(org.eclipse.jetty.server.Request asked, HttpFields answer) {
        return asked.getAttribute(SHARE) instanceof Room.Share share && share.grow(Weight.head(answer));
    }
}
