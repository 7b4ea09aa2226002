package dev.sandglass.server;

/** The version of this program. */
final class Version {
    static final String TEXT = "0.1.0";

    private Version() {}
}
