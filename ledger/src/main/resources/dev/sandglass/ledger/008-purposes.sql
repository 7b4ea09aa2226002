ALTER TABLE snapshot ADD COLUMN purpose TEXT NOT NULL DEFAULT 'KEPT';
CREATE INDEX snapshot_of ON snapshot (sandbox_id);
