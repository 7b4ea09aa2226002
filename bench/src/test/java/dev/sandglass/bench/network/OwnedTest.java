package dev.sandglass.bench.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnedTest {
    @Test
    void theLastGoesFirstAndAllGoWhateverFails() throws IOException {
        List<String> gone = new ArrayList<>();
        Owned owned = new Owned();
        owned.add(() -> gone.add("pairs"));
        owned.add(() -> {
            throw new IOException("in use");
        });
        owned.add(() -> {
            throw new IllegalStateException("does not stop");
        });
        owned.add(() -> gone.add("servers"));
        assertThatThrownBy(owned::close)
                .isInstanceOf(IOException.class)
                .satisfies(problem -> assertThat(problem.getSuppressed()).extracting(Throwable::getMessage).containsExactly("does not stop", "in use"));
        assertThat(gone).containsExactly("servers", "pairs");
        owned.close();
        assertThat(gone).as("once each").hasSize(2);
    }
}
