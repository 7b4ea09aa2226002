CREATE INDEX sandbox_order ON sandbox (created_at, id);
