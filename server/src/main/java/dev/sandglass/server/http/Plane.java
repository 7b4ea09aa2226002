package dev.sandglass.server.http;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;

/** What is served on the port of the API besides it, for clients that speak as others have them speak. Thread-safe. */
public interface Plane {
    /** As metrics call it. */
    String name();

    /** Whether a call is for this plane; nothing is read of its body. What no plane takes is for the API. */
    boolean takes(Call call);

    /** Serves a call, and lets in who may; it may block, and answers once. */
    void serve(Call call) throws IOException, InterruptedException;

    /** Tells an error in the words of its clients, of a call that has answered nothing. */
    void refuse(Call call, SandglassException problem) throws IOException;
}
