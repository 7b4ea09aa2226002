package dev.sandglass.cli;

final class CpVerb extends Verb {
    @Override
    int run(Console console) {
        return OK;
    }
}
