CREATE TABLE api_key (
    name        TEXT PRIMARY KEY,
    hash        TEXT NOT NULL UNIQUE,
    hint        TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
