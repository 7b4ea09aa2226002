package dev.sandglass.engine.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {
    @Test
    void areSayableAndRarelyMeet() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            seen.add(Names.with(null, name -> name));
        }
        assertThat(seen).hasSizeGreaterThan(850).allMatch(name -> name.matches("[a-z]+-[a-z]+"));
    }

    @Test
    void areTriedAgainWhenTakenThenWithANumber() {
        List<String> tried = new ArrayList<>();
        String name = Names.with(null, each -> {
            tried.add(each);
            if (!each.matches(".*[0-9]")) {
                throw taken();
            }
            return each;
        });
        assertThat(name).matches("[a-z]+-[a-z]+-[0-9]{4,6}");
        assertThat(tried).hasSizeGreaterThan(2).endsWith(name);
    }

    @Test
    void thatWereAskedForAreTriedOnce() {
        List<String> tried = new ArrayList<>();
        assertThatThrownBy(() -> Names.with("mine", each -> {
                    tried.add(each);
                    throw taken();
                }))
                .isInstanceOf(SandglassException.class);
        assertThat(tried).containsExactly("mine");
    }

    private static SandglassException taken() {
        return new SandglassException(ErrorCode.NAME_TAKEN, "There is one already.", "Choose another name.");
    }

    @ParameterizedTest
    @CsvSource({"otter,otter", "My_Box.1,my-box-1", "a--,a", "UPPER,upper"})
    void becomeHostNames(String name, String hostname) {
        assertThat(Names.hostname(name)).isEqualTo(hostname);
    }
}
