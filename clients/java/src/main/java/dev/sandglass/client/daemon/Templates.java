package dev.sandglass.client.daemon;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.RollbackTemplate;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateHistory;
import dev.sandglass.wire.TemplateList;
import dev.sandglass.wire.TemplateStatus;
import java.util.List;

/** What clients do with templates. */
public record Templates(Client client) {
    public List<TemplateStatus> list() {
        return client.ask(TemplateList.class, "GET", Query.of("v1", "templates"), null).templates();
    }

    public TemplateStatus get(String name) {
        return client.ask(TemplateStatus.class, "GET", Query.of("v1", "templates", name), null);
    }

    public TemplateStatus create(Template template, boolean replace) {
        Query query = Query.of("v1", "templates");
        return client.ask(TemplateStatus.class, "POST", replace ? query.with("replace", "true") : query, Client.json(template));
    }

    public TemplateStatus capture(CaptureTemplate request) {
        return client.ask(TemplateStatus.class, "POST", Query.of("v1", "templates", "capture"), Client.json(request));
    }

    public void delete(String name) {
        client.finish(client.send("DELETE", Query.of("v1", "templates", name), null));
    }

    /** Begins a build, or joins that of the same. */
    public Build build(String name, BuildTemplate request) {
        return client.ask(Build.class, "POST", Query.of("v1", "templates", name, "build"), Client.json(request));
    }

    public TemplateHistory history(String name) {
        return client.ask(TemplateHistory.class, "GET", Query.of("v1", "templates", name, "history"), null);
    }

    public TemplateStatus rollback(String name, RollbackTemplate request) {
        return client.ask(TemplateStatus.class, "POST", Query.of("v1", "templates", name, "rollback"), Client.json(request));
    }
}
