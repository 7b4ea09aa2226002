package dev.sandglass.client;

import dev.sandglass.client.daemon.Pages;
import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.VolumeList;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A durable directory that outlives sandboxes. Thread-safe. */
public final class Volume {
    private final Daemon daemon;
    private final String id;
    private final String name;

    private Volume(Daemon daemon, dev.sandglass.wire.Volume found) {
        this.daemon = daemon;
        this.id = found.id();
        this.name = found.name();
    }

    /** Makes an empty one, which stays until it is deleted. */
    public static Volume create(String name) {
        return create(Daemon.find(), name, null, Map.of());
    }

    /**
     * Makes an empty one.
     *
     * @param name a random one if null
     * @param sizeMb how much may be written to it; the default if null
     */
    public static Volume create(Daemon daemon, @Nullable String name, @Nullable Long sizeMb, Map<String, String> metadata) {
        return new Volume(daemon, daemon.ask(client -> client.volumes().create(new CreateVolume(name, sizeMb, metadata))));
    }

    public static Volume get(String volume) {
        return get(Daemon.find(), volume);
    }

    /** One that is there, by name or id. */
    public static Volume get(Daemon daemon, String volume) {
        return new Volume(daemon, daemon.ask(client -> client.volumes().get(volume)));
    }

    /** All that fit, oldest first, page by page. */
    public static Paginator<VolumeInfo> list(Daemon daemon, Consumer<ListOptions> options) {
        ListOptions how = new ListOptions();
        options.accept(how);
        Pages.Filter filter = how.filter();
        return new Paginator<>(cursor -> {
            VolumeList page = daemon.ask(client -> client.pages().volumes(filter, cursor));
            return Paginator.page(page.volumes(), VolumeInfo::of, page.nextCursor());
        });
    }

    /** Removes one with all in it, by name or id; a {@code conflict} names the sandboxes that have it. */
    public static void delete(Daemon daemon, String volume) {
        daemon.ask(client -> {
            client.volumes().delete(volume);
            return true;
        });
    }

    public String volumeId() {
        return id;
    }

    public String name() {
        return name;
    }

    /** What is in it. */
    public Files files() {
        return new Files(daemon, id, client -> client.volumes().files());
    }

    public VolumeInfo getInfo() {
        return VolumeInfo.of(daemon.ask(client -> client.volumes().get(id)));
    }

    /** Removes it with all in it. */
    public void delete() {
        delete(daemon, id);
    }

    /** Keeps what it is now, as a volume that never changes; under a name of its own if null. */
    public Volume snapshot(@Nullable String copy) {
        return new Volume(daemon, daemon.ask(client -> client.volumes().snapshot(id, new CopyVolume(copy, null))));
    }

    /** A volume that begins with what this one has now. */
    public Volume fork(@Nullable String copy) {
        return new Volume(daemon, daemon.ask(client -> client.volumes().fork(id, new CopyVolume(copy, null))));
    }
}
