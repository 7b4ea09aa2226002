package dev.sandglass.client;

import java.util.function.Consumer;

/** What a copy tries in a race. Whatever it throws is a failure of that copy alone. */
@FunctionalInterface
public interface Attempt {
    /**
     * Tries it in a copy.
     *
     * @param branch the number of the copy, from 1
     * @param settings of the race for commands: environment and time limit
     * @return how it went: 0 is a success
     */
    CommandResult in(Sandbox copy, int branch, Consumer<RunOptions> settings) throws Exception;
}
