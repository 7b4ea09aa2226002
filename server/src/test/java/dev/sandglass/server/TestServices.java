package dev.sandglass.server;

import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Service;
import dev.sandglass.wire.ServiceList;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The services of a sandbox. */
record TestServices(TestSandbox box) {
    Service create(ServiceRequest request) {
        return box.caller().post(path(), request.toWire()).as(Service.class);
    }

    List<Service> list() {
        return box.caller().get(path()).as(ServiceList.class).services();
    }

    Service get(String name) {
        return box.caller().get(path() + "/" + name).as(Service.class);
    }

    Service order(String name, String what) {
        return box.caller().post(path() + "/" + name + "/" + what).as(Service.class);
    }

    void remove(String name) {
        box.caller().delete(path() + "/" + name);
    }

    /** What is kept of what it printed. */
    String log(String name, String query) {
        return box.caller().get(path() + "/" + name + "/logs" + query).text().lines()
                .map(line -> Json.read(OutputEvent.class, line.getBytes(StandardCharsets.UTF_8)).data())
                .filter(Objects::nonNull)
                .map(data -> new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
    }

    String log(String name) {
        return log(name, "");
    }

    InputStream follow(String name, String query) {
        return box.caller().open(path() + "/" + name + "/logs?follow=true" + query);
    }

    Service await(String name, Predicate<Service> expected) {
        return Eventually.get(() -> get(name), expected);
    }

    Service await(String name, String state) {
        return await(name, service -> service.state().equals(state));
    }

    List<Event> events() {
        return box.caller().get("/v1/events?limit=1000&type=service&sandbox=" + box.id()).as(EventList.class).events();
    }

    List<String> eventTypes() {
        return events().stream().map(Event::type).toList();
    }

    private String path() {
        return box.path() + "/services";
    }
}
