package dev.sandglass.engine.service;

import dev.sandglass.engine.guest.FileRequest;
import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The unit files of one sandbox, as its agent writes and removes them: the host opens nothing of it. */
record UnitFiles(GuestLink link) {
    private static final String DIRECTORY = "/etc/systemd/system";
    private static final String WANTS = DIRECTORY + "/multi-user.target.wants";
    private static final int PARENTS = 1;
    private static final int MUST_BE_NEW = 4;
    private static final int WHOLE_OR_NOTHING = 8;
    private static final int FINE_IF_ABSENT = 2;
    private static final int FILE_MODE = 0644;
    private static final int DIRECTORY_MODE = 0755;
    /** Nothing here is large; a disk that hangs is told so. */
    private static final Duration AT_MOST = Duration.ofSeconds(60);

    static String path(String name) {
        return DIRECTORY + "/" + name + ".service";
    }

    private static String enabled(String name) {
        return WANTS + "/" + name + ".service";
    }

    /** Whether Sandglass wrote the unit: it may replace and remove it. */
    boolean isOurs(String name) throws IOException {
        byte[] mark = UnitText.MARK.getBytes(StandardCharsets.UTF_8);
        try (GuestFile file = open(new FileRequest(Operation.READ, path(name)).range(0, mark.length))) {
            file.record();
            return new String(file.readNBytes(mark.length), StandardCharsets.UTF_8).equals(UnitText.MARK);
        } catch (SandglassException absent) {
            if (absent.code() != ErrorCode.PATH_NOT_FOUND) {
                throw absent;
            }
            return false;
        }
    }

    /**
     * Writes a unit, whole or not at all.
     *
     * @param replace whether one may be there; else {@code path_exists}
     */
    void write(String name, String text, boolean replace) throws IOException {
        int flags = PARENTS | WHOLE_OR_NOTHING | (replace ? 0 : MUST_BE_NEW);
        try (GuestFile file = open(new FileRequest(Operation.WRITE, path(name)).flags(flags).mode(FILE_MODE))) {
            file.sendAll(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
            file.record();
            file.finish();
        }
    }

    /** Lets it start with the sandbox. */
    void enable(String name) throws IOException {
        run(new FileRequest(Operation.MKDIR, WANTS).flags(PARENTS).mode(DIRECTORY_MODE));
        run(new FileRequest(Operation.REMOVE, enabled(name)).flags(FINE_IF_ABSENT));
        run(new FileRequest(Operation.LINK, enabled(name)).secondPath(path(name)));
    }

    /** Removes it; what is not there is fine. */
    void remove(String name) throws IOException {
        run(new FileRequest(Operation.REMOVE, enabled(name)).flags(FINE_IF_ABSENT));
        run(new FileRequest(Operation.REMOVE, path(name)).flags(FINE_IF_ABSENT));
    }

    private void run(FileRequest request) throws IOException {
        try (GuestFile file = open(request)) {
            file.finish();
        }
    }

    private GuestFile open(FileRequest request) {
        return link.file(request).within(AT_MOST);
    }
}
