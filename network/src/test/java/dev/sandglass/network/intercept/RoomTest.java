package dev.sandglass.network.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoomTest {
    private final Room room = new Room(100, 40);

    @Test
    void oneSandboxTakesNoMoreThanItsPart() {
        Room.Share first = room.take("a", 30).orElseThrow();
        assertThat(room.take("a", 11)).isEmpty();
        assertThat(room.take("a", 10)).isPresent();
        assertThat(first.resize(31)).isFalse();
        assertThat(first.resize(5)).isTrue();
        assertThat(room.take("a", 25)).isPresent();
        assertThat(room.take("a", 1)).isEmpty();
        first.giveBack();
        first.giveBack();
        assertThat(room.take("a", 6)).isEmpty();
        assertThat(room.take("a", 5)).isPresent();
    }

    @Test
    void allTogetherTakeNoMoreThanThereIs() {
        assertThat(room.take("a", 40)).isPresent();
        Room.Share second = room.take("b", 40).orElseThrow();
        assertThat(room.take("c", 21)).isEmpty();
        second.giveBack();
        assertThat(room.take("c", 40)).isPresent();
    }
}
