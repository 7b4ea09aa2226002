package dev.sandglass.network.egress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** However few descriptors a daemon has, no sandbox takes them all. */
class CapacityTest {
    @Test
    void oneSandboxGetsAQuarterOfWhatThereIs() {
        Capacity small = new Capacity(4096);
        assertThat(small.ofOne()).isEqualTo(256);
        for (int i = 0; i < 1024; i++) {
            assertThat(small.take()).isTrue();
        }
        assertThat(small.take()).as("a place when all are taken").isFalse();
        small.giveBack();
        assertThat(small.take()).isTrue();
    }

    @Test
    void memoryIsTheBoundWhereDescriptorsAreNone() {
        assertThat(new Capacity(Long.MAX_VALUE).ofOne()).isEqualTo(2048);
    }

    @Test
    void thisProcessHasRoomForSome() {
        assertThat(Capacity.ofThisProcess().ofOne()).isPositive();
    }
}
