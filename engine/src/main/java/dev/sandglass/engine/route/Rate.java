package dev.sandglass.engine.route;

import dev.sandglass.wire.Refusal;
import dev.sandglass.wire.RouteRate;
import java.util.Objects;

/** How many requests a route takes: so many in a second, and so many at once after a rest. */
public record Rate(int perSecond, int burst) {
    private static final int MOST = 100_000;

    public Rate {
        if (perSecond < 1 || perSecond > MOST) {
            throw Refusal.of("rate.per_second", Integer.toString(perSecond), "1 to " + MOST);
        }
        if (burst < 1 || burst > MOST) {
            throw Refusal.of("rate.burst", Integer.toString(burst), "1 to " + MOST);
        }
    }

    static Rate of(RouteRate asked) {
        return new Rate(asked.perSecond(), Objects.requireNonNullElse(asked.burst(), asked.perSecond()));
    }

    RouteRate toWire() {
        return new RouteRate(perSecond, burst);
    }
}
