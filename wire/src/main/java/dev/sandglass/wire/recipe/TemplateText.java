package dev.sandglass.wire.recipe;

import dev.sandglass.wire.Component;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.HealthCheck;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.ReadyCheck;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateFile;
import dev.sandglass.wire.TemplateLifecycle;
import dev.sandglass.wire.TemplatePool;
import dev.sandglass.wire.TemplateResources;
import dev.sandglass.wire.document.Documents;
import dev.sandglass.wire.document.Fields;
import dev.sandglass.wire.document.Place;
import dev.sandglass.wire.document.Value;
import dev.sandglass.wire.dockerfile.Dockerfile;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The file of a template. */
public final class TemplateText {
    private static final long MOST_SECONDS = Integer.MAX_VALUE;
    private static final long MOST = 1 << 24;

    /** Gives what stands beside the file of the template. */
    public interface Beside {
        /**
         * The bytes of a file.
         *
         * @param named where the template names it, for an error
         */
        byte[] read(String path, Place named);

        /**
         * The files that a Dockerfile may copy, by paths relative to where it is.
         *
         * @param file its path, if it has a file of its own
         */
        default List<TemplateFile> context(Dockerfile dockerfile, Optional<String> file, Place named) {
            return List.of();
        }
    }

    private final Beside beside;

    private TemplateText(Beside beside) {
        this.beside = beside;
    }

    /**
     * The template of a text.
     *
     * @param label what errors call the text: the name of its file
     * @param named counts more than the name in it, which need not be there then
     */
    public static Template read(String label, String text, @Nullable String named, Beside beside) {
        return new TemplateText(beside).template(Documents.read(label, text), named);
    }

    private Template template(Fields fields, @Nullable String named) {
        fields.only(
                "name", "description", "from", "image", "dockerfile", "dockerfile_source", "components", "variables", "files", "setup", "env", "user", "workdir", "services", "ready", "warm", "resources", "runtime", "network",
                "credentials", "required_domains", "pool", "lifecycle", "timeout", "security");
        Optional<DockerfileText> dockerfile = DockerfileText.of(fields, beside);
        List<Component> definitions = new ArrayList<>();
        List<String> components = fields.find("components").map(list -> ComponentText.named(list, definitions, "file")).orElse(null);
        return new Template(
                named != null ? named : fields.need("name").text(),
                fields.text("description"),
                fields.text("from"),
                fields.text("image"),
                dockerfile.map(DockerfileText::text).orElse(null),
                dockerfile.map(DockerfileText::context).filter(files -> !files.isEmpty()).orElse(null),
                components,
                definitions.isEmpty() ? null : definitions,
                fields.pairs("variables"),
                fields.find("files").map(list -> list.items().stream().map(this::file).toList()).orElse(null),
                fields.text("setup"),
                fields.pairs("env"),
                fields.text("user"),
                fields.text("workdir"),
                fields.find("services").map(list -> list.items().stream().map(each -> service(each.fields())).toList()).orElse(null),
                fields.find("ready").map(TemplateText::ready).orElse(null),
                fields.flag("warm"),
                fields.find("resources").map(each -> resources(each.fields())).orElse(null),
                fields.text("runtime"),
                fields.find("network").map(TemplateText::network).orElse(null),
                fields.texts("credentials"),
                fields.texts("required_domains"),
                fields.find("pool").map(each -> pool(each.fields())).orElse(null),
                fields.find("lifecycle").map(each -> lifecycle(each.fields())).orElse(null),
                fields.number("timeout", 1, MOST_SECONDS),
                fields.text("security"),
                null);
    }

    /** A source is read here, so that what is sent has all of it. */
    private TemplateFile file(Value item) {
        Fields fields = item.fields().only("path", "content", "content_base64", "source", "mode", "owner");
        long given = List.of("content", "content_base64", "source").stream().filter(key -> fields.find(key).isPresent()).count();
        if (given != 1) {
            throw item.refused("one of content, content_base64 and source");
        }
        String encoded = fields.find("source").map(source -> Base64.getEncoder().encodeToString(beside.read(source.text(), source.place()))).orElse(fields.text("content_base64"));
        return new TemplateFile(fields.need("path").text(), fields.text("content"), encoded, fields.text("mode"), fields.text("owner"));
    }

