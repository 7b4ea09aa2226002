package dev.sandglass.engine.guest;

/** A command that the agent runs or remembers. */
public record GuestCommand(CommandFacts facts, GuestStream stream) {
    public boolean finished() {
        return stream.exit().isDone();
    }
}
