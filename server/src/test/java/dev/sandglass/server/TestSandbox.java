package dev.sandglass.server;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandList;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.PauseSandbox;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Signal;
import dev.sandglass.wire.WindowSize;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** A sandbox and its commands; closing destroys it. */
record TestSandbox(Caller caller, Sandbox info) implements AutoCloseable {
    String id() {
        return info.id();
    }

    String name() {
        return info.name();
    }

    String path() {
        return "/v1/sandboxes/" + info.id();
    }

    /** As the daemon knows it now. */
    Sandbox now() {
        return caller.get(path()).as(Sandbox.class);
    }

    Sandbox stop() {
        return caller.post(path() + "/stop").as(Sandbox.class);
    }

    Sandbox stop(long graceMillis) {
        return caller.post(path() + "/stop?grace_ms=" + graceMillis).as(Sandbox.class);
    }

    /** Named so because {@link #start(Run)} starts a command. */
    Sandbox powerOn() {
        return caller.post(path() + "/start").as(Sandbox.class);
    }

    Sandbox pause(boolean diskOnly) {
        return caller.post(path() + "/pause", new PauseSandbox(diskOnly)).as(Sandbox.class);
    }

    Sandbox resume(boolean diskOnly) {
        return caller.post(path() + "/resume", new PauseSandbox(diskOnly)).as(Sandbox.class);
    }

    Sandbox rewind(String snapshot) {
        return caller.post(path() + "/rewind", new RewindSandbox(snapshot, null, null)).as(Sandbox.class);
    }

    Sandbox undo() {
        return caller.post(path() + "/rewind", new RewindSandbox(null, true, null)).as(Sandbox.class);
    }

    SandboxFiles files() {
        return new SandboxFiles(caller, path(), "");
    }

    SandboxFiles filesOf(String user) {
        return new SandboxFiles(caller, path(), "&user=" + Caller.encode(user));
    }

    TestServices services() {
        return new TestServices(this);
    }

    CommandResult run(Run command) {
        return caller.post(path() + "/commands/run", command.toRun()).as(CommandResult.class);
    }

    /** Runs a script that must work and gives what it prints, without the last newline. */
    String output(String script) {
        return output(Run.shell(script));
    }

    String output(Run command) {
        CommandResult result = run(command);
        if (result.exit().code() != 0) {
            throw new AssertionError(name() + ": " + command.toRun().argv() + ": " + result);
        }
        return result.stdout().stripTrailing();
    }

    /** How many processes have exactly that command line. */
    long count(String commandLine) {
        return Long.parseLong(output("pgrep -cfx '" + commandLine + "' || true"));
    }

    Command start(Run command) {
        return caller.post(path() + "/commands", command.toStart()).as(Command.class);
    }

    List<Command> commands() {
        return caller.get(path() + "/commands").as(CommandList.class).commands();
    }

    Command command(String id) {
        return caller.get(at(id)).as(Command.class);
    }

    Command await(Command command) {
        return await(command, 120_000);
    }

    Command await(Command command, long millis) {
        return caller.post(at(command.id()) + "/wait?timeout_ms=" + millis).as(Command.class);
    }

    void signal(Command command, String signal) {
        caller.post(at(command.id()) + "/signal", new Signal(signal));
    }

    void resize(Command command, int cols, int rows) {
        caller.post(at(command.id()) + "/resize", new WindowSize(cols, rows));
    }

    void input(Command command, BodyPublisher body, boolean end) {
        caller.good(caller.send("POST", at(command.id()) + "/stdin?end=" + end, "application/octet-stream", body));
    }

    void input(Command command, String text, boolean end) {
        input(command, BodyPublishers.ofString(text), end);
    }

    /** What is kept of its output now. */
    List<OutputEvent> kept(Command command) {
        return caller.get(at(command.id()) + "/output").text().lines().map(TestSandbox::event).toList();
    }

    /** The text of its output that is kept now. */
    String said(Command command) {
        return kept(command).stream()
                .map(OutputEvent::data)
                .filter(Objects::nonNull)
                .map(data -> new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    Following follow(Command command, long offset) {
        return new Following(caller.open(at(command.id()) + "/output?follow=true&offset=" + offset));
    }

    Attached attach(Command command) {
        return Attached.to(caller, at(command.id()) + "/attach");
    }

    static OutputEvent event(String line) {
        return Json.read(OutputEvent.class, line.getBytes(StandardCharsets.UTF_8));
    }

    private String at(String command) {
        return path() + "/commands/" + command;
    }

    @Override
    public void close() {
        caller.delete(path());
    }
}
