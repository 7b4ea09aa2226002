package dev.sandglass.cli;

final class DemoVerb extends Verb {
    @Override
    int run(Console console) {
        return OK;
    }
}
