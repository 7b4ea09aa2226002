package dev.sandglass.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PlaceTest {
    @Test
    void aColonBeforeAnySlashNamesASandbox() {
        assertThat(Place.parse("box:/a/b")).isEqualTo(new Place("box", "/a/b"));
        assertThat(Place.parse("box:")).isEqualTo(new Place("box", "."));
        assertThat(Place.parse("/a:b")).isEqualTo(new Place(null, "/a:b"));
        assertThat(Place.parse("./a:b")).isEqualTo(new Place(null, "./a:b"));
        assertThat(Place.parse("a/b:c")).isEqualTo(new Place(null, "a/b:c"));
        assertThat(Place.parse("plain")).isEqualTo(new Place(null, "plain"));
    }

    @Test
    void aNameIsTheLastComponentThatIsOne() {
        assertThat(Place.parse("box:/a/b/").baseName()).isEqualTo("b");
        assertThat(Place.parse("box:b").baseName()).isEqualTo("b");
        for (String nameless : new String[] {"box:/", "box:..", "box:/a/..", "box:.", "box:~", "box:/a/."}) {
            assertThat(Place.parse(nameless).baseName()).as(nameless).isEmpty();
            assertThat(Place.parse(nameless).contentOnly()).as(nameless).isTrue();
        }
    }
}
