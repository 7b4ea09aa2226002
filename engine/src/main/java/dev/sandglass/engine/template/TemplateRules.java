package dev.sandglass.engine.template;

import dev.sandglass.engine.component.ComponentRules;
import dev.sandglass.engine.life.Rules;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.sandbox.Security;
import dev.sandglass.engine.service.Services;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.TemplateStep;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a template must be like; what is not is refused with the value and the expectation. Touches nothing. */
final class TemplateRules {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,254}");
    private static final Pattern MODE = Pattern.compile("0?[0-7]{3,4}");
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?");
    private static final Pattern UPLOAD = Pattern.compile("[0-9a-f]{64}");
    private static final int MOST_STEPS = 512;
    private static final int MOST_ARGUMENT = 60_000;
    private static final int MOST_FILES = 256;
    private static final int MOST_CONTEXT = 2000;
    private static final int MOST_REFERENCE = 512;
    private static final int MOST_FILE_BYTES = 700_000;
    private static final long MOST_SECONDS = 86_400;

    private TemplateRules() {}

    static Template checked(Template template) {
        Rules.name(template.name());
        ComponentRules.script("setup", template.setup());
        ComponentRules.few("components", template.components());
        ComponentRules.few("credentials", template.credentials());
        ComponentRules.few("required_domains", template.requiredDomains());
        ComponentRules.variables("variables", template.variables());
        Rules.pairs("env", VARIABLE, Objects.requireNonNullElse(template.env(), Map.of()));
        Objects.requireNonNullElse(template.requiredDomains(), List.<String>of()).forEach(TemplateRules::domain);
        beginning(template);
        steps(template);
        files(Objects.requireNonNullElse(template.files(), List.of()), Objects.requireNonNullElse(template.context(), List.of()));
        if (template.network() != null) {
            Policy.of(template.network());
        }
        services(template);
        if (template.ready() != null) {
            ComponentRules.script("ready.command", template.ready().command());
            seconds("ready.timeout", template.ready().timeout());
        }
        seconds("timeout", template.timeout());
        if (template.user() != null && !USER.matcher(template.user()).matches()) {
            throw invalid("user", template.user(), "a name, or name:group");
        }
        if (template.workdir() != null && !isAbsolute(template.workdir())) {
            throw invalid("workdir", template.workdir(), "an absolute path without ..");
        }
        pool(template.pool());
        return template;
    }

    private static void beginning(Template template) {
        long given = Stream.of(template.from(), template.image(), template.dockerfile()).filter(Objects::nonNull).count();
        if (given > 1) {
            throw invalid("from, image, dockerfile", given + " of them", "one of them, or none for the base image");
        }
        if (template.image() != null && template.image().length() > MOST_REFERENCE) {
            throw invalid("image", template.image(), "a name of at most " + MOST_REFERENCE + " characters");
        }
        if (template.context() != null && template.dockerfile() == null) {
            throw invalid("context", "files", "only beside a dockerfile, which copies them");
        }
    }

    private static void steps(Template template) {
        if (template.security() != null && Security.of(template.security()).isEmpty()) {
            throw invalid("security", template.security(), "strict or standard");
        }
        List<TemplateStep> steps = template.steps();
        if (steps == null) {
            return;
        }
        if (template.dockerfile() != null) {
            throw invalid("steps", steps.size() + " beside a dockerfile", "one of the two");
        }
        if (steps.size() > MOST_STEPS) {
            throw invalid("steps", String.valueOf(steps.size()), "at most " + MOST_STEPS);
        }
        for (TemplateStep step : steps) {
            if (step.args().stream().anyMatch(arg -> arg.length() > MOST_ARGUMENT || arg.indexOf('\0') >= 0)) {
                throw invalid("steps", step.type() + " with " + step.args().stream().mapToInt(String::length).max().orElse(0) + " characters in an argument", "at most " + MOST_ARGUMENT + ", no NUL");
            }
            if (step.upload() != null && !UPLOAD.matcher(step.upload()).matches()) {
                throw invalid("steps.upload", step.upload(), "64 lower-case hexadecimal digits");
            }
            if (step.type().equals("ENV")) {
                for (int i = 0; i + 1 < step.args().size(); i += 2) {
                    Rules.pairs("env", VARIABLE, Map.of(step.args().get(i), step.args().get(i + 1)));
                }
            }
        }
    }

    private static void services(Template template) {
        Set<String> names = new HashSet<>();
        Objects.requireNonNullElse(template.services(), List.<dev.sandglass.wire.CreateService>of()).forEach(service -> {
            Services.check(service);
            if (!names.add(service.name())) {
                throw invalid("services", service.name(), "each name once");
            }
        });
        boolean serves = !names.isEmpty() || template.ready() != null;
        if (Boolean.TRUE.equals(template.warm()) && !serves) {
            throw invalid("warm", "true", "services, or a ready check, for without them nothing runs that could be warm");
        }
    }

    /** What a rule about a host may have. */
    static Rule domain(String text) {
        try {
            return Rule.parse("allow " + text);
        } catch (SandglassException problem) {
            throw new SandglassException(problem.code(), "required_domains: " + problem.what(), "Write names like example.org, *.example.org or example.org:8443, or @apt, @npm, @pip, @maven.", problem);
        }
    }

    private static void files(List<TemplateFile> files, List<TemplateFile> context) {
        if (files.size() > MOST_FILES) {
            throw invalid("files", String.valueOf(files.size()), "at most " + MOST_FILES);
        }
        long bytes = context(context);
        Set<String> paths = new HashSet<>();
        for (int i = 0; i < files.size(); i++) {
            TemplateFile file = files.get(i);
            String field = "files[" + i + "]";
            if (!isAbsolute(file.path()) || file.path().endsWith("/")) {
                throw invalid(field + ".path", file.path(), "an absolute path of a file without ..");
            }
            if (!paths.add(file.path())) {
                throw invalid(field + ".path", file.path(), "each path once");
            }
            if (file.mode() != null && !MODE.matcher(file.mode()).matches()) {
                throw invalid(field + ".mode", file.mode(), "octal digits such as 0644");
            }
            if (file.owner() != null && !USER.matcher(file.owner()).matches()) {
                throw invalid(field + ".owner", file.owner(), "a name, or name:group");
            }
            bytes += content(file).length;
        }
        if (bytes > MOST_FILE_BYTES) {
            throw new SandglassException(
                    ErrorCode.TOO_LARGE, (context.isEmpty() ? "files: " : "files, context: ") + bytes + " bytes (expected: at most " + MOST_FILE_BYTES + " together)", "Fetch what is larger in setup, or copy it into a sandbox and make the template of that.");
        }
    }

    /** How many bytes there are beside the Dockerfile. */
    private static long context(List<TemplateFile> context) {
        if (context.size() > MOST_CONTEXT) {
            throw invalid("context", String.valueOf(context.size()), "at most " + MOST_CONTEXT);
        }
        long bytes = 0;
        Set<String> paths = new HashSet<>();
        for (TemplateFile file : context) {
            if (file.path().startsWith("/") || file.path().endsWith("/") || !isAbsolute("/" + file.path()) || !paths.add(file.path())) {
                throw invalid("context.path", file.path(), "a path relative to the Dockerfile, without .., each once");
            }
            if (file.mode() != null && !MODE.matcher(file.mode()).matches()) {
                throw invalid("context.mode", file.mode(), "octal digits such as 0644");
            }
            bytes += content(file).length;
        }
        return bytes;
    }

    /** The bytes of a file. */
    static byte[] content(TemplateFile file) {
        String text = file.content();
        String encoded = file.contentBase64();
        if ((text == null) == (encoded == null)) {
            throw invalid("files." + Rules.printable(file.path()), text == null ? "nothing" : "both", "one of content and content_base64");
        }
        try {
            return text != null ? text.getBytes(StandardCharsets.UTF_8) : Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException none) {
            throw invalid("files.content_base64", "something else", "base64");
        }
    }

    private static boolean isAbsolute(String path) {
        return path.startsWith("/") && path.length() <= 1000 && path.indexOf('\0') < 0 && !List.of(path.split("/")).contains("..");
    }

    private static void seconds(String field, @org.jspecify.annotations.Nullable Long asked) {
        if (asked != null && (asked < 1 || asked > MOST_SECONDS)) {
            throw invalid(field, String.valueOf(asked), "1 to " + MOST_SECONDS + " seconds");
        }
    }

    private static void pool(@org.jspecify.annotations.Nullable TemplatePool pool) {
        if (pool == null) {
            return;
        }
        long least = Objects.requireNonNullElse(pool.minIdle(), 0L);
        long most = Objects.requireNonNullElse(pool.maxIdle(), least);
        ComponentRules.script("pool.warm_up", pool.warmUp());
        if (least < 0 || most < least) {
            throw invalid("pool", "min_idle " + least + ", max_idle " + most, "0 <= min_idle <= max_idle");
        }
    }

    private static SandglassException invalid(String field, String value, String expected) {
        return new SandglassException(ErrorCode.INVALID_REQUEST, field + ": " + Rules.printable(value) + " (expected: " + expected + ")", "Correct the template.");
    }
}
