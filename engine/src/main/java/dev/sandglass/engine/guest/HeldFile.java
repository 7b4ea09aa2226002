package dev.sandglass.engine.guest;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file that was deleted or replaced and that a process still uses, because of which its memory may not be captured.
 *
 * @param command what the process was started with; hostile, as the path is
 */
public record HeldFile(long pid, String command, String path, Use use) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** How it is used. */
    public enum Use {
        OPEN("has it open"),
        MAPPED("has it in memory"),
        WORKING_DIRECTORY("works in it");

        private final String words;

        Use(String words) {
            this.words = words;
        }

        private static Use of(long number) {
            return number == 2 ? MAPPED : number == 3 ? WORKING_DIRECTORY : OPEN;
        }
    }

    /** Those of the root filesystem, as far as the agent sees them and at most 64; none when the agent is too old to look. */
    public static List<HeldFile> find(GuestLink link) throws IOException {
        return find(link, "/");
    }

    static List<HeldFile> find(GuestLink link, String path) throws IOException {
        List<HeldFile> found = new ArrayList<>();
        try (GuestFile file = link.file(new FileRequest(FileRequest.Operation.DELETED, path)).patience(PATIENCE)) {
            for (Optional<FieldReader> next = file.nextRecord(); next.isPresent(); next = file.nextRecord()) {
                FieldReader fields = next.get();
                found.add(new HeldFile(
                        fields.number(1), fields.text(2).orElse(""), fields.text(3).orElse(""), Use.of(fields.number(4))));
            }
        } catch (SandglassException problem) {
            if (!problem.what().contains("unknown operation")) {
                throw problem;
            }
        }
        return found;
    }

    /** For people, in one line. */
    public String text() {
        return (path + ": process " + pid + " (" + command + ") " + use.words).replaceAll("\\p{Cntrl}", "?");
    }
}
