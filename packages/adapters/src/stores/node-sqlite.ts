import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Loads Node's own SQLite, as a class with the members of better-sqlite3 that the store uses. */
export async function loadNodeSqlite(): Promise<unknown> {
  const { DatabaseSync } = await import("node:sqlite");

  class NodeSqlite {
    readonly #database: DatabaseSync;

    constructor(file: string, { readonly = false, timeout = 5000 } = {}) {
      this.#database = new DatabaseSync(file, { readOnly: readonly, timeout });
    }

    get inTransaction(): boolean {
      return this.#database.isTransaction;
    }

    prepare(text: string): NodeStatement {
      return new NodeStatement(this.#database.prepare(text));
    }

    exec(text: string): void {
      this.#database.exec(text);
    }

    /** Always one value. */
    pragma(text: string): unknown {
      return this.prepare(`PRAGMA ${text}`).pluck().get();
    }

    transaction<T>(work: () => T): () => T {
      return () => {
        this.exec("BEGIN");
        try {
          return work();
        } finally {
          this.exec("COMMIT");
        }
      };
    }

    /** Idempotent, unlike Node's. */
    close(): void {
      if (this.#database.isOpen) this.#database.close();
    }
  }

  return NodeSqlite;
}

class NodeStatement {
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.run = (...given) => statement.run(...given);
    this.get = (...given) => statement.get(...given);
    this.all = (...given) => statement.all(...given);
  }

  readonly run: (...given: SQLInputValue[]) => unknown;
  get: (...given: SQLInputValue[]) => unknown;
  all: (...given: SQLInputValue[]) => unknown[];

  raw(): this {
    this.#statement.setReturnArrays(true);
    return this;
  }

  pluck(): this {
    this.raw();
    const { get, all } = this;
    const first = (row: unknown) => (row as readonly unknown[] | undefined)?.[0];
    this.get = (...given) => first(get(...given));
    this.all = (...given) => all(...given).map(first);
    return this;
  }
}
