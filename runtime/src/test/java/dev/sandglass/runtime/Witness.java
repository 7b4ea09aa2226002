package dev.sandglass.runtime;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A program in a sandbox that holds one of everything that should survive, and answers every line of its input with what has
 * become of it.
 */
final class Witness implements AutoCloseable {
    /** @param counter of a thread, in memory */
    record Answer(long counter, String deleted, String typed, boolean isWoken, int threads, List<String> log) {}

    private final GuestReader reader;
    private final StringBuilder unread = new StringBuilder();

    private Witness(GuestReader reader) {
        this.reader = reader;
    }

    static Witness start(Guest guest) throws IOException, InterruptedException {
        GuestReader reader = guest.startWithInput("root", "python3", "-u", "-c", PostureContract.resource("witness.py"));
        Witness witness = new Witness(reader);
        if (!witness.line().equals("ready")) {
            throw new AssertionError("the witness did not come up");
        }
        return witness;
    }

    /** The same program in a copy of its sandbox. */
    Witness in(Guest copy) {
        GuestStream stream = copy.link().commands().find(number()).orElseThrow().stream();
        return new Witness(stream.attach(stream.endOffset()));
    }

    int number() {
        return reader.stream().number();
    }

    GuestStream stream() {
        return reader.stream();
    }

    Answer ask(String word) throws InterruptedException {
        byte[] line = (word + "\n").getBytes(StandardCharsets.UTF_8);
        reader.stream().write(line, 0, line.length);
        String[] words = line().split(" ");
        return new Answer(
                Long.parseLong(words[0]), words[1], words[2], words[3].equals("True"), Integer.parseInt(words[4]), List.of(words[5].split(",")));
    }

    private String line() throws InterruptedException {
        while (unread.indexOf("\n") < 0) {
            switch (reader.next()) {
                case GuestEvent.Output(_, _, ByteBuffer bytes) -> unread.append(StandardCharsets.UTF_8.decode(bytes));
                case GuestEvent other -> throw new AssertionError("instead of an answer: " + other + " after " + unread);
            }
        }
        int end = unread.indexOf("\n");
        String line = unread.substring(0, end);
        unread.delete(0, end + 1);
        return line;
    }

    @Override
    public void close() {
        reader.close();
    }
}
