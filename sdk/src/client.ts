import { ApiPromise } from "./api-promise.ts";
import { Resources } from "./generated/client.ts";
import { type Call, type ChangeOptions, type ClientOptions, Transport } from "./transport.ts";

/**
 * A client of one Slipway with one API key. Showing it, or putting it into JSON, shows only its address.
 *
 *     const slipway = new Slipway({ url: "https://slipway.example.com", token });
 *     const domain = await slipway.domains.get(id);
 */
export class Slipway extends Resources {
  readonly #transport: Transport;

  /** @throws ArgumentError for an address or a token that cannot be one */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /** Where Slipway is, without a slash at the end. */
  get url(): string {
    return this.#transport.url;
  }

  /**
   * Sends any request, with the token, the retries and the errors of every other call. Use it for what has no method
   * here.
   * @param path with its query; begins with a slash
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

  /** What Node shows of it. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Slipway { url: ${JSON.stringify(this.url)} }`;
  }
}
