package dev.sandglass.cli;

/**
 * What a link leads to: a route, whose name is not digits alone, or a port.
 *
 * @param kind as the API calls many of them
 */
record LinkTarget(String kind, String name) {
    static LinkTarget of(String word) {
        boolean port = !word.isEmpty() && word.chars().allMatch(Character::isDigit);
        return new LinkTarget(port ? "ports" : "routes", word);
    }
}
