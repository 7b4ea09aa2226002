package dev.sandglass.server.mcp;

import dev.sandglass.server.http.Departure;
import dev.sandglass.server.http.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that is being worked on, by one thread; any may end it. */
final class Job {
    /** Nobody reads faster, and each costs a message. */
    private static final long BETWEEN_NANOS = Duration.ofMillis(200).toNanos();
    private static final int MOST_SHOWN = 1000;

    private final Departure departure = new Departure();
    private final Outlet outlet;
    private final @Nullable Object token;
    private long lastNanos = System.nanoTime() - BETWEEN_NANOS;
    private double reported = -1;
    private volatile boolean cancelled;

    /** @param outlet where its notifications go */
    Job(Message.Request request, Outlet outlet) {
        this.outlet = outlet;
        Object given = request.meta().get("progressToken");
        if (given instanceof Double || (given instanceof String text && text.length() > Message.MOST_TOKEN)) {
            throw RpcException.invalidParams("progressToken: it is neither a whole number nor a text of at most " + Message.MOST_TOKEN + " characters.", "Choose another one.");
        }
        this.token = given instanceof String || given instanceof Long ? given : null;
    }

    /** Waits for something for as long as the client wants it. */
    <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        return departure.await(wait);
    }

    /** The client does not want it any more: what was begun for it is to be taken back. */
    void cancel() {
        cancelled = true;
        departure.happen();
    }

    /** Nobody waits any more; what was begun goes on. */
    void abandon() {
        departure.happen();
    }

    boolean cancelled() {
        return cancelled;
    }

    /** Tells how far it has come, if the client asked for it and was not told just now. */
    void progress(double done, @Nullable Double total, String what) throws IOException, InterruptedException {
        if (token == null || done <= reported || System.nanoTime() - lastNanos < BETWEEN_NANOS) {
            return;
        }
        reported = done;
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        params.put("progressToken", token);
        params.put("progress", done);
        params.put("total", total);
        params.put("message", what.substring(Math.max(0, what.length() - MOST_SHOWN)));
        tell(new Message.Notification("notifications/progress", params));
        lastNanos = System.nanoTime();
    }

    void tell(Message.Notification notification) throws IOException, InterruptedException {
        outlet.send(notification.bytes());
    }
}
