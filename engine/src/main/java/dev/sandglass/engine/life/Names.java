package dev.sandglass.engine.life;

import java.util.concurrent.ThreadLocalRandom;

/** Random names that people can say: an adjective and an animal, and a number to keep them apart. */
final class Names {
    private static final String[] ADJECTIVES = {
        "amber", "bold", "brave", "bright", "brisk", "calm", "clever", "cosy", "crisp", "curious", "daring", "deft", "eager", "fair",
        "fleet", "fond", "gentle", "glad", "golden", "grand", "happy", "hardy", "honest", "jolly", "keen", "kind", "lively", "lucky",
        "mellow", "merry", "mild", "modest", "neat", "nimble", "noble", "patient", "plucky", "polite", "proud", "quick", "quiet",
        "rapid", "ready", "silver", "sleek", "smart", "snug", "spry", "steady", "sunny", "swift", "tidy", "tranquil", "vivid",
        "warm", "wise", "witty", "zesty"
    };
    private static final String[] ANIMALS = {
        "badger", "bear", "beaver", "bison", "crane", "deer", "dolphin", "dove", "eagle", "egret", "falcon", "ferret", "finch", "fox",
        "gecko", "goose", "hare", "hawk", "heron", "horse", "ibex", "jay", "kestrel", "koala", "lark", "lemur", "lion", "llama",
        "lynx", "marten", "mole", "moose", "newt", "ocelot", "orca", "otter", "owl", "panda", "pelican", "pony", "puffin", "quail",
        "rabbit", "raven", "robin", "salmon", "seal", "stork", "swan", "tapir", "tern", "tiger", "toad", "trout", "turtle", "vole",
        "walrus", "weasel", "whale", "wolf", "wren", "yak", "zebra"
    };

    private Names() {}

    static String random() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return ADJECTIVES[random.nextInt(ADJECTIVES.length)]
                + "-"
                + ANIMALS[random.nextInt(ANIMALS.length)]
                + "-"
                + random.nextInt(1000, 10_000);
    }

    /** A name as a host name: lower case, hyphens for what a host name cannot hold. */
    static String hostname(String name) {
        StringBuilder label = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            boolean fits = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
            boolean upper = letter >= 'A' && letter <= 'Z';
            label.append(fits ? letter : upper ? (char) (letter + 32) : '-');
        }
        return label.toString().replaceAll("-+$", "");
    }
}
