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
    /** By id, by its name, by its name without the tag that is meant then, or without the registry that is meant then. */
    ImageRecord resolve(String reference) {
        try {
            return ledger.resolve(reference);
        } catch (SandglassException unknown) {
            List<String> meant = meant(reference);
            if (unknown.code() != ErrorCode.IMAGE_NOT_FOUND || meant.isEmpty()) {
                throw unknown;
            }
            return ledger.all().stream().filter(image -> image.names().stream().anyMatch(meant::contains)).findFirst().orElseThrow(() -> unknown);
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

    static boolean isName(String reference) {
        try {
            return !Reference.name(reference).isEmpty();
        } catch (SandglassException none) {
            return false;
        }
    }
}
