package dev.sandglass.bench.network;

import dev.sandglass.bench.Rounds;
import java.io.IOException;

/** Somebody who sends requests to a server, in one way or another. */
public interface Caller extends Rounds.Entrant {
    /** A connection for requests. */
    Requests requests() throws IOException;
}
