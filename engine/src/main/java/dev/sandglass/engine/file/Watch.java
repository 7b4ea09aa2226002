package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WatchEvent;
import java.io.IOException;
import java.util.Optional;

/** A directory that is being watched; the first event is {@code ready}. Used by one thread; close ends the watch. */
public final class Watch implements AutoCloseable {
    private final GuestFile file;
    private boolean ready;

    Watch(GuestFile file) {
        this.file = file;
    }

    /** The next event; blocks for it. */
    public WatchEvent next() {
        try {
            FieldReader record = file.nextRecord()
                    .orElseThrow(() -> new SandglassException(
                            ErrorCode.FILE_REFUSED, "The watch has ended.", "The directory may have been removed."));
            if (!ready) {
                ready = true;
                return new WatchEvent("ready", null, null);
            }
            Optional<String> path = record.text(2);
            return new WatchEvent(eventText((int) record.number(1)), path.orElse(null), record.number(3) != 0);
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    private static String eventText(int event) {
        return switch (event) {
            case 1 -> "create";
            case 2 -> "write";
            case 3 -> "remove";
            case 4 -> "rename_from";
            case 5 -> "rename_to";
            case 6 -> "attributes";
            default -> "overflow";
        };
    }

    @Override
    public void close() {
        file.close();
    }
}
