package dev.sandglass.runtime.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunscTest {
    @ParameterizedTest
    @CsvSource({"0.0~20240729.0,20240729", "release-20251110.0-12-gabc,20251110", "20221219.0,20221219", "VERSION_MISSING,0"})
    void findsTheDateInAVersion(String version, int date) {
        assertThat(Runsc.date(version)).isEqualTo(date);
    }

    @Test
    void linkAttributesAreTakenAwayOnlyWhereTheyAreBroken() {
        assertThat(Runsc.brokenCalls("0.0~20240729.0")).containsExactly("lgetxattr");
        assertThat(Runsc.brokenCalls("release-20241028.0")).isEmpty();
    }
}
