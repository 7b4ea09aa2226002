package dev.sandglass.engine.template;

import dev.sandglass.engine.component.Catalogue;
import dev.sandglass.engine.ledger.TemplateLedger;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateInclusion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What templates are made of. Thread-safe. */
record Ancestry(TemplateLedger templates, Origins origins) {
    private static final Logger LOG = LoggerFactory.getLogger(Ancestry.class);

    /** Its components with all that these require, those of the templates that it is made of first. One that is named may be gone. */
    List<TemplateInclusion> includes(Template template, Catalogue known) {
        List<TemplateInclusion> all = new ArrayList<>();
        for (Template each : line(template)) {
            try {
                all.addAll(0, Recipe.of(each, known).plan().items().stream().map(item -> new TemplateInclusion(item.name(), item.variables())).toList());
            } catch (SandglassException unknown) {
                LOG.debug("What {} includes cannot be told: {}", each.name(), unknown.what());
            }
        }
        return all;
    }

    /** The template, the one that it begins with, and so on. */
    private List<Template> line(Template template) {
        Map<String, Template> line = new LinkedHashMap<>();
        Optional<Template> next = Optional.of(template);
        while (next.isPresent() && line.putIfAbsent(next.get().name(), next.get()) == null) {
            next = origins.parent(next.get()).flatMap(templates::find).map(Templates::recipe);
        }
        return List.copyOf(line.values());
    }
}
