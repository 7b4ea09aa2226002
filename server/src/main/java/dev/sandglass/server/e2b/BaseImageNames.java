package dev.sandglass.server.e2b;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What stands for images that people usually begin with, where the image itself is neither here nor to be had: the base image, or a template of ours. What is too far from it is refused, and said. Touches
 * nothing.
 */
final class BaseImageNames {
    private static final Pattern IMAGE = Pattern.compile("(?:docker\\.io/)?(?:library/)?([a-z0-9][a-z0-9._/-]*)(?::([A-Za-z0-9_][A-Za-z0-9._-]*))?");
    private static final String DEBIAN = "12";
    private static final List<String> DEBIANS = List.of("", "latest", "stable", "stable-slim", DEBIAN, "12-slim", "bookworm", "bookworm-slim");
    private static final List<String> UBUNTUS = List.of("", "latest", "22.04", "jammy", "24.04", "noble");
    private static final Pattern PYTHON = Pattern.compile("|latest|(?:3|3\\.11|3\\.11\\.[0-9]+)?(?:-?(?:slim|bookworm|slim-bookworm))?");
    private static final Pattern NODE = Pattern.compile("|latest|current|(?:lts|22|22\\.[0-9.]+)?(?:-?(?:slim|bookworm|bookworm-slim))?");

    private BaseImageNames() {}

    /**
     * What stands for an image.
     *
     * @param template of ours; none is the base image
     * @param note what somebody should know who expects the image itself
     */
    record StandIn(Optional<String> template, Optional<String> note) {}

    /** {@code image_not_found} if nothing here is near enough. */
    static StandIn of(String image) {
        Matcher parts = IMAGE.matcher(image);
        if (!parts.matches()) {
            throw refused(image, "it is no name of an image");
        }
        String name = parts.group(1);
        String tag = Optional.ofNullable(parts.group(2)).orElse("");
        return switch (name) {
            case "e2bdev/base", "e2bdev/code-interpreter", "sandglass" -> new StandIn(name.endsWith("interpreter") ? Optional.of("code-interpreter") : Optional.empty(), Optional.empty());
            case "debian" -> of(DEBIANS.contains(tag), image, "", "this machine has Debian " + DEBIAN);
            case "ubuntu" -> of(UBUNTUS.contains(tag), image, "", "this machine has Debian " + DEBIAN + ", which stands for it");
            case "python" -> of(PYTHON.matcher(tag).matches(), image, "python", "this machine has Python 3.11 on Debian " + DEBIAN);
            case "node" -> of(NODE.matcher(tag).matches(), image, "node", "this machine has Node.js 22 on Debian " + DEBIAN);
            default -> throw refused(image, "nothing here stands for it");
        };
    }

    private static StandIn of(boolean near, String image, String template, String what) {
        if (!near) {
            throw refused(image, what);
        }
        return new StandIn(Optional.of(template).filter(name -> !name.isEmpty()), Optional.of(image + ": " + what));
    }

    private static SandglassException refused(String image, String why) {
        return new SandglassException(
                ErrorCode.IMAGE_NOT_FOUND,
                "The image " + Ids.shown(image) + " cannot be had: it is not here, and " + why + ".",
                "Bring it with `sandglass image pull` or `sandglass image import`, name it with its registry, or begin with e2bdev/base, debian, python:3, node:lts or a template.");
    }
}
