package dev.sandglass.engine.template;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.document.Nearest;
import dev.sandglass.wire.recipe.TemplateText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The templates that Sandglass brings along. */
public final class BuiltIns {
    /** Their names; one comes after that with which it begins. */
    public static final List<String> NAMES = List.of("minimal", "python", "node", "docker", "fullstack", "claude-code", "openclaw", "hermes", "code-interpreter");

    private static final Map<String, String> VERSIONS = Map.of("node", "NODE_VERSION", "fullstack", "NODE_VERSION", "claude-code", "CLAUDE_CODE_VERSION", "openclaw", "OPENCLAW_VERSION");

    private BuiltIns() {}

    public static List<Template> all() {
        return NAMES.stream().map(BuiltIns::get).toList();
    }

    /**
     * One with what its owner wants to be otherwise.
     *
     * @param version of what it is named after
     * @param image a template, a snapshot or an image from elsewhere that it begins with
     */
    public static Template get(String name, @Nullable String version, @Nullable String image, @Nullable TemplatePool pool) {
        Template standard = get(name);
        Map<String, String> variables = new TreeMap<>(Objects.requireNonNullElse(standard.variables(), Map.of()));
        if (version != null) {
            String variable = Optional.ofNullable(VERSIONS.get(name)).orElseThrow(() -> new SandglassException(
                    ErrorCode.INVALID_REQUEST, "version: " + version + " (expected: nothing for " + name + ", only for " + String.join(", ", new TreeMap<>(VERSIONS).keySet()) + ")", "Leave it out."));
            variables.put(variable, version);
        }
        boolean elsewhere = image != null && (image.contains("/") || image.contains(":")); // no template or snapshot has such a name
        return TemplateRules.checked(new Template(
                name, standard.description(), image == null ? standard.from() : elsewhere ? null : image, elsewhere ? image : null, null, null, standard.components(), standard.definitions(), variables.isEmpty() ? null : variables, standard.files(), standard.setup(), standard.env(),
                standard.user(), standard.workdir(), standard.services(), standard.ready(), standard.warm(), standard.resources(), standard.runtime(), standard.network(), standard.credentials(), standard.requiredDomains(),
                pool == null ? standard.pool() : pool, standard.lifecycle(), standard.timeout(), standard.security(), standard.steps()));
    }

    public static Template get(String name) {
        if (!NAMES.contains(name)) {
            throw new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "There is no built-in template " + name + Nearest.to(name, NAMES) + ".", "Name one that there is.");
        }
        String file = name + ".yaml";
        return TemplateRules.checked(TemplateText.read(file, new String(resource(file), StandardCharsets.UTF_8), null, (path, _) -> resource(path)));
    }

    private static byte[] resource(String file) {
        try (InputStream bytes = BuiltIns.class.getResourceAsStream(file)) {
            return Objects.requireNonNull(bytes, file).readAllBytes();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
