package dev.sandglass.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class PoolVerbsTest extends VerbFixture {
    private static final String POOL = "{\"name\":\"shop\",\"origin\":\"user\",\"snapshot\":\"snap-aaaaaaaaaaaa\",\"min_idle\":2,\"max_idle\":4,\"ready\":1,\"filling\":1,\"claimed\":7,\"missed\":3,"
            + "\"memory_bytes\":1048576,\"problem\":\"It is cold.\"}";

    @Test
    void theyAreSetListedAndEnded() {
        daemon.on("PUT /v1/pools/shop", 200, POOL)
                .on("GET /v1/pools", 200, "{\"pools\":[" + POOL + "],\"memory_budget_bytes\":1}")
                .on("DELETE /v1/pools/shop", 204, "");
        assertThat(console.run("pool", "set", "shop", "--min", "2", "--max", "4", "--warm-up", "make", "-o", "table")).isZero();
        assertThat(daemon.asked).last().isEqualTo("PUT /v1/pools/shop {\"min_idle\":2,\"max_idle\":4,\"warm_up\":\"make\"}");
        assertThat(console.out).isEqualTo("shop   2 kept ready, up to 4   It is cold.\n");
        assertThat(console.run("pool", "set", "shop", "--min", "0")).isZero();
        assertThat(daemon.asked).last().isEqualTo("PUT /v1/pools/shop {\"min_idle\":0}");
        assertThat(console.run("pool", "list", "-o", "table")).isZero();
        assertThat(console.out).containsPattern("NAME +FROM +MIN +MAX +READY +FILLING +CLAIMED +MISSED +MEMORY +PROBLEM").containsPattern("shop +user +2 +4 +1 +1 +7 +3 .*It is cold");
        assertThat(console.run("pool", "ls", "-q")).isZero();
        assertThat(console.out).isEqualTo("shop\n");
        assertThat(console.run("pool", "delete", "shop", "-o", "table")).isZero();
        assertThat(console.out).isEqualTo("shop\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--min", "--min=-1", "--min=some", "--min=1 --max=x"})
    void numbersAreNumbers(String options) {
        assertThat(console.run(("pool set shop " + options).strip().split(" "))).isEqualTo(2);
        assertThat(daemon.asked).isEmpty();
    }
}
