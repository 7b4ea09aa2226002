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
    /** For all of the answer: the sandbox's lock is held meanwhile. */
    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private static final int MOST = 64;
    /** Characters of a path or a command that are shown. */
    private static final int SHOWN = 300;

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

    /**
     * Those of the root filesystem and of others, as far as the agent sees them and at most 64 of each, whatever it says; none when the agent is too old to look.
     *
     * @param others places of other filesystems
     */
    public static List<HeldFile> find(GuestLink link, List<String> others) throws IOException {
        List<HeldFile> found = find(link, "/");
        for (String path : others) {
            found.addAll(find(link, path));
        }
        return found;
    }

    static List<HeldFile> find(GuestLink link, String path) throws IOException {
        List<HeldFile> found = new ArrayList<>();
        try (GuestFile file = link.ask(new FileRequest(FileRequest.Operation.DELETED, path)).within(AT_MOST)) {
            for (Optional<FieldReader> next = file.nextRecord(); next.isPresent() && found.size() < MOST; next = file.nextRecord()) {
                FieldReader fields = next.get();
                found.add(new HeldFile(
                        fields.number(1), cut(fields.text(2)), cut(fields.text(3)), Use.of(fields.number(4))));
            }
        } catch (SandglassException problem) {
            if (!problem.what().contains("unknown operation")) {
                throw problem;
            }
        }
        return found;
    }

    private static String cut(Optional<String> text) {
        String whole = text.orElse("");
        return whole.length() <= SHOWN ? whole : whole.substring(0, SHOWN) + "...";
    }

    /** For people, in one line. */
    public String text() {
        return (path + ": process " + pid + " (" + command + ") " + use.words).replaceAll("\\p{Cntrl}", "?");
    }
}
