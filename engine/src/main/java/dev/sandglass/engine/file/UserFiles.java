package dev.sandglass.engine.file;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.engine.guest.FileRequest;
import dev.sandglass.engine.guest.FileRequest.Operation;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.sandbox.Capability;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Files of sandboxes that are handled with the rights of root for a user, to whom belongs what is made: for clients that expect nothing to be in their way.
 * Where root has no such rights, or the agent is of an earlier version, it is done with the user's own. Thread-safe.
 */
public final class UserFiles {
    private static final int PARENTS = 1;
    private static final int LINK_ENDS = 2;
    private static final int BELOW = 1;
    private static final int MAY_BE_MISSING = 2;
    /** The root of gVisor keeps no attributes. */
    private static final int OR_BESIDE = 1;
    private static final int NEW_DIRECTORY_MODE = 0755;
    /** The agent looks at no more of it either. */
    private static final int MOST_PASSWD_BYTES = 4 << 20;
    private static final int NAME = 0;
    private static final int HOME = 5;

    private final Files files;

    public UserFiles(Files files) {
        this.files = files;
    }

    /** The user of that name, if there is one. */
    public Optional<Account> account(String sandbox, String name) {
        try (FileContent passwd = files.read(new Location(sandbox, "/etc/passwd", Optional.empty()), 0, OptionalLong.of(MOST_PASSWD_BYTES))) {
            String text = new String(passwd.bytes().readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().map(line -> line.split(":", -1)).filter(parts -> parts.length > HOME && parts[NAME].equals(name) && parts[HOME].startsWith("/")).findFirst().map(parts -> new Account(sandbox, name, parts[HOME]));
        } catch (IOException problem) {
            throw Records.broken(problem);
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                return Optional.empty();
            }
            throw problem;
        }
    }

    /** What is at a path, which may be a link. */
    public DetailedEntry stat(Account of, String path, String attributes) {
        return one(of, Operation.STAT, path, path, request -> request.flags(LINK_ENDS).attribute(attributes));
    }

    /** What is below a directory, by names that begin there. */
    public List<DetailedEntry> list(Account of, String path, int depth, String attributes) {
        try (GuestFile file = open(of, Operation.LIST, path, request -> request.flags(LINK_ENDS).depth(depth).attribute(attributes))) {
            List<DetailedEntry> entries = new ArrayList<>();
            long nameCharacters = 0;
            for (Optional<FieldReader> next = file.nextRecord(); next.isPresent(); next = file.nextRecord()) {
                String name = next.get().text(1).orElse("");
                nameCharacters += name.length();
                if (entries.size() == Files.MAX_ENTRIES || nameCharacters > Files.MAX_NAME_CHARACTERS) {
                    throw new SandglassException(ErrorCode.TOO_LARGE, "There is more below " + path + " than fits into one list.", "List fewer levels, or directories below it.");
                }
                entries.add(Records.detailed(next.get(), name));
            }
            return entries;
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    public DetailedEntry makeDirectory(Account of, String path, String attributes) {
        one(of, Operation.MKDIR, path, path, request -> request.flags(PARENTS).mode(NEW_DIRECTORY_MODE));
        return stat(of, path, attributes);
    }

    public DetailedEntry move(Account of, String path, String to, String attributes) {
        one(of, Operation.MOVE, path, to, request -> request.secondPath(to).flags(PARENTS));
        return stat(of, to, attributes);
    }

    /** With everything below; fine if it is not there. */
    public void remove(Account of, String path) {
        run(of, Operation.REMOVE, path, request -> request.flags(BELOW | MAY_BE_MISSING));
    }

    /** Opens a file to read; the caller closes it. */
    public FileContent read(Account of, String path, long offset, OptionalLong length) {
        return Files.content(open(of, Operation.READ, path, request -> request.range(offset, length.orElse(Long.MAX_VALUE))), path, offset, length);
    }

    /** Writes a file in its place, with its parents, so that who watches it sees it being written. An error of the body's own comes out as it is. */
    public DetailedEntry write(Account of, String path, String attributes, InputStream body) throws IOException {
        try (GuestFile file = open(of, Operation.WRITE, path, request -> request.flags(PARENTS).attribute(attributes))) {
            file.sendAll(body);
            DetailedEntry entry = Records.detailed(file.record(), path);
            file.finish();
            return entry;
        }
    }

    /** Makes the extended attributes of a file these, of those in {@code before}. */
    public void mark(Account of, String path, Set<String> before, Map<String, String> now) {
        before.stream()
                .filter(name -> !now.containsKey(name))
                .forEach(name -> run(of, Operation.XATTR_REMOVE, path, request -> request.attribute(name).flags(OR_BESIDE)));
        now.forEach((name, value) -> run(of, Operation.XATTR_SET, path, request -> request.attribute(name).flags(OR_BESIDE).value(value.getBytes(StandardCharsets.UTF_8))));
    }

    public Watch watch(Account of, String path, boolean recursive) {
        return new Watch(open(of, Operation.WATCH, path, request -> request.flags(recursive ? 1 : 0)).patience(GuestReader.FOR_EVER));
    }

    private DetailedEntry one(Account of, Operation operation, String path, String shown, UnaryOperator<FileRequest> more) {
        try (GuestFile file = open(of, operation, path, more)) {
            DetailedEntry entry = Records.detailed(file.record(), shown);
            file.finish();
            return entry;
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    private void run(Account of, Operation operation, String path, UnaryOperator<FileRequest> more) {
        try (GuestFile file = open(of, operation, path, more)) {
            file.finish();
        } catch (IOException problem) {
            throw Records.broken(problem);
        }
    }

    private GuestFile open(Account of, Operation operation, String path, UnaryOperator<FileRequest> more) {
        return files.open(of.sandbox(), in -> {
            FileRequest request = new FileRequest(operation, path);
            return more.apply(mayActForOthers(in) ? request.owner(of.name()) : request.user(of.name()));
        });
    }

    private static boolean mayActForOthers(LiveSandbox in) {
        return in.link().knowsOwners() && in.record().capabilities().containsAll(Set.of(Capability.CHOWN, Capability.DAC_OVERRIDE, Capability.FOWNER));
    }
}
