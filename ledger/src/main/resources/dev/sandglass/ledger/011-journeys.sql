CREATE TABLE journey (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    sandbox_id    TEXT NOT NULL,
    data          TEXT NOT NULL
);
CREATE INDEX journey_of_sandbox ON journey (sandbox_id, id);
