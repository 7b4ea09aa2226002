CREATE TABLE idempotency (
    key         TEXT PRIMARY KEY,
    digest      TEXT NOT NULL,
    sandbox_id  TEXT NOT NULL,
    at          BIGINT NOT NULL
);

CREATE INDEX idempotency_age ON idempotency (at);
