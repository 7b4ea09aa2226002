package dev.sandglass.server.api;

import dev.sandglass.engine.command.Attachment;
import dev.sandglass.engine.command.CommandOutput;
import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.command.Run;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.http.EventStream;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Schema;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;

/** The output of commands: as lines of JSON, or over a WebSocket together with the input. */
final class OutputRoutes {
    private final Sandboxes sandboxes;
    private final Commands commands;
    private final Schema run;
    private final Schema control;

    OutputRoutes(Sandboxes sandboxes, Commands commands, Contract contract) {
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.run = contract.schema("RunSandbox");
        this.control = contract.schema("AttachControl");
    }

    Map<String, Handler> handlers() {
        return Map.of("readOutput", this::read, "attachCommand", this::attach, "runSandbox", this::run);
    }

    private void read(Exchange exchange) throws IOException, InterruptedException {
        try (Attachment attachment = attachment(exchange, exchange.query().flag("follow"))) {
            EventStream events = exchange.events();
            try {
                while (send(events, exchange.await(attachment::next))) {}
            } catch (SandglassException lost) {
                events.send(new OutputEvent(null, null, null, null, lost.toProblem(), null));
            }
        }
    }

    private void attach(Exchange exchange) {
        exchange.upgrade(() -> new AttachConversation(attachment(exchange, true), control));
    }

    private void run(Exchange exchange) {
        exchange.upgrade(() -> new RunConversation(request -> Run.begin(sandboxes, commands, request), run, control));
    }

    private Attachment attachment(Exchange exchange, boolean follow) {
        long offset = exchange.query().number("offset").orElse(0);
        return commands.attach(exchange.segment("sandbox"), exchange.segment("command"), offset, follow);
    }

    /** Sends what came; false after the last line. */
    private static boolean send(EventStream events, CommandOutput output) throws IOException {
        return switch (output) {
            case CommandOutput.Data data -> {
                String stream = data.kind() == AttachConversation.STDERR ? "stderr" : "stdout";
                String bytes = Base64.getEncoder().encodeToString(data.bytes());
                events.send(new OutputEvent(stream, data.offset(), bytes, null, null, null));
                yield true;
            }
            case CommandOutput.Ended ended -> {
                events.send(new OutputEvent(null, null, null, ended.exit(), null, null));
                yield false;
            }
            case CommandOutput.Dropped dropped -> {
                events.send(new OutputEvent(null, null, null, null, null, dropped.bytes()));
                yield true;
            }
            case CommandOutput.End end -> false;
        };
    }
}
