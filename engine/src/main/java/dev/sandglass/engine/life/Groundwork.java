package dev.sandglass.engine.life;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Directories that a sandbox needs and that an image from elsewhere may lack. What is in the layers may be hostile: no link is followed.
 *
 * @param upper the sandbox's own tree, in which nothing hostile has been yet
 * @param layers below it, top first
 */
record Groundwork(Path upper, List<Path> layers) {
    private static final List<String> TARGETS = List.of("proc", "sys", "dev", "run", "tmp", "run/sandglass");

    /** Where a runtime mounts there is a directory, whatever an image from elsewhere has there: a link would lead it astray. */
    void makeTargets() throws IOException {
        for (String target : TARGETS) {
            Path relative = Path.of(target);
            Path parent = relative.getParent();
            boolean isPlain = parent == null || isDirectoryOrNothing(parent);
            if (isPlain && !isDirectoryOrNothing(relative)) {
                if (parent != null && !Files.exists(upper.resolve(parent))) {
                    Files.createDirectory(upper.resolve(parent));
                    inherit(upper.resolve(parent), layers.stream().map(layer -> layer.resolve(parent)).toList());
                }
                Path made = Files.createDirectory(upper.resolve(relative));
                Files.setAttribute(made, "unix:mode", target.equals("tmp") ? 01777 : 0755);
            }
        }
    }

    /** A directory in which commands work, with those that lead to it, unless something else is in its way. */
    void make(String directory) throws IOException {
        Path place = upper;
        List<Path> below = layers; // what of them shows at the place
        for (Path name : Path.of("/").resolve(directory).normalize()) {
            List<Path> next = below.stream().map(lower -> lower.resolve(name)).filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS)).toList();
            if (!next.isEmpty() && !isDirectory(next.getFirst())) {
                return;
            }
            below = next.stream().takeWhile(Groundwork::isDirectory).toList();
            place = place.resolve(name);
            if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                Files.setAttribute(Files.createDirectory(place), "unix:mode", 0755);
                inherit(place, below);
            }
        }
    }

    private static boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** As the topmost layer has it. */
    private boolean isDirectoryOrNothing(Path relative) {
        return layers.stream()
                .map(layer -> layer.resolve(relative))
                .filter(path -> isDirectory(Objects.requireNonNull(path.getParent())))
                .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                .findFirst()
                .filter(path -> !isDirectory(path))
                .isEmpty();
    }

    /** A directory of the upper tree hides mode and owner of those below it, so it gets them. */
    static void inherit(Path directory, List<Path> below) throws IOException {
        Optional<Path> shown = below.stream().filter(Groundwork::isDirectory).findFirst();
        if (shown.isPresent()) {
            Map<String, Object> facts = Files.readAttributes(shown.get(), "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(directory, "unix:uid", Objects.requireNonNull(facts.get("uid")));
            Files.setAttribute(directory, "unix:gid", Objects.requireNonNull(facts.get("gid")));
            Files.setAttribute(directory, "unix:mode", (Integer) Objects.requireNonNull(facts.get("mode")) & 07777);
        }
    }
}
