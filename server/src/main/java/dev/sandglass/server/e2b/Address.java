package dev.sandglass.server.e2b;

/** What a call of an E2B client is addressed to, before anybody has looked whether that is there. */
sealed interface Address {
    /** The control plane. */
    record Control() implements Address {}

    /**
     * A port of a sandbox.
     *
     * @param sandbox as the client calls it
     */
    record Inside(String sandbox, int port) implements Address {}

    /** The processes and files of the sandbox whose token or signature came along. */
    record Untold() implements Address {}
}
