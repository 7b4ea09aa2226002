package dev.sandglass.engine.component;

import dev.sandglass.wire.Bundle;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StorageFailure;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Nearest;
import dev.sandglass.wire.recipe.ComponentText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The components and bundles that can be named: those that Sandglass brings along, and those of a directory, which count more. Thread-safe, immutable. */
public final class Catalogue {
    private static final Logger LOG = LoggerFactory.getLogger(Catalogue.class);
    private static final int MOST_FILES = 256;

    private final TreeMap<String, Component> components = new TreeMap<>();
    private final TreeMap<String, Bundle> bundles = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private Catalogue() {}

    /** Those that Sandglass brings along. */
    static Catalogue builtIn() {
        return new Catalogue().with(ComponentText.read("components.yaml", resource("components.yaml"), "builtin"));
    }

    /**
     * Those, and those of the files of a directory, which is read anew each time. A file that is none is left out, and told of.
     *
     * @param directory that may be missing
     */
    public static Catalogue of(Path directory) {
        Catalogue all = builtIn();
        for (Path file : files(directory)) {
            try {
                all.with(ComponentText.read(file.toString(), text(file), "directory"));
            } catch (SandglassException problem) {
                LOG.warn("The components of {} are left out: {}", file, problem.what());
                all.problems.add(problem.what());
            }
        }
        return all;
    }

    private static String text(Path file) {
        try {
            if (Files.size(file) > Documents.MOST_CHARACTERS) {
                throw ComponentRules.invalid(file + ": " + Files.size(file) + " bytes (expected: at most " + Documents.MOST_CHARACTERS + ")");
            }
            return Files.readString(file);
        } catch (CharacterCodingException none) {
            throw ComponentRules.invalid(file + ": it is no text in UTF-8");
        } catch (IOException problem) {
            throw StorageFailure.of(file + " cannot be read", problem);
        }
    }

    private static List<Path> files(Path directory) {
        List<Path> files = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.{yaml,yml}")) {
            found.forEach(files::add);
        } catch (IOException problem) {
            throw StorageFailure.of("The directory of components cannot be read", problem);
        }
        return files.stream().sorted().limit(MOST_FILES).toList();
    }

    private Catalogue with(ComponentText.Contents contents) {
        return with(contents.components(), contents.bundles());
    }

    private Catalogue with(List<Component> moreComponents, List<Bundle> moreBundles) {
        moreComponents.forEach(ComponentRules::checked);
        moreComponents.forEach(each -> {
            components.put(each.name(), each);
            bundles.remove(each.name());
        });
        moreBundles.forEach(each -> {
            bundles.put(each.name(), each);
            components.remove(each.name());
        });
        return this;
    }

    /** The same with some more, which count more than those of the same names. */
    public Catalogue and(@Nullable List<Component> moreComponents, @Nullable List<Bundle> moreBundles) {
        Catalogue all = new Catalogue();
        all.components.putAll(components);
        all.bundles.putAll(bundles);
        return all.with(Objects.requireNonNullElse(moreComponents, List.of()), Objects.requireNonNullElse(moreBundles, List.of()));
    }

    /** All of them, by name, and what is wrong with files that were left out. */
    public ComponentList list() {
        return new ComponentList(List.copyOf(components.values()), List.copyOf(bundles.values()), problems.isEmpty() ? null : List.copyOf(problems));
    }

    public Component get(String name) {
        return Optional.ofNullable(components.get(name)).orElseThrow(() -> unknown(name));
    }

    Optional<Bundle> bundle(String name) {
        return Optional.ofNullable(bundles.get(name));
    }

    private SandglassException unknown(String name) {
        if (bundles.containsKey(name)) {
            return new SandglassException(ErrorCode.COMPONENT_NOT_FOUND, name + " is a bundle (expected: a component).", "It has " + String.join(", ", bundles.get(name).components()) + ".");
        }
        List<String> known = new ArrayList<>(components.keySet());
        known.addAll(bundles.keySet());
        return new SandglassException(
                ErrorCode.COMPONENT_NOT_FOUND, "There is no component " + ComponentRules.printable(name) + Nearest.to(name, known) + ".", "`sandglass component ls` lists those that there are.");
    }

    static String resource(String name) {
        try (InputStream text = Catalogue.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(text, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
