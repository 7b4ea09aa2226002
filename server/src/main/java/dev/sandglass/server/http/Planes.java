package dev.sandglass.server.http;

import dev.sandglass.server.metric.Traffic;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes calls to their planes, and sees to it that each ends in one whole answer or none. Thread-safe. */
final class Planes {
    private static final Logger LOG = LoggerFactory.getLogger(Planes.class);

    private final List<Plane> planes;
    private final Traffic traffic;

    Planes(List<Plane> planes, Traffic traffic) {
        this.planes = List.copyOf(planes);
        this.traffic = traffic;
    }

    Optional<Plane> find(Call call) {
        return planes.stream().filter(plane -> plane.takes(call)).findFirst();
    }

    void serve(Plane plane, Call call, Transport transport) {
        long began = System.nanoTime();
        try {
            plane.serve(call);
            transport.finish();
        } catch (Throwable failure) {
            fail(plane, call, transport, failure);
        } finally {
            count(plane, transport, System.nanoTime() - began);
        }
    }

    private void count(Plane plane, Transport transport, long nanos) {
        if (transport.follows()) {
            traffic.followed(plane.name(), transport.status(), nanos);
        } else {
            traffic.served(plane.name(), transport.status(), nanos);
        }
    }

    private void fail(Plane plane, Call call, Transport transport, Throwable failure) {
        if (transport.committed()) {
            LOG.info("a call of {} broke off: {}", plane.name(), Schema.shown(failure));
            transport.abort(failure);
            return;
        }
        String broken = transport.body().failure();
        if (failure instanceof InterruptedException || transport.departure().happened()) {
            refuse(plane, call, transport, transport.departure().refusal());
        } else if (broken != null) {
            refuse(plane, call, transport, new SandglassException(
                    ErrorCode.MALFORMED_REQUEST, "The body could not be read: " + broken + ".", "Send the whole body.", failure));
        } else if (failure instanceof SandglassException refusal) {
            refuse(plane, call, transport, refusal);
        } else {
            refuse(plane, call, transport, Problems.unforeseen(plane.name(), failure));
        }
    }

    /** Tells what is wrong as the clients of the plane want it told; the connection goes, because of the body nobody may have read. */
    void refuse(Plane plane, Call call, Transport transport, SandglassException problem) {
        traffic.problem(problem.code());
        try {
            transport.retract();
            plane.refuse(call, problem);
            transport.finish();
        } catch (IOException | RuntimeException failure) {
            LOG.info("an error of {} could not be told: {}", plane.name(), Schema.shown(failure));
            transport.abort(failure);
        }
    }
}
