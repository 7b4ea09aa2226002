package dev.sandglass.engine.life;

/** Whether somebody still wants what is being made, and what is to be broken off once nobody does. Thread-safe. */
final class Interest {
    private boolean lost;
    private Runnable breaking = () -> {};

    synchronized boolean isLost() {
        return lost;
    }

    /** What runs when the interest is lost, or now if it is; in place of what was to run before. */
    void whenLost(Runnable action) {
        synchronized (this) {
            breaking = action;
            if (!lost) {
                return;
            }
        }
        action.run();
    }

    /** Fine if it is lost already. */
    void lose() {
        Runnable action;
        synchronized (this) {
            lost = true;
            action = breaking;
            breaking = () -> {};
        }
        action.run();
    }
}
