package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.template.Templates;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Snapshot;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What E2B clients mean by the name of a template: one of ours, the base image, or a snapshot. Thread-safe. */
final class TemplateNames {
    /** Our base image. */
    static final String BASE = "base";
    private static final int MOST_TAGS = 64;
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Pattern FORM = Pattern.compile("(?:[a-z0-9][a-z0-9_-]{0,62}/)?" + TAG + "(?::" + TAG + ")?");
    /** Names that are known from elsewhere, and what is the same here. */
    private static final Map<String, String> KNOWN = Map.of(
            "code-interpreter-v1", "code-interpreter",
            "code-interpreter-beta", "code-interpreter",
            "claude", "claude-code",
            "anthropic-claude-code", "claude-code");

    private final Engine engine;
    private final SnapshotNames snapshots;

    TemplateNames(Engine engine, SnapshotNames snapshots) {
        this.engine = engine;
        this.snapshots = snapshots;
    }

    /** What a sandbox can begin with. */
    sealed interface Origin {
        /** The base image. */
        record Base() implements Origin {}

        /**
         * A template of ours.
         *
         * @param tag none for what its name stands for
         */
        record OfTemplate(String name, Optional<String> tag) implements Origin {
            /** As requests for sandboxes name it. */
            String reference() {
                return tag.map(text -> name + ":" + text).orElse(name);
            }
        }

        /** A snapshot, with whatever processes it has. */
        record OfSnapshot(Snapshot snapshot) implements Origin {}
    }

    /** What is meant by a name or an id; {@code template_not_found}. */
    Origin find(String asked) {
        return Ids.snapshot(asked).map(id -> snapshot(id.text(), asked)).orElseGet(() -> named(asked));
    }

    private Origin snapshot(String id, String asked) {
        try {
            return new Origin.OfSnapshot(engine.snapshots().get(id));
        } catch (SandglassException missing) {
            throw missing.code() == ErrorCode.SNAPSHOT_NOT_FOUND ? unknown(asked) : missing;
        }
    }

    private Origin named(String asked) {
        String plain = plain(asked);
        if (engine.templates().isBuilt(plain).isPresent()) {
            Optional<String> tag = tag(asked).filter(text -> !text.equals(Templates.DEFAULT_TAG));
            tag.ifPresent(text -> engine.templates().version(plain, text));
            return new Origin.OfTemplate(plain, tag);
        }
        if (plain.equals(BASE)) {
            return new Origin.Base();
        }
        return Optional.ofNullable(KNOWN.get(plain))
                .filter(name -> engine.templates().isBuilt(name).isPresent())
                .<Origin>map(name -> new Origin.OfTemplate(name, Optional.empty()))
                .or(() -> snapshots.find(asked).map(Origin.OfSnapshot::new))
                .orElseThrow(() -> unknown(asked));
    }

    /** Without the team before it and the tag behind it. */
    static String plain(String asked) {
        String name = asked.substring(asked.lastIndexOf('/') + 1);
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    /** The tag behind a name. */
    static Optional<String> tag(String asked) {
        int colon = asked.indexOf(':', asked.lastIndexOf('/') + 1);
        return colon < 0 ? Optional.empty() : Optional.of(asked.substring(colon + 1));
    }

    /** Refuses what is no name, with or without a tag. */
    static void requireForm(String asked) {
        if (!FORM.matcher(asked).matches()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "name: " + Ids.shown(asked) + " (expected: letters, digits, '_', '.' and '-', and maybe a tag behind a colon)", "");
        }
    }

    /** Tags that somebody gives or takes away. */
    static List<String> tags(@Nullable List<String> asked) {
        List<String> tags = Objects.requireNonNullElse(asked, List.of());
        tags.stream().filter(tag -> !TAG.matcher(tag).matches()).findFirst().ifPresent(tag -> {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "tags: " + Ids.shown(tag) + " (expected: letters, digits, '_', '.' and '-')", "");
        });
        if (tags.isEmpty() || tags.size() > MOST_TAGS) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "tags: " + tags.size() + " (expected: 1 to " + MOST_TAGS + ")", "");
        }
        return tags;
    }

    /** Those of a build: the one behind the name, and others. */
    static List<String> allTags(String name, @Nullable List<String> others) {
        Set<String> all = new LinkedHashSet<>(tag(name).stream().toList());
        all.addAll(Objects.requireNonNullElse(others, List.of()));
        return tags(all.isEmpty() ? List.of(Templates.DEFAULT_TAG) : List.copyOf(all));
    }

    static SandglassException unknown(String asked) {
        return new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "template '" + Ids.shown(asked) + "' not found", "");
    }
}
