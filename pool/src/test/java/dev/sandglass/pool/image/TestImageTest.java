package dev.sandglass.pool.image;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestImageTest {
    @Test
    void theSharedImageIsTheBaseImageOfItsPool() {
        TestImage shared = TestImage.shared();
        assertThat(shared.images().require()).isEqualTo(shared.image());
        assertThat(shared.pool().canLimit()).isTrue();
    }
}
