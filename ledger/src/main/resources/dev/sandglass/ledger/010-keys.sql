-- A key may have made a sandbox, the copies of a fork or a snapshot: their ids, with spaces between them.
ALTER TABLE idempotency RENAME COLUMN sandbox_id TO made;
