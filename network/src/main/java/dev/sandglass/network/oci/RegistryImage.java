package dev.sandglass.network.oci;

import dev.sandglass.engine.oci.Digest;
import dev.sandglass.engine.oci.ImageSource;
import dev.sandglass.engine.oci.Reference;
import dev.sandglass.engine.oci.Refusal;
import dev.sandglass.wire.oci.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** One image in a registry. Thread-safe. */
record RegistryImage(Reference reference, Exchange exchange) implements ImageSource {
    private static final int MOST_DOCUMENT = 4 << 20;
    private static final List<String> MANIFESTS = List.of(
            "application/vnd.oci.image.index.v1+json",
            "application/vnd.oci.image.manifest.v1+json",
            "application/vnd.docker.distribution.manifest.list.v2+json",
            "application/vnd.docker.distribution.manifest.v2+json");

    @Override
    public byte[] root() throws IOException {
        return manifest(reference.wanted());
    }

    @Override
    public byte[] manifest(Descriptor descriptor) throws IOException {
        return manifest(Digest.of(descriptor.digest()).text());
    }

    private byte[] manifest(String wanted) throws IOException {
        try (InputStream body = exchange.document("/v2/" + reference.repository() + "/manifests/" + wanted, MANIFESTS)) {
            byte[] document = body.readNBytes(MOST_DOCUMENT + 1);
            if (document.length > MOST_DOCUMENT) {
                throw Refusal.of("a manifest has more than " + MOST_DOCUMENT + " bytes");
            }
            return document;
        }
    }

    @Override
    public InputStream configuration(Descriptor descriptor) {
        return exchange.document(path(descriptor), List.of());
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        return exchange.layer(path(descriptor));
    }

    private String path(Descriptor blob) {
        return "/v2/" + reference.repository() + "/blobs/" + Digest.of(blob.digest()).text();
    }

    @Override
    public List<String> names() {
        return List.of(reference.toString());
    }

    @Override
    public void close() {
        exchange.close();
    }
}
