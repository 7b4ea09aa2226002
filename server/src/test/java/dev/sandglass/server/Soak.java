package dev.sandglass.server;

/** Whether the long variants of tests are asked for: {@code -Dsandglass.soak=true}. */
final class Soak {
    private Soak() {}

    static boolean on() {
        return Boolean.getBoolean("sandglass.soak");
    }
}
