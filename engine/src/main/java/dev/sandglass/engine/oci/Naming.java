package dev.sandglass.engine.oci;

import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How people name images that are here. Thread-safe.
 *
 * @param standard the registry of references that name none
 */
public record Naming(ImageLedger ledger, Optional<String> standard) {
    /** By its id, its name, its name without the tag that is meant then, or without the registry that is meant then; by the beginning of an id if none is called so. */
    ImageRecord resolve(String reference) {
        Optional<ImageRecord> known = ImageRecord.isId(reference) ? ledger.find(reference) : Optional.empty();
        return known.or(() -> meant(reference).stream().flatMap(name -> named(name).stream()).findFirst()).orElseGet(() -> ledger.resolve(reference));
    }

    /** @param name with a tag or digest, so that it is no id */
    private Optional<ImageRecord> named(String name) {
        try {
            return Optional.of(ledger.resolve(name));
        } catch (SandglassException unknown) {
            if (unknown.code() != ErrorCode.IMAGE_NOT_FOUND) {
                throw unknown;
            }
            return Optional.empty();
        }
    }

    /** The name of an image that is meant by a reference, if it is not by its id. */
    Optional<String> nameOf(ImageRecord image, String reference) {
        List<String> meant = meant(reference);
        return image.names().stream().filter(name -> name.equals(reference) || meant.contains(name)).findFirst();
    }

    private List<String> meant(String reference) {
        if (!isName(reference)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        names.add(Reference.name(reference));
        standard.ifPresent(_ -> names.add(Reference.parse(reference, standard).toString()));
        return names;
    }

    static boolean isGiven(String reference) {
        return isName(reference) && reference.indexOf('@') < 0;
    }

    private static boolean isName(String reference) {
        try {
            return !Reference.name(reference).isEmpty();
        } catch (SandglassException none) {
            return false;
        }
    }
}
