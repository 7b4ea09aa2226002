package dev.sandglass.bench.report;

import io.avaje.jsonb.Json;

/**
 * How much of it is done.
 *
 * @param creates sandboxes that are created, {@link #CREATES_AT_ONCE} at once
 * @param execs commands that are run in one sandbox, {@link #EXECS_AT_ONCE} at once
 * @param fileMegabytes the size of the file that is written and read
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record Size(int creates, int execs, int fileMegabytes) {
    public static final Size WHOLE = new Size(100, 200, 1024);
    public static final Size QUICK = new Size(16, 32, 64);
    public static final int CREATES_AT_ONCE = 8;
    public static final int EXECS_AT_ONCE = 16;
}
