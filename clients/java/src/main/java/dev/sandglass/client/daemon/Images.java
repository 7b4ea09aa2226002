package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Body;
import dev.sandglass.client.http.Response;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.ImageList;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.PullImage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients do with images. */
public record Images(Client client) {
    public List<ImageInfo> list() {
        return client.ask(ImageList.class, "GET", Query.of("v1", "images"), null).images();
    }

    public ImageInfo get(String image) {
        return client.ask(ImageInfo.class, "GET", Query.of("v1", "images", image), null);
    }

    public void delete(String image) {
        client.finish(client.send("DELETE", Query.of("v1", "images", image), null));
    }

    /** Begins to fetch one. */
    public OperationStatus pull(PullImage request) {
        return client.ask(OperationStatus.class, "POST", Query.of("v1", "images", "pull").with("wait", "false"), Client.json(request));
    }

    public ImageInfo read(@Nullable String name, Body archive) {
        Query query = Query.of("v1", "images", "import");
        return client.ask(ImageInfo.class, "POST", name == null ? query : query.with("name", name), archive);
    }

    /** The disk of a snapshot as an image in an archive. */
    public Response export(String snapshot, @Nullable String name) {
        Query query = Query.of("v1", "snapshots", snapshot, "image");
        return Answers.fine(client.send("GET", name == null ? query : query.with("name", name), null));
    }
}
