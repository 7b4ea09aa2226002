package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.ImageLedger;
import dev.sandglass.engine.ledger.ImageRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of images from elsewhere and of what stands on them. */
abstract class ImageContractTest extends LedgerFixture {
    private ImageLedger images() {
        return ledger.images();
    }

    private static ImageRecord image(String id, String digest, List<String> names) {
        return new ImageRecord(
                id, digest, names, "amd64", List.of("sha256:1", "sha256:2"), List.of("oci-2", "oci-" + id), 42,
                new CommandDefaults(Optional.of("dev"), Optional.of("/srv"), Map.of("A", "b c"), List.of("/entry"), List.of("-v")), Map.of("made", "here"), List.of("a warning"),
                Instant.ofEpochMilli(1_700_000_000_123L));
    }

    private static SandboxRecord on(String image) {
        SandboxRecord plain = record("sbx-aaaaaaaaaaaa", "one");
        return new SandboxRecord(
                plain.id(), plain.version(), plain.name(), plain.state(), plain.runtime(), plain.security(), plain.capabilities(), plain.limits(), plain.deadlines(), plain.env(), plain.labels(), image,
                plain.agent(), plain.warnings(), plain.createdAt(), plain.startedAt(), plain.lineage(), plain.network(), plain.credentials(), plain.volumes(), plain.commandDefaults());
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        images().put(image("img-aaaa", "sha256:a", List.of()), List.of("team/app:1", "team/app:2"));
        ledger.close();
        ledger = open();
        ImageRecord known = image("img-aaaa", "sha256:a", List.of("team/app:1", "team/app:2"));
        assertThat(images().all()).containsExactly(known);
        for (String reference : List.of("team/app:1", "img-aaaa", "img-a", "aa")) {
            assertThat(images().resolve(reference)).isEqualTo(known);
        }
        assertThat(images().layers()).containsExactlyInAnyOrder("oci-2", "oci-img-aaaa");
        images().put(image("img-aabb", "sha256:b", List.of()), List.of());
        fails(ErrorCode.AMBIGUOUS_PREFIX, () -> images().resolve("img-aa"));
        fails(ErrorCode.IMAGE_NOT_FOUND, () -> images().resolve("img-"));
        fails(ErrorCode.IMAGE_NOT_FOUND, () -> images().resolve("%"));
    }

    @Test
    void aNameIsThatOfOneImageAndMoves() {
        images().put(image("img-aaaa", "sha256:a", List.of()), List.of("app:1"));
        images().put(image("img-bbbb", "sha256:b", List.of()), List.of("app:1", "app:2"));
        assertThat(images().find("img-aaaa").orElseThrow().names()).isEmpty();
        assertThat(images().resolve("app:1").id()).isEqualTo("img-bbbb");
        fails(ErrorCode.IMAGE_REFUSED, () -> images().put(image("img-aaaa", "sha256:other", List.of()), List.of("app:3")));
        fails(ErrorCode.IMAGE_NOT_FOUND, () -> images().resolve("app:3"));
        images().remove("app:1");
        assertThat(images().resolve("app:2").names()).containsExactly("app:2");
        images().remove("app:2");
        assertThat(images().find("img-bbbb")).isEmpty();
        fails(ErrorCode.IMAGE_NOT_FOUND, () -> images().remove("app:2"));
    }

    @Test
    void whatSomethingStandsOnStaysAndNothingStandsOnWhatIsNotThere() {
        fails(ErrorCode.IMAGE_NOT_FOUND, () -> ledger.insert(on("img-aaaa")));
        images().put(image("img-aaaa", "sha256:a", List.of()), List.of("app:1"));
        SandboxRecord sandbox = on("img-aaaa");
        ledger.insert(sandbox);
        fails(ErrorCode.CONFLICT, () -> images().remove("app:1"));
        assertThat(images().resolve("app:1").names()).containsExactly("app:1");
        ledger.update(sandbox.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        images().remove("img-aaaa");
        assertThat(images().all()).isEmpty();
        assertThat(images().layers()).isEmpty();
    }

    @Test
    void soManyAreKeptAndNoMore() {
        for (int i = 0; i < ImageLedger.MOST; i++) {
            images().put(image("img-%04d".formatted(i), "sha256:" + i, List.of()), List.of());
        }
        fails(ErrorCode.LIMIT_REACHED, () -> images().put(image("img-more", "sha256:more", List.of()), List.of()));
        images().put(image("img-0001", "sha256:1", List.of()), List.of("again:1"));
        images().remove("img-0000");
        images().put(image("img-more", "sha256:more", List.of()), List.of());
    }
}
