package dev.sandglass.engine.template;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SnapshotConfig;
import dev.sandglass.wire.SnapshotConfigResources;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateResources;
import dev.sandglass.wire.TemplateStatus;
import java.util.List;
import java.util.Objects;

/** Templates that were made as snapshot configurations, and are shown as such. Thread-safe. */
public final class SnapshotConfigs {
    private final Templates templates;

    SnapshotConfigs(Templates templates) {
        this.templates = templates;
    }

    public List<SnapshotConfig> list() {
        return templates.list().stream().filter(SnapshotConfigs::isConfig).map(status -> get(status.name())).toList();
    }

    public SnapshotConfig get(String id) {
        return config(required(id));
    }

    public SnapshotConfig create(SnapshotConfig config) {
        return config(templates.create(template(config), Templates.CONFIG, false));
    }

    public SnapshotConfig replace(SnapshotConfig config) {
        required(config.id());
        return config(templates.create(template(config), Templates.CONFIG, true));
    }

    public void remove(String id) {
        required(id);
        templates.remove(id);
    }

    /** Of any template, whoever made it. */
    public Build build(String name) {
        return templates.build(name, new BuildTemplate(null, null));
    }

    private TemplateStatus required(String id) {
        TemplateStatus found = templates.get(id);
        if (!isConfig(found)) {
            throw new SandglassException(ErrorCode.TEMPLATE_NOT_FOUND, "There is no snapshot configuration " + id + "; the template of that name was made otherwise.", "`GET /v1/templates/" + id + "` shows it.");
        }
        return found;
    }

    private static boolean isConfig(TemplateStatus status) {
        return status.origin().equals(Templates.CONFIG);
    }

    private static Template template(SnapshotConfig config) {
        SnapshotConfigResources asked = config.resources();
        TemplateResources resources = asked == null ? null : new TemplateResources(asked.memoryMB(), asked.vcpus(), null, null);
        return new Template(
                config.id(), null, config.template(), null, null, null, null, null, null, null, config.setup(), null, null, null, null, null, null, resources, null, null, null, config.requiredDomains(), null, null, null);
    }

    private static SnapshotConfig config(TemplateStatus status) {
        Template recipe = Objects.requireNonNull(status.recipe());
        TemplateResources resources = recipe.resources();
        return new SnapshotConfig(
                recipe.name(), recipe.from(), recipe.setup(), recipe.requiredDomains(), resources == null ? null : new SnapshotConfigResources(resources.cpus(), resources.memoryMb()));
    }
}
