/** A client of the HTTP API: knows a base URL and a key, and nothing of the code behind it. */
export type ApiAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The parsed body; undefined where there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
};

export type ApiClient = {
  readonly baseUrl: string;
  readonly key: string;
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
};

export function createApiClient(baseUrl: string, key: string): ApiClient {
  const send = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  };
  return {
    baseUrl,
    key,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body, headers) => send("POST", path, body, headers),
    put: (path, body, headers) => send("PUT", path, body, headers),
    patch: (path, body, headers) => send("PATCH", path, body, headers),
    delete: (path, body, headers) => send("DELETE", path, body, headers),
  };
}
