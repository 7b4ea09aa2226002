CREATE TABLE snapshot (
    id          TEXT PRIMARY KEY,
    version     BIGINT NOT NULL,
    name        TEXT,
    state       TEXT NOT NULL,
    sandbox_id  TEXT NOT NULL,
    image       TEXT NOT NULL,
    layers      TEXT NOT NULL,
    details     TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE UNIQUE INDEX snapshot_name ON snapshot (name) WHERE state <> 'deleted';
CREATE INDEX snapshot_order ON snapshot (created_at, id);
