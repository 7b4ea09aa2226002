package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {
    @Test
    void areSayableAndRarelyMeet() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            String name = Names.random();
            assertThat(name).matches("[a-z]+-[a-z]+-[0-9]{4}");
            seen.add(name);
        }
        assertThat(seen).hasSizeGreaterThan(995);
    }

    @ParameterizedTest
    @CsvSource({"otter,otter", "My_Box.1,my-box-1", "a--,a", "UPPER,upper"})
    void becomeHostNames(String name, String hostname) {
        assertThat(Names.hostname(name)).isEqualTo(hostname);
    }
}
