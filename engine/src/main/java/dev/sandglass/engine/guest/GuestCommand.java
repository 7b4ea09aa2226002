package dev.sandglass.engine.guest;

/**
 * A command that the agent runs or remembers.
 *
 * @param oomKillsBefore the sandbox's count of out-of-memory kills when the command began, to tell later ones from it
 */
public record GuestCommand(CommandFacts facts, GuestStream stream, long oomKillsBefore) {
    public boolean finished() {
        return stream.exit().isDone();
    }
}
