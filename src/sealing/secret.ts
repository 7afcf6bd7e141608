import { inspect } from "node:util";

const SHOWN = "[secret]";

/**
 * A string that must not be shown. Logging, printing, joining or serializing it yields `[secret]`. Only `reveal`
 * returns the value, so a search for that word finds every place where a value leaves.
 *
 * The value is a private field, which no reflection, clone or serializer of Node reaches. Therefore `assert.deepEqual`
 * cannot see it either: compare what `reveal` returns. JavaScript cannot erase a string, so a value stays in memory
 * until it is collected.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Never pass it to a log, an error, a trace or a metric. */
  reveal(): string {
    return this.#value;
  }

  toJSON(): string {
    return SHOWN;
  }

  toString(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
