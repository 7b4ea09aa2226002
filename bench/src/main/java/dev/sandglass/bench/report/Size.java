package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;

/**
 * How much of it is done.
 *
 * @param creates sandboxes that are created, {@link #CREATES_AT_ONCE} at once
 * @param execs commands that are run in one sandbox, {@link #EXECS_AT_ONCE} at once
 * @param fileMegabytes the size of the file that is written and read
 * @param files on a disk that is captured
 * @param copies that go on from one snapshot
 * @param requests that go out of one sandbox, or into it, {@link #EXECS_AT_ONCE} at once
 * @param calls of one thing that is no round beside others
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Size(int creates, int execs, int fileMegabytes, int files, int copies, int requests, int calls) {
    public static final Size WHOLE = new Size(100, 200, 1024, 20_000, 32, 1600, 9);
    public static final Size QUICK = new Size(16, 32, 64, 20_000, 32, 320, 9);
    /** All of it, and of each as little as can be. */
    public static final Size SMOKE = new Size(2, 2, 1, 200, 2, 16, 1);
    public static final int CREATES_AT_ONCE = 8;
    public static final int EXECS_AT_ONCE = 16;
}
