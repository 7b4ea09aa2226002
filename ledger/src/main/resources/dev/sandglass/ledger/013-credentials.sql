CREATE TABLE credential (
    name          TEXT PRIMARY KEY,
    description   TEXT NOT NULL,
    sealed        TEXT NOT NULL
);
