package dev.sandglass.engine.service;

import dev.sandglass.engine.guest.FieldReader;
import dev.sandglass.engine.guest.GuestFile;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.ServiceFacts;
import dev.sandglass.engine.guest.ServiceRequest;
import dev.sandglass.engine.guest.ServiceRequest.Operation;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.life.Turns;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Service;
import dev.sandglass.wire.ServiceList;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;

/** The services of sandboxes: the agent supervises them, their unit files are on the sandbox's disk. Thread-safe. */
public final class Services implements AutoCloseable {
    /** Many times what an honest agent has. */
    private static final int MOST = 1024;

    private static final long MOST_CHARACTERS = 4 << 20;
    /** A start or a stop takes as long as its unit says. */
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private final LiveSandboxes sandboxes;
    private final Ledger ledger;
    private final Announcements announcements;
    private final Turns<String> turns = new Turns<>();

    public Services(Sandboxes sandboxes, Ledger ledger) {
        this.sandboxes = sandboxes.live();
        this.ledger = ledger;
        this.announcements = new Announcements(ledger);
        sandboxes.watchEnds(record -> announcements.forget(record.id()));
        this.sandboxes.watch(in -> in.link().beginServices(announcements.of(in))); // those that run are in the ledger, and somebody's
    }

    /** Refuses what no service can be. Touches nothing. */
    public static void check(CreateService request) {
        UnitText.of(Definition.of(request));
    }

    /** Writes a service onto the disk of a sandbox and starts it, unless that is not wanted; {@code name_taken} if there is one. */
    public Service create(String sandbox, CreateService request) {
        Definition service = Definition.of(request);
        String text = UnitText.of(service);
        boolean replaces = Boolean.TRUE.equals(request.replace());
        boolean starts = !Boolean.FALSE.equals(request.start());
        AtomicBoolean written = new AtomicBoolean(); // whoever meets the end of a pause on the way is asked again
        return asked(sandbox, service.name(), in -> {
            GuestLink link = in.link();
            boolean known = !written.get() && find(link, service.name()).isPresent();
            if (known) {
                requireOurs(link, service.name(), replaces);
            }
            write(link, service.name(), text, known || written.get());
            written.set(true);
            reload(link);
            ledger.add(in.id(), in.name(), new Change(known ? "service.replaced" : "service.created", Map.of("service", service.name())));
            return starts ? ordered(link, known ? Operation.RESTART : Operation.START, service.name()) : Views.of(get(link, service.name()));
        });
    }

    /** What was written is taken away again when it cannot be enabled. */
    private static void write(GuestLink link, String name, String text, boolean replaces) throws IOException {
        UnitFiles files = new UnitFiles(link);
        try {
            files.write(name, text, replaces);
        } catch (SandglassException problem) {
            throw problem.code() == ErrorCode.PATH_EXISTS ? taken(name) : problem; // the agent does not take it for a service, but it is there
        }
        try {
            files.enable(name);
        } catch (SandglassException | IOException problem) {
            if (!replaces) {
                files.remove(name);
            }
            throw problem;
        }
    }

