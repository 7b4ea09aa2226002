package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.ServerEvents;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code events}: what happened to sandboxes, and what happens. */
final class EventsVerb extends Verb {
    private static final int PAGE = 1000;

    private final Syntax.Value sandbox =
            syntax.optionalOperand(0, "SANDBOX", "Name, id, or the beginning of one; if absent all, also those that are gone.");
    private final Syntax.Flag follow = syntax.flag("Go on with what happens, until Ctrl-C.", "-f", "--follow");
    private final Syntax.Value after = syntax.value("ID", "Only what came after the event with that id.", "--after");
    private final Syntax.Value last = syntax.value("N", "Only so many of those that are known, the newest.", "-n", "--last");
    private final Syntax.Values types =
            syntax.values("TYPE", "Only these: sandbox.created, sandbox, command, ...; may be repeated.", "--type");

    EventsVerb() {
        super(new Syntax("events", "Tell what happened to sandboxes, oldest first. In a pipe lines of JSON."));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        long from = after.orNull() == null ? 0 : Amount.id("after", after.orEmpty());
        Long count = Amount.count("last", last.orNull());
        try (Client client = client(console)) {
            long seen = known(console, client, format, from, count);
            if (follow.isSet()) {
                follow(console, client, format, seen);
            }
            return OK;
        }
    }

    /** Prints the events that are kept; returns the id of the last one. */
    private long known(Console console, Client client, Format format, long from, @Nullable Long count) {
        ArrayDeque<Event> newest = new ArrayDeque<>();
        long at = from;
        while (true) {
            EventList page = client.events(sandbox.orNull(), types.all(), at, PAGE);
            if (at > page.next()) {
                console.warn("warning: the newest event is " + page.next() + ", so there is none after " + at + "\n");
            } else {
                gap(console, page.gap() && at > 0);
            }
            for (Event event : page.events()) {
                if (count == null) {
                    print(console, format, event);
                } else {
                    newest.add(event);
                    if (newest.size() > count) {
                        newest.poll();
                    }
                }
            }
            at = page.next();
            if (page.events().size() < PAGE) {
                newest.forEach(event -> print(console, format, event));
                return at;
            }
        }
    }

    /** For as long as nobody stops it; a daemon that was started anew is asked for what came meanwhile. */
    private void follow(Console console, Client client, Format format, long seen) {
        long last = seen;
        Comeback comeback = new Comeback();
        while (true) {
            try (Client other = client.again()) {
                ServerEvents events = other.followEvents(sandbox.orNull(), types.all(), last);
                for (ServerEvents.Message message = events.next(); message != null; message = events.next()) {
                    comeback.seen();
                    if (message.type().equals("gap")) {
                        gap(console, true);
                    } else {
                        Event event = Json.read(Event.class, message.data());
                        print(console, format, event);
                        last = event.id();
                    }
                }
                throw new SandglassException(
                        ErrorCode.DAEMON_UNREACHABLE, "The daemon ended the stream of events", "Start it with `sandglass up`.");
            } catch (SandglassException problem) {
                comeback.await(problem);
            }
        }
    }

    private static void gap(Console console, boolean isThere) {
        if (isThere) {
            console.warn("warning: some events are no longer kept\n");
        }
    }

    private static void print(Console console, Format format, Event event) {
        if (format.structured()) {
            console.print(Document.next(Json.write(event), format));
            return;
        }
        StringBuilder line = new StringBuilder();
        String at = event.at().toString();
        line.append(at.substring(0, Math.min(19, at.length())).replace('T', ' '));
        line.append("  ").append(String.format("%-20s", event.type())).append("  ").append(event.sandboxName());
        for (Map.Entry<String, String> more : new TreeMap<>(event.data()).entrySet()) {
            line.append("  ").append(more.getKey()).append('=').append(more.getValue());
        }
        console.print(console.fitting(Inert.text(line.toString()) + "\n"));
    }
}
