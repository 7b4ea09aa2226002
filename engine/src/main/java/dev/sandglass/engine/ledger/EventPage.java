package dev.sandglass.engine.ledger;

import dev.sandglass.wire.Event;
import java.util.List;

/**
 * Some of the events that are kept, oldest first, and how far the kept ones reach, all seen at the same moment.
 *
 * @param oldest the id of the first that is kept; one more than the newest when there is none
 * @param newest the id of the last; 0 when there never was one
 */
public record EventPage(List<Event> events, long oldest, long newest) {}
