package dev.sandglass.linux;

/**
 * The host's user and group ids that stand for 0, 1, 2 ... inside.
 *
 * @param first the host id of the inside's root
 */
public record IdRange(int first, int count) {
    /** Those of every sandbox: namespaces keep sandboxes apart, and the pool's trees stay plain. */
    public static final IdRange SANDBOXES = new IdRange(100_000, 65_536);

    /** As the kernel reads it. */
    String map() {
        return "0 " + first + " " + count;
    }
}
