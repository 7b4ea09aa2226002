CREATE TABLE sandbox (
    id            TEXT PRIMARY KEY,
    version       BIGINT NOT NULL,
    name          TEXT NOT NULL,
    state         TEXT NOT NULL,
    reason        TEXT,
    pid           BIGINT,
    start_ticks   BIGINT,
    boot_id       TEXT,
    runtime       TEXT NOT NULL,
    security      TEXT NOT NULL,
    memory_bytes  BIGINT NOT NULL,
    cpus          DOUBLE PRECISION NOT NULL,
    disk_bytes    BIGINT NOT NULL,
    processes     BIGINT NOT NULL,
    image         TEXT NOT NULL,
    agent         TEXT NOT NULL,
    details       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT
);

CREATE UNIQUE INDEX sandbox_name ON sandbox (name) WHERE state <> 'destroyed';
