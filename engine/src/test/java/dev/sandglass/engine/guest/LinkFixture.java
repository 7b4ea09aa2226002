package dev.sandglass.engine.guest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A link to the real agent, both made anew for each test, and what a command said and how it ended. */
@Timeout(120)
abstract class LinkFixture {
    @TempDir
    Path directory;

    RealAgent agent;
    Sluice sluice;
    GuestLink link;

    @BeforeEach
    void startIt() throws IOException, InterruptedException {
        agent = new RealAgent(directory);
        sluice = new Sluice(agent.channel());
        link = agent.link(sluice.channel());
    }

    /** As a daemon does that has just started. */
    void greet() throws IOException, InterruptedException {
        sluice = new Sluice(agent.channel());
        link = agent.link(sluice.channel());
    }

    @AfterEach
    void stopIt() {
        link.close();
        agent.close();
    }

    record Result(String stdout, String stderr, GuestExit exit) {}

    Result run(CommandStart start) throws InterruptedException {
        GuestReader reader = link.commands().startAttached(start);
        Result result = collect(reader);
        reader.stream().close();
        return result;
    }

    static Result collect(GuestReader reader) throws InterruptedException {
        ByteArrayOutputStream[] outputs = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
        while (true) {
            switch (reader.next()) {
                case GuestEvent.Output output -> {
                    byte[] bytes = new byte[output.bytes().remaining()];
                    output.bytes().duplicate().get(bytes);
                    outputs[output.kind() - 1].writeBytes(bytes);
                }
                case GuestEvent.Ended(GuestExit exit) -> {
                    return new Result(
                            outputs[0].toString(StandardCharsets.UTF_8), outputs[1].toString(StandardCharsets.UTF_8), exit);
                }
                case GuestEvent.Eof _, GuestEvent.Refused _, GuestEvent.Closed _ -> throw new AssertionError("unexpected");
            }
        }
    }

    static String text(GuestEvent event) {
        return StandardCharsets.UTF_8.decode(((GuestEvent.Output) event).bytes().duplicate()).toString();
    }
}
