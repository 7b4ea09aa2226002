package dev.sandglass.engine.ledger;

/** What was used of a budget. */
public record Spending(Account account, long requests, long tokens) {}
