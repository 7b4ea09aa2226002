package dev.sandglass.server.mcp;

import dev.sandglass.engine.event.Events;
import dev.sandglass.engine.event.Subscription;
import dev.sandglass.wire.Event;
import dev.sandglass.wire.EventList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What of the resources changed: their list, and each of those that somebody asked about. Events that come together are told once. */
final class Changes {
    private static final Set<String> OF_THE_LIST = Set.of("sandbox.created", "sandbox.destroyed", "sandbox.updated");

    private final Events events;

    Changes(Events events) {
        this.events = events;
    }

    /** From now on; the caller closes it. */
    Subscription subscribe() {
        return events.subscribe(Optional.empty(), Set.of("sandbox"), OptionalLong.empty());
    }

    /**
     * The notifications that events amount to.
     *
     * @param list whether the list matters
     * @param uris the resources that matter
     */
    static List<Message.Notification> of(EventList page, boolean list, Set<String> uris) {
        List<Message.Notification> changes = new ArrayList<>();
        if (list && (page.gap() || page.events().stream().anyMatch(event -> OF_THE_LIST.contains(event.type())))) {
            changes.add(new Message.Notification("notifications/resources/list_changed", Map.of()));
        }
        Set<String> changed = new LinkedHashSet<>();
        for (Event event : page.events()) {
            changed.add(new ResourceUri.Tree().text());
            changed.add(new ResourceUri.OfSandbox(event.sandboxId()).text());
            changed.add(new ResourceUri.OfSandbox(event.sandboxName()).text());
        }
        uris.stream()
                .filter(uri -> page.gap() || changed.contains(uri))
                .forEach(uri -> changes.add(new Message.Notification("notifications/resources/updated", params(uri))));
        return changes;
    }

    private static Map<String, @Nullable Object> params(String uri) {
        return Map.of("uri", uri);
    }
}
