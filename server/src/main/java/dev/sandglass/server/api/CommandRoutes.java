package dev.sandglass.server.api;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandList;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Signal;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Commands over HTTP: start, run, look, wait, signal, resize, feed. */
final class CommandRoutes {
    private static final long DEFAULT_WAIT_MS = 30_000;

    private final Commands commands;

    CommandRoutes(Commands commands) {
        this.commands = commands;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listCommands", exchange -> exchange.answer(200, new CommandList(commands.list(sandbox(exchange)))),
                "startCommand", this::start,
                "runCommand", this::run,
                "getCommand", exchange -> exchange.answer(200, commands.get(sandbox(exchange), command(exchange))),
                "waitCommand", this::await,
                "signalCommand", this::signal,
                "resizeCommand", this::resize,
                "writeStdin", this::input);
    }

    private void start(Exchange exchange) throws IOException {
        StartCommand request = exchange.json(StartCommand.class);
        Optional<String> key = exchange.header("Idempotency-Key");
        exchange.answer(
                201,
                key.isPresent() ? commands.startOnce(sandbox(exchange), request, key.get()) : commands.start(sandbox(exchange), request));
    }

    private void run(Exchange exchange) throws IOException, InterruptedException {
        RunCommand request = exchange.json(RunCommand.class);
        Optional<String> key = exchange.header("Idempotency-Key");
        exchange.answer(
                200,
                exchange.awaitForClient(() -> key.isPresent()
                        ? commands.runOnce(sandbox(exchange), request, key.get())
                        : commands.run(sandbox(exchange), request, exchange::clientLeft)));
    }

    private void await(Exchange exchange) throws IOException, InterruptedException {
        Duration timeout = Duration.ofMillis(exchange.query().number("timeout_ms").orElse(DEFAULT_WAIT_MS));
        Command ended = exchange.awaitForClient(() -> commands.await(sandbox(exchange), command(exchange), timeout));
        exchange.answer(200, ended);
    }

    private void signal(Exchange exchange) throws IOException {
        commands.signal(sandbox(exchange), command(exchange), exchange.json(Signal.class).signal());
        exchange.answerNothing();
    }

    private void resize(Exchange exchange) throws IOException {
        commands.resize(sandbox(exchange), command(exchange), exchange.json(WindowSize.class));
        exchange.answerNothing();
    }

    private void input(Exchange exchange) throws IOException, InterruptedException {
        exchange.await(() -> {
            commands.input(sandbox(exchange), command(exchange), exchange.body(), exchange.query().flag("end"));
            return true;
        });
        exchange.answerNothing();
    }

    private static String sandbox(Exchange exchange) {
        return exchange.segment("sandbox");
    }

    private static String command(Exchange exchange) {
        return exchange.segment("command");
    }
}
