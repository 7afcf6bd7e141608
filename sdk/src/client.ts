import { ApiPromise } from "./api-promise.ts";
import { Resources } from "./generated/client.ts";
import { type Call, type ChangeOptions, type ClientOptions, Transport } from "./transport.ts";

/**
 * A client of one Slipway with one API key. Logging it, or converting it to JSON, shows only its address.
 *
 *     const slipway = new Slipway({ url: "https://slipway.example.com", token });
 *     const domain = await slipway.domains.get(id);
 */
export class Slipway extends Resources {
  readonly #transport: Transport;

  /** @throws ArgumentError for an invalid address or token */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /** The address of Slipway, without a slash at the end. */
  get url(): string {
    return this.#transport.url;
  }

  /**
   * Sends any request, with the same token, retries and errors as the other methods. Use it for endpoints that have no
   * method here.
   * @param path begins with a slash and includes the query
   */
  request<T = unknown>(
    method: string,
    path: string,
    options: ChangeOptions & { readonly body?: unknown; readonly query?: object | undefined } = {},
  ): ApiPromise<T> {
    const { body, query, ...rest } = options;
    const call: Call = { method: method.toUpperCase(), path, query, body };
    return new ApiPromise(this.#transport.call<T>(call, rest));
  }

  toJSON(): object {
    return { url: this.url };
  }

  /** The text that Node logs. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Slipway { url: ${JSON.stringify(this.url)} }`;
  }
}
