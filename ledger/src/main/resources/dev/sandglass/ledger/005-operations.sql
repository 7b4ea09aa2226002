CREATE TABLE operation (
    id          TEXT PRIMARY KEY,
    at          BIGINT NOT NULL,
    running     INTEGER NOT NULL,
    sandbox_id  TEXT,
    status      TEXT NOT NULL
);

CREATE INDEX operation_age ON operation (running, at);
