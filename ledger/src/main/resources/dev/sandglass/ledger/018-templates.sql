CREATE TABLE template (
    name        TEXT PRIMARY KEY,
    origin      TEXT NOT NULL,
    recipe      TEXT NOT NULL,
    current     BIGINT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

CREATE TABLE template_version (
    template    TEXT NOT NULL,
    version     BIGINT NOT NULL,
    snapshot    TEXT NOT NULL,
    digest      TEXT NOT NULL,
    build       TEXT,
    built_at    BIGINT NOT NULL,
    PRIMARY KEY (template, version)
);

CREATE TABLE build (
    id          TEXT PRIMARY KEY,
    at          BIGINT NOT NULL,
    running     BIGINT NOT NULL,
    subject     TEXT NOT NULL,
    status      TEXT NOT NULL,
    log         TEXT NOT NULL
);

CREATE INDEX build_order ON build (at);

CREATE TABLE build_step (
    key         TEXT PRIMARY KEY,
    snapshot    TEXT NOT NULL,
    used_at     BIGINT NOT NULL
);

CREATE INDEX build_step_snapshot ON build_step (snapshot);
