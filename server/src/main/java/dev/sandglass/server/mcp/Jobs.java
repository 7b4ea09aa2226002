package dev.sandglass.server.mcp;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is being worked on for one client, so that it can take it back. Thread-safe. */
final class Jobs {
    private static final int MOST = 32;

    private final Map<Object, Job> jobs = new HashMap<>();
    private boolean over;

    synchronized void begin(Object request, Job job) {
        if (jobs.size() >= MOST) {
            throw new RpcException(RpcException.INVALID_REQUEST, jobs.size() + " requests are being worked on (expected: fewer than " + MOST + ").", "Wait for some to be answered, or cancel them.");
        }
        if (over || jobs.putIfAbsent(request, job) != null) {
            throw new RpcException(RpcException.INVALID_REQUEST, "id: a request with this id is being worked on.", "Give each request an id of its own.");
        }
    }

    synchronized void end(Object request, Job job) {
        jobs.remove(request, job);
    }

    synchronized boolean isEmpty() {
        return jobs.isEmpty();
    }

    /** Takes a request back; one that is unknown or answered is left alone. */
    synchronized void cancel(@Nullable Object request) {
        Job job = jobs.get(request);
        if (job != null) {
            job.cancel();
        }
    }

    /** The client has left, and takes all of it back; or this daemon leaves, and what was begun goes on. */
    synchronized void close(boolean clientLeft) {
        over = true;
        jobs.values().forEach(clientLeft ? Job::cancel : Job::abandon);
    }
}
