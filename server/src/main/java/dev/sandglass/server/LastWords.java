package dev.sandglass.server;

import dev.sandglass.wire.SandglassException;

/** How the programs of the server end when they cannot go on: two lines, what happened and what to do. */
final class LastWords {
    private LastWords() {}

    static void say(SandglassException problem) {
        System.err.println("error: " + problem.what());
        System.err.println("hint: " + problem.hint());
        System.exit(1);
    }
}
