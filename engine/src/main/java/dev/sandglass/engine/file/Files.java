package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.engine.guest.FileRequest;
import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.EntryList;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.ExtendedAttributes;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.Unpacked;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The files of sandboxes. Thread-safe; calls block while bytes move. */
public final class Files {
    static final int MAX_ENTRIES = 100_000;
    /** Of all names of a listing together: a hostile tree has long ones. */
    static final long MAX_NAME_CHARACTERS = 4 << 20;
    /** Of one file, with their names; no kernel gives more. */
    private static final long MAX_ATTRIBUTE_BYTES = 8 << 20;
    private static final int PARENTS = 1;
    private static final int WHOLE_OR_NOTHING = 8;
    private static final int NEW_FILE_MODE = 0644;
    private static final int NEW_DIRECTORY_MODE = 0755;

    private static final Instant EARLIEST = Instant.parse("1700-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("2262-01-01T00:00:00Z");

    private final LiveSandboxes sandboxes;

    public Files(LiveSandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    /** Opens a file to read; the caller closes it. */
    public FileContent read(Location at, long offset, OptionalLong length) {
        return content(open(at, at.request(Operation.READ).range(offset, length.orElse(Long.MAX_VALUE))), at.path(), offset, length);
    }

    static FileContent content(GuestFile file, String path, long offset, OptionalLong length) {
        try {
            Entry entry = Records.entry(file.record(), path);
            long rest = Math.max(0, entry.size() - offset);
            return new FileContent(entry, Math.min(rest, length.orElse(Long.MAX_VALUE)), file);
        } catch (IOException problem) {
            file.close();
            throw Records.broken(problem);
        } catch (SandglassException problem) {
            file.close();
            throw problem;
        }
    }

    /** Writes a file with its parents, whole or not at all. An error of the body's own comes out as it is. */
    public Entry write(Location at, OptionalInt mode, Optional<Instant> modifiedAt, InputStream body) throws IOException {
        FileRequest request =
                at.request(Operation.WRITE).flags(PARENTS | WHOLE_OR_NOTHING).mode(mode.orElse(NEW_FILE_MODE));
        modifiedAt.ifPresent(time -> request.modifiedAt(expressible(time)));
        try (GuestFile file = open(at, request)) {
            file.sendAll(body);
            return Records.entry(file.record(), at.path());
        }
    }

    public Entry stat(Location at, boolean follow) {
        return entry(at, at.request(Operation.STAT).flags(follow ? 1 : 0), at.path());
    }

    public EntryList list(Location at, int depth) {
        try (GuestFile file = open(at, at.request(Operation.LIST).depth(depth))) {
            List<Entry> entries = new ArrayList<>();
            long nameCharacters = 0;
            for (Optional<FieldReader> next = file.nextRecord(); next.isPresent(); next = file.nextRecord()) {
                String name = next.get().text(1).orElse("");
                nameCharacters += name.length();
                if (entries.size() == MAX_ENTRIES || nameCharacters > MAX_NAME_CHARACTERS) {
                    return new EntryList(entries, true);
                }
                entries.add(Records.entry(next.get(), name));
            }
            return new EntryList(entries, false);
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    public Entry makeDirectory(Location at, OptionalInt mode) {
        return entry(at, at.request(Operation.MKDIR).flags(PARENTS).mode(mode.orElse(NEW_DIRECTORY_MODE)), at.path());
    }

    public Entry move(Location at, String to) {
        return entry(at, at.request(Operation.MOVE).secondPath(to).flags(PARENTS), to);
    }

    public void remove(Location at, boolean recursive) {
        run(at, at.request(Operation.REMOVE).flags(recursive ? 1 : 0));
    }

    public Entry setAttributes(Location at, SetAttributes change) {
        Map<String, @Nullable String> attributes = change.xattrs() == null ? Map.of() : change.xattrs();
        attributes.forEach((name, value) -> {
            if (value == null) {
                run(at, at.request(Operation.XATTR_REMOVE).attribute(name));
            } else {
                run(at, at.request(Operation.XATTR_SET).attribute(name).value(decode(name, value)));
            }
        });
        String mode = change.mode();
        String owner = change.owner();
        String group = change.group();
        if (mode == null && owner == null && group == null) {
            return stat(at, false);
        }
        FileRequest request = at.request(Operation.SET).flags(Boolean.TRUE.equals(change.recursive()) ? 1 : 0);
        if (mode != null) {
            request.mode(Integer.parseInt(mode, 8));
        }
        if (owner != null) {
            request.owner(owner);
        }
        if (group != null) {
            request.group(group);
        }
        return entry(at, request, at.path());
    }

    public ExtendedAttributes attributes(Location at) {
        try (GuestFile file = open(at, at.request(Operation.XATTR_GET))) {
            Map<String, String> attributes = new TreeMap<>();
            long bytes = 0;
            for (Optional<FieldReader> next = file.nextRecord(); next.isPresent(); next = file.nextRecord()) {
                byte[] value = next.get().bytes(2).orElse(new byte[0]);
                String name = next.get().text(1).orElse("");
                bytes += name.length() + value.length;
                if (bytes > MAX_ATTRIBUTE_BYTES) {
                    throw new IOException("attributes of more than " + MAX_ATTRIBUTE_BYTES + " bytes");
                }
                attributes.put(name, Base64.getEncoder().encodeToString(value));
            }
            return new ExtendedAttributes(attributes);
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    public Watch watch(Location at, boolean recursive) {
        return new Watch(open(at, at.request(Operation.WATCH).flags(recursive ? 1 : 0)).patience(GuestReader.FOR_EVER));
    }

    /** A tar archive of the path; the caller closes it. What goes wrong is thrown by its {@code read}. */
    public InputStream pack(Location at, boolean contentOnly) {
        stat(at, true); // so that a path that is not there is told before the first byte
        return open(at, at.request(Operation.PACK).flags(contentOnly ? 1 : 0));
    }

    public Unpacked unpack(Location at, boolean keepIds, InputStream body) throws IOException {
        try (GuestFile file = open(at, at.request(Operation.UNPACK).flags(keepIds ? 1 : 0))) {
            file.sendAll(body);
            FieldReader record = file.record();
            return new Unpacked(record.number(1), record.number(2));
        }
    }

    private GuestFile open(Location at, FileRequest request) {
        return open(at.sandbox(), _ -> request);
    }

    /** @param request made for the sandbox as it runs now */
    GuestFile open(String sandbox, Function<LiveSandbox, FileRequest> request) {
        try {
            return sandboxes.use(sandbox, in -> in.link().file(request.apply(in)));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    private Entry entry(Location at, FileRequest request, String path) {
        try (GuestFile file = open(at, request)) {
            Entry entry = Records.entry(file.record(), path);
            file.finish();
            return entry;
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    private void run(Location at, FileRequest request) {
        try (GuestFile file = open(at, request)) {
            file.finish();
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    /** The agent counts nanoseconds in 64 bits. */
    private static Instant expressible(Instant time) {
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "modified_at: " + time + " (expected: between " + EARLIEST + " and " + LATEST + ")",
                    "Leave it out, or choose a time in between.");
        }
        return time;
    }

    private static byte[] decode(String name, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException problem) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "The value of the attribute " + name + " is not base64.", "Encode the bytes as base64.", problem);
        }
    }
}
