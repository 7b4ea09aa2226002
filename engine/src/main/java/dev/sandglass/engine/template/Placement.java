package dev.sandglass.engine.template;

import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.file.Location;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.TemplateFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Brings files of a template into the sandbox of its build. */
record Placement(Files files, String sandbox) {
    private static final String DIRECTORY = "directory";

    /** Writes a file with its parents. */
    void write(TemplateFile file) {
        put(file.path(), file, Optional.ofNullable(file.mode()), Optional.ofNullable(file.owner()));
    }

    /** Makes a directory with its parents, unless it is there. */
    void directory(String path) {
        files.makeDirectory(at(path), OptionalInt.empty());
    }

    /** Copies files, into the target if that is a directory. */
    void copy(Step.Copy copy) {
        boolean there = isDirectory(copy.target());
        if (!copy.intoDirectory() && !there) {
            TemplateFile file = copy.files().getFirst();
            put(copy.target(), file, copy.mode().or(() -> Optional.ofNullable(file.mode())), copy.owner());
            return;
        }
        Set<String> made = new HashSet<>();
        if (!there) {
            make(copy.target(), made, copy.owner());
        }
        String above = copy.target().endsWith("/") ? copy.target() : copy.target() + "/";
        for (TemplateFile file : copy.files()) {
            int slash = file.path().indexOf('/');
            for (; slash > 0; slash = file.path().indexOf('/', slash + 1)) {
                make(above + file.path().substring(0, slash), made, copy.owner());
            }
            put(above + file.path(), file, copy.mode().or(() -> Optional.ofNullable(file.mode())), copy.owner());
        }
    }

    private void make(String path, Set<String> made, Optional<String> owner) {
        if (made.add(path)) {
            directory(path);
            owner.ifPresent(name -> own(path, name));
        }
    }

    private boolean isDirectory(String path) {
        try {
            return files.stat(at(path), true).kind().equals(DIRECTORY);
        } catch (SandglassException missing) {
            if (missing.code() == ErrorCode.PATH_NOT_FOUND) {
                return false;
            }
            throw missing;
        }
    }

    private void put(String path, TemplateFile file, Optional<String> mode, Optional<String> owner) {
        OptionalInt bits = mode.map(text -> OptionalInt.of(Integer.parseInt(text, 8))).orElseGet(OptionalInt::empty);
        try {
            files.write(at(path), bits, Optional.empty(), new ByteArrayInputStream(TemplateRules.content(file)));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        owner.ifPresent(name -> own(path, name));
    }

    private void own(String path, String owner) {
        String[] parts = owner.split(":", 2);
        @Nullable String group = parts.length > 1 ? parts[1] : null;
        files.setAttributes(at(path), new SetAttributes(null, parts[0], group, null, null));
    }

    private Location at(String path) {
        return new Location(sandbox, path, Optional.empty());
    }
}
