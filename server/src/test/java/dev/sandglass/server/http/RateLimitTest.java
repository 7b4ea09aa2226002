package dev.sandglass.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.wire.Health;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One client cannot take the daemon for itself. */
class RateLimitTest {
    @Test
    void tooManyAreToldWhenToComeBack() throws IOException, InterruptedException {
        try (Door door = Door.limited(Map.of("getBytes", exchange -> exchange.answer(200, new Health("ok"))), 1)) {
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                answers.add(door.get("/v1/bytes"));
            }
            assertThat(answers).extracting(HttpResponse::statusCode).contains(200, 429).containsOnly(200, 429);
            HttpResponse<String> refused =
                    answers.stream().filter(answer -> answer.statusCode() == 429).findFirst().orElseThrow();
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(refused.body()).contains("rate_limited");
        }
    }

    @Test
    void timeBringsRequestsBackUpToTheBurst() {
        AtomicLong nanos = new AtomicLong();
        RateLimit limit = new RateLimit(10, nanos::get);
        assertThat(taken(limit)).isEqualTo(20);
        nanos.addAndGet(500_000_000);
        assertThat(taken(limit)).isEqualTo(5);
        nanos.addAndGet(3_600_000_000_000L);
        assertThat(taken(limit)).isEqualTo(20);
    }

    @Test
    void zeroIsNoLimit() {
        RateLimit limit = new RateLimit(0, () -> 0);
        assertThatCode(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        limit.check();
                    }
                })
                .doesNotThrowAnyException();
    }

    private static int taken(RateLimit limit) {
        for (int i = 0; i < 100; i++) {
            try {
                limit.check();
            } catch (SandglassException refused) {
                assertThatThrownBy(limit::check).isInstanceOf(SandglassException.class);
                return i;
            }
        }
        throw new AssertionError("no limit");
    }
}