    static CreateService service(Fields fields) {
        fields.only("name", "command", "argv", "description", "cwd", "env", "user", "port", "restart", "max_restarts", "backoff_ms", "health", "after");
        if (fields.find("command").isPresent() == fields.find("argv").isPresent()) {
            throw fields.refused("a service has either command, for a shell, or argv");
        }
        List<String> argv = fields.find("command").map(command -> List.of("bash", "-c", command.text())).orElseGet(() -> fields.need("argv").texts());
        return new CreateService(
                fields.need("name").text(),
                argv,
                fields.text("description"),
                fields.text("cwd"),
                fields.pairs("env"),
                fields.text("user"),
                integer(fields, "port", 1, 65535),
                fields.text("restart"),
                integer(fields, "max_restarts", 0, MOST),
                fields.number("backoff_ms", 0, MOST_SECONDS),
                fields.find("health").map(each -> health(each.fields())).orElse(null),
                fields.texts("after"),
                null,
                null);
    }

    private static HealthCheck health(Fields fields) {
        fields.only("command", "path", "tcp", "interval_ms", "timeout_ms", "retries");
        return new HealthCheck(
                fields.text("command"), fields.text("path"), fields.flag("tcp"), fields.number("interval_ms", 1, MOST_SECONDS), fields.number("timeout_ms", 1, MOST_SECONDS), integer(fields, "retries", 1, MOST));
    }

    private static @Nullable Integer integer(Fields fields, String key, long least, long most) {
        return fields.find(key).map(value -> Math.toIntExact(value.number(least, most))).orElse(null);
    }

    /** A command alone, or with how long it may take until it works. */
    private static ReadyCheck ready(Value value) {
        if (!value.isMapping()) {
            return new ReadyCheck(value.text(), null);
        }
        Fields fields = value.fields().only("command", "timeout");
        return new ReadyCheck(fields.need("command").text(), fields.number("timeout", 1, MOST_SECONDS));
    }

    private static TemplateResources resources(Fields fields) {
        fields.only("memory_mb", "cpus", "disk_mb", "max_processes");
        return new TemplateResources(
                fields.number("memory_mb", 1, MOST), fields.find("cpus").map(Value::decimal).orElse(null), fields.number("disk_mb", 1, MOST), fields.number("max_processes", 1, MOST));
    }

    /** A preset alone, or rules. */
    static NetworkPolicy network(Value value) {
        if (!value.isMapping()) {
            return new NetworkPolicy(value.text(), null, null);
        }
        Fields fields = value.fields().only("preset", "rules", "otherwise");
        return new NetworkPolicy(fields.text("preset"), fields.texts("rules"), fields.text("otherwise"));
    }

    private static TemplatePool pool(Fields fields) {
        fields.only("min_idle", "max_idle", "warm_up");
        return new TemplatePool(fields.number("min_idle", 0, MOST), fields.number("max_idle", 0, MOST), fields.text("warm_up"));
    }

    static TemplateLifecycle lifecycle(Fields fields) {
        fields.only("timeout", "on_timeout", "ttl", "hard_ttl", "auto_resume", "checkpoint_every", "keep_checkpoints", "restart");
        return new TemplateLifecycle(
                fields.number("timeout", 0, MOST_SECONDS),
                fields.text("on_timeout"),
                fields.number("ttl", 0, MOST_SECONDS),
                fields.number("hard_ttl", 0, MOST_SECONDS),
                fields.flag("auto_resume"),
                fields.number("checkpoint_every", 0, MOST_SECONDS),
                integer(fields, "keep_checkpoints", 0, MOST),
                fields.text("restart"));
    }
}
