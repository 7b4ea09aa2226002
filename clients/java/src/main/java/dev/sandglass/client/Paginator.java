package dev.sandglass.client;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Everything in a list, fetched page by page while it is iterated over. Each iteration begins anew; {@link #nextItems} goes on where it was. */
public final class Paginator<T> implements Iterable<T> {
    /** A page, and where the next one begins; null on the last one. */
    record Page<T>(List<T> items, @Nullable String cursor) {}

    /** Fetches a page; the first one for null. */
    interface Source<T> {
        Page<T> page(@Nullable String cursor);
    }

    private final Source<T> source;
    private @Nullable String cursor;
    private boolean more = true;

    Paginator(Source<T> source) {
        this.source = source;
    }

    /** The same with other items. */
    static <A, B> Page<B> page(List<A> items, Function<A, B> shown, @Nullable String cursor) {
        return new Page<>(items.stream().map(shown).toList(), cursor);
    }

    /** Whether {@link #nextItems} has more to give. */
    public synchronized boolean hasNext() {
        return more;
    }

    /** The next page; empty after the last one. */
    public synchronized List<T> nextItems() {
        if (!more) {
            return List.of();
        }
        Page<T> page = source.page(cursor);
        cursor = page.cursor();
        more = cursor != null;
        return page.items();
    }

    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /** All of them in memory. */
    public List<T> toList() {
        return stream().toList();
    }

    @Override
    public Iterator<T> iterator() {
        return new Items<>(source);
    }

    private static final class Items<T> implements Iterator<T> {
        private final Source<T> source;
        private Page<T> page;
        private Iterator<T> items;

        Items(Source<T> source) {
            this.source = source;
            this.page = source.page(null);
            this.items = page.items().iterator();
        }

        @Override
        public boolean hasNext() {
            while (!items.hasNext() && page.cursor() != null) {
                page = source.page(page.cursor());
                items = page.items().iterator();
            }
            return items.hasNext();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return items.next();
        }
    }
}
