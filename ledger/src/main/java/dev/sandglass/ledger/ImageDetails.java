package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.CommandSettings;
import io.avaje.jsonb.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What no query asks for of an image, kept as JSON in one column. */
@Json
record ImageDetails(
        String digest,
        String architecture,
        List<String> diffIds,
        long bytes,
        @Nullable CommandSettings commands,
        Map<String, String> labels,
        List<String> warnings) {
    static ImageDetails of(ImageRecord image) {
        return new ImageDetails(
                image.digest(), image.architecture(), image.diffIds(), image.bytes(), image.commands().toWire(), image.labels(), image.warnings());
    }

    ImageRecord toRecord(String id, List<String> names, List<String> layers, Instant createdAt) {
        return new ImageRecord(id, digest, names, architecture, diffIds, layers, bytes, CommandDefaults.of(commands), labels, warnings, createdAt);
    }
}
