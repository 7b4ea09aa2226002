package dev.sandglass.server.api;

import dev.sandglass.engine.template.Templates;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.BuildTemplate;
import dev.sandglass.wire.CaptureTemplate;
import dev.sandglass.wire.RollbackTemplate;
import dev.sandglass.wire.Template;
import dev.sandglass.wire.TemplateList;
import java.io.IOException;
import java.util.Map;

/** Templates over HTTP. */
final class TemplateRoutes {
    private final Templates templates;

    TemplateRoutes(Templates templates) {
        this.templates = templates;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listTemplates", exchange -> exchange.answer(200, new TemplateList(templates.list())),
                "createTemplate", exchange -> exchange.answer(201, templates.create(exchange.json(Template.class), exchange.query().flag("replace"))),
                "captureTemplate", exchange -> exchange.answer(201, templates.capture(exchange.json(CaptureTemplate.class))),
                "getTemplate", exchange -> exchange.answer(200, templates.get(name(exchange))),
                "deleteTemplate", this::remove,
                "buildTemplate", exchange -> exchange.answer(202, templates.build(name(exchange), exchange.json(BuildTemplate.class))),
                "getTemplateHistory", exchange -> exchange.answer(200, templates.history(name(exchange))),
                "rollbackTemplate", exchange -> exchange.answer(200, templates.rollback(name(exchange), exchange.json(RollbackTemplate.class).version())));
    }

    private void remove(Exchange exchange) throws IOException {
        templates.remove(name(exchange));
        exchange.answerNothing();
    }

    private static String name(Exchange exchange) {
        return exchange.segment("template");
    }
}
