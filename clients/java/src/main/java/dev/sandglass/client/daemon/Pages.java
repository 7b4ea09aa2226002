package dev.sandglass.client.daemon;

import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.VolumeList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lists page by page, oldest first. */
public record Pages(Client client) {
    /**
     * What is to be in a list.
     *
     * @param limit how many are on a page; null is as many as there can be
     * @param name how the name begins
     */
    public record Filter(Map<String, String> labels, List<String> states, @Nullable String name, @Nullable Integer limit) {
        public Filter {
            labels = Map.copyOf(labels);
            states = List.copyOf(states);
        }
    }

    public SandboxList sandboxes(Filter filter, @Nullable String cursor) {
        return client.ask(SandboxList.class, "GET", query("sandboxes", filter, cursor), null);
    }

    public SnapshotList snapshots(Filter filter, @Nullable String cursor) {
        return client.ask(SnapshotList.class, "GET", query("snapshots", filter, cursor), null);
    }

    public VolumeList volumes(Filter filter, @Nullable String cursor) {
        return client.ask(VolumeList.class, "GET", query("volumes", filter, cursor), null);
    }

    private static Query query(String what, Filter filter, @Nullable String cursor) {
        Query query = Query.of("v1", what);
        filter.labels().forEach((name, value) -> query.with("label", name + "=" + value));
        filter.states().forEach(state -> query.with("state", state));
        if (filter.name() != null) {
            query.with("name", filter.name());
        }
        if (filter.limit() != null) {
            query.with("limit", Integer.toString(filter.limit()));
        }
        return cursor == null ? query : query.with("cursor", cursor);
    }
}
