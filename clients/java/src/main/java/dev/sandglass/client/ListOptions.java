package dev.sandglass.client;

import dev.sandglass.client.daemon.Pages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is to be in a list; what is not said is not looked at. */
public final class ListOptions {
    private final Map<String, String> metadata = new HashMap<>();
    private List<String> states = List.of();
    private @Nullable String name;
    private @Nullable Integer limit;

    ListOptions() {}

    public ListOptions metadata(String key, String value) {
        metadata.put(key, value);
        return this;
    }

    public ListOptions metadata(Map<String, String> all) {
        metadata.putAll(all);
        return this;
    }

    /** One of these. */
    public ListOptions state(String... any) {
        states = List.of(any);
        return this;
    }

    /** How the name begins. */
    public ListOptions name(String beginning) {
        name = beginning;
        return this;
    }

    /** How many are on a page. */
    public ListOptions limit(int count) {
        limit = count;
        return this;
    }

    Pages.Filter filter() {
        return new Pages.Filter(metadata, states, name, limit);
    }
}
