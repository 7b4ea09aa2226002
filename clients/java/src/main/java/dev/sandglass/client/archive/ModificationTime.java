package dev.sandglass.client.archive;

import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** When files were changed, as it can be set here. */
public final class ModificationTime {
    private ModificationTime() {}

    /** To the nanosecond; before 1970 to the second, because the JDK sets a time with a fraction from then to 1970. */
    public static FileTime settable(Instant time) {
        return FileTime.from(time.getEpochSecond() < 0 ? time.truncatedTo(ChronoUnit.SECONDS) : time);
    }
}
