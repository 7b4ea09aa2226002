package dev.sandglass.server;

import dev.sandglass.wire.ErrorCode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Operations that were done at the same time, each with its answer: whether there is an order of them in which all answers are right. */
record Interleaving(List<Done> all) {
    /** An operation from the call to its answer. */
    record Done(String operation, String argument, ModelState.Answer answer, long begun, long ended) {
        private boolean overlaps(Done other) {
            return begun < other.ended && other.begun < ended;
        }
    }

    private record Place(long done, ModelState state) {}

    boolean isPossible(ModelState first) {
        return isPossible(first, 0, new HashSet<>());
    }

    private boolean isPossible(ModelState state, long done, Set<Place> failed) {
        if (Long.bitCount(done) == all.size()) {
            return true;
        }
        if (!failed.add(new Place(done, state))) {
            return false;
        }
        for (int i = 0; i < all.size(); i++) {
            if ((done & (1L << i)) == 0 && isNext(i, done)) {
                Done next = all.get(i);
                long with = done | (1L << i);
                boolean possible = state.after(next.operation, next.argument, next.answer).filter(after -> isPossible(after, with, failed)).isPresent()
                        || (stoodInTheWay(next) && isPossible(state, with, failed));
                if (possible) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether none of those that are left ended before it began. */
    private boolean isNext(int index, long done) {
        for (int i = 0; i < all.size(); i++) {
            if ((done & (1L << i)) == 0 && all.get(i).ended < all.get(index).begun) {
                return false;
            }
        }
        return true;
    }

    /** Who comes while something else is done may be told so, and nothing has happened then. */
    private boolean stoodInTheWay(Done next) {
        ErrorCode refusal = next.answer.refusal();
        boolean says = refusal == ErrorCode.CONFLICT || (refusal == ErrorCode.SANDBOX_NOT_RUNNING && next.operation.equals("read"));
        return says && all.stream().anyMatch(other -> !other.equals(next) && other.overlaps(next));
    }
}
