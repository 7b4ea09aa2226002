package dev.sandglass.wire.tar;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times as pax headers have them: decimal seconds since 1970, with a fraction, perhaps negative. */
public final class TarTime {
    /** Far enough for every honest file, near enough for every filesystem. */
    private static final long LATEST = 1L << 33;

    private static final long EARLIEST = -(1L << 31);
    private static final int LONGEST = 40;

    private TarTime() {}

    /** The time of the extended header, or, where it makes no sense, of the plain one. */
    static Instant parse(@Nullable String text, long seconds) {
        if (text != null && text.length() <= LONGEST && text.matches("-?[0-9]{1,19}([.][0-9]*)?")) {
            BigDecimal nanos = new BigDecimal(text + (text.endsWith(".") ? "0" : ""))
                    .movePointRight(9)
                    .setScale(0, RoundingMode.FLOOR);
            BigDecimal[] parts = nanos.divideAndRemainder(BigDecimal.valueOf(1_000_000_000));
            return bounded(parts[0].min(BigDecimal.valueOf(LATEST)).max(BigDecimal.valueOf(EARLIEST)).longValue(), parts[1].longValue());
        }
        return bounded(seconds, 0);
    }

    private static Instant bounded(long seconds, long nanos) {
        return Instant.ofEpochSecond(Math.max(EARLIEST, Math.min(seconds, LATEST)), nanos);
    }

    /** Whether the plain header can hold it. */
    public static boolean fits(Instant time) {
        return time.getNano() == 0 && time.getEpochSecond() >= 0 && time.getEpochSecond() <= LATEST;
    }

    public static String text(Instant time) {
        BigDecimal nanos = BigDecimal.valueOf(time.getEpochSecond()).movePointRight(9).add(BigDecimal.valueOf(time.getNano()));
        return nanos.movePointLeft(9).toPlainString();
    }
}