    private static void requireOurs(GuestLink link, String name, boolean wanted) throws IOException {
        if (!wanted) {
            throw taken(name);
        }
        if (!new UnitFiles(link).isOurs(name)) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The service " + name + " was not made by Sandglass, so it is not changed or removed.",
                    "Remove the package or the unit file that brought it, in the sandbox; `service stop` ends it.");
        }
    }

    private static SandglassException taken(String name) {
        return new SandglassException(
                ErrorCode.NAME_TAKEN, "There is a service " + name + " already.", "Choose another name, or replace it with --replace (in the API `replace`).");
    }

    /** All services of a sandbox, by name. */
    public ServiceList list(String sandbox) {
        return used(sandbox, in -> {
            List<Service> found = new ArrayList<>();
            long characters = 0;
            try (GuestFile answer = ask(in.link(), ServiceRequest.of(Operation.LIST))) {
                for (Optional<FieldReader> next = answer.nextRecord(); next.isPresent(); next = answer.nextRecord()) {
                    Service service = Views.of(ServiceFacts.of(next.get()));
                    characters += service.toString().length();
                    if (found.size() == MOST || characters > MOST_CHARACTERS) {
                        return new ServiceList(found, true);
                    }
                    found.add(service);
                }
            }
            return new ServiceList(found, false);
        });
    }

    public Service get(String sandbox, String name) {
        return used(sandbox, in -> Views.of(get(in.link(), name)));
    }

    /** Starts it; the answer comes when it runs, or could not. Fine if it runs. */
    public Service start(String sandbox, String name) {
        return used(sandbox, in -> ordered(in.link(), Operation.START, name));
    }

    /** Ends it until it is started again, at the latest with the sandbox. */
    public Service stop(String sandbox, String name) {
        return used(sandbox, in -> ordered(in.link(), Operation.STOP, name));
    }

    public Service restart(String sandbox, String name) {
        return used(sandbox, in -> ordered(in.link(), Operation.RESTART, name));
    }

    /** Ends it and removes it from the disk; {@code conflict} if something else than Sandglass put it there. */
    public void remove(String sandbox, String name) {
        asked(sandbox, Definition.name(name), in -> {
            GuestLink link = in.link();
            get(link, name);
            requireOurs(link, name, true);
            ordered(link, Operation.STOP, name);
            new UnitFiles(link).remove(name);
            reload(link);
            ledger.add(in.id(), in.name(), new Change("service.removed", Map.of("service", name)));
            return true;
        });
    }

    /**
     * What is kept of its output; the caller closes it.
     *
     * @param follow whether what comes is read too, for as long as somebody reads
     * @param lines so many of the last ones
     */
    public InputStream log(String sandbox, String name, boolean follow, OptionalInt lines) {
        return used(sandbox, in -> {
            get(in.link(), name); // so that one that is not there is told before the first byte
            OptionalInt bytes = OptionalInt.empty();
            if (lines.isPresent()) {
                try (GuestFile kept = ask(in.link(), ServiceRequest.log(name, false, OptionalInt.empty()))) {
                    bytes = OptionalInt.of(Tail.bytes(kept, lines.getAsInt()));
                }
            }
            return in.link().service(ServiceRequest.log(name, follow, bytes)).patience(follow ? GuestReader.FOR_EVER : PATIENCE);
        });
    }

    private static Optional<ServiceFacts> find(GuestLink link, String name) throws IOException {
        try {
            return Optional.of(get(link, name));
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SERVICE_NOT_FOUND) {
                throw problem;
            }
            return Optional.empty();
        }
    }

    private static ServiceFacts get(GuestLink link, String name) throws IOException {
        return answered(link, ServiceRequest.of(Operation.LIST, name));
    }

    private static Service ordered(GuestLink link, Operation operation, String name) throws IOException {
        return Views.of(answered(link, ServiceRequest.of(operation, name)));
    }

    private static ServiceFacts answered(GuestLink link, ServiceRequest request) throws IOException {
        try (GuestFile answer = ask(link, request)) {
            ServiceFacts facts = ServiceFacts.of(answer.record());
            answer.finish();
            return facts;
        }
    }

    private static void reload(GuestLink link) throws IOException {
        try (GuestFile answer = ask(link, ServiceRequest.of(Operation.RELOAD))) {
            answer.finish();
        }
    }

    private static GuestFile ask(GuestLink link, ServiceRequest request) {
        return link.service(request).within(PATIENCE);
    }

    private interface Asking<T> {
        T of(LiveSandbox sandbox) throws IOException;
    }

    /** Changes of one service of a sandbox come one after the other. */
    private <T> T asked(String sandbox, String name, Asking<T> asking) {
        return used(sandbox, in -> {
            try (Turns.Taken _ = turns.take(in.id().text() + " " + name)) {
                return asking.of(in);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        });
    }

    private <T> T used(String sandbox, Asking<T> asking) {
        try {
            return sandboxes.use(sandbox, in -> {
                try {
                    return asking.of(in);
                } catch (IOException problem) {
                    throw broken(problem);
                }
            });
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
        }
    }

    private static SandglassException broken(IOException problem) {
        if (problem instanceof InterruptedIOException) {
            return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", problem);
        }
        return new SandglassException(
                ErrorCode.GUEST_PROTOCOL,
                "What was asked about services broke off: " + problem.getMessage(),
                "The sandbox was tampered with from inside, or it ended; `sandglass inspect` tells.",
                problem);
    }

    @Override
    public void close() {
        announcements.close();
    }
}
