package dev.sandglass.engine.guest;

/** What of a request the agent refused; in the order of docs/guest-protocol.md. */
public enum Refusal {
    /** The request itself, or something that nobody expects. */
    REQUEST,
    /** The program: it is missing or cannot be executed. */
    PROGRAM,
    /** The working directory. */
    DIRECTORY,
    /** The user is unknown. */
    USER,
    /** One more process: the sandbox has all that it may have. */
    PROCESSES;

    /** A number of a later agent is as good as none. */
    static Refusal of(int number) {
        return number < values().length ? values()[number] : REQUEST;
    }
}
