package dev.sandglass.engine.guest;

import dev.sandglass.wire.ProcessFacts;
import dev.sandglass.wire.ProcessList;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes of a sandbox, as its agent tells them. Nothing depends on them, so that they are not known is no failure. */
public final class GuestProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(GuestProcesses.class);
    private static final Duration AT_MOST = Duration.ofSeconds(10);

    private GuestProcesses() {}

    /** Those that there are now; empty when the agent is too old to tell, or does not in time. */
    public static Optional<ProcessList> ask(GuestLink link) {
        try (GuestFile file = link.ask(new FileRequest(FileRequest.Operation.PROCESSES, "/")).within(AT_MOST)) {
            return Optional.of(read(file));
        } catch (IOException | SandglassException problem) {
            LOG.info("The processes of a sandbox are not known: {}", problem.getMessage());
            return Optional.empty();
        }
    }

    private static ProcessList read(GuestFile file) throws IOException {
        List<ProcessFacts> found = new ArrayList<>();
        Optional<FieldReader> next = file.nextRecord();
        while (next.isPresent() && next.get().number(5) == 0 && found.size() < ProcessList.MOST) {
            FieldReader fields = next.get();
            found.add(new ProcessFacts(fields.number(1), fields.number(2), fields.number(3), fields.text(4).orElse("")));
            next = file.nextRecord();
        }
        return new ProcessList(ProcessList.VERSION, found, next.isPresent());
    }
}
