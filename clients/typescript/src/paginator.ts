/** A page of a list, and where the next one begins. */
export interface Page<T> {
  items: T[];
  cursor: string | undefined;
}

/** Everything in a list, fetched page by page while it is iterated over. Each iteration begins anew. */
export class Paginator<T> implements AsyncIterable<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;
  #cursor: string | undefined;
  #more = true;

  constructor(fetch: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#fetch = fetch;
  }

  /** Whether `nextItems` has more to give. */
  get hasNext(): boolean {
    return this.#more;
  }

  /** The next page; empty after the last one. */
  async nextItems(): Promise<T[]> {
    if (!this.#more) {
      return [];
    }
    const page = await this.#fetch(this.#cursor);
    this.#cursor = page.cursor;
    this.#more = page.cursor !== undefined;
    return page.items;
  }

  /** All of them in memory. */
  async toArray(): Promise<T[]> {
    const all: T[] = [];
    for await (const item of this) {
      all.push(item);
    }
    return all;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const page = await this.#fetch(cursor);
      yield* page.items;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}
