/**
 * `fetch` by way of the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Node reads them only with
 * `NODE_USE_ENV_PROXY=1`, for the whole process; a package must not decide that for the requests of others. So this
 * borrows the dispatcher that Node makes for it. A browser has its own settings.
 */
import { ConnectionError } from "./errors.ts";

/** The part of Node that is used here; this package has no types of Node, because browsers run it, too. */
type Node = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly getBuiltinModule?: (id: string) => {
    readonly setGlobalProxyFromEnv?: (env: Readonly<Record<string, string>>) => () => void;
  };
};
type Dispatcher = object;

/** Where Node's `fetch` looks for its dispatcher (undici, `lib/global.js`). */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

const node = (globalThis as { readonly process?: Partial<Node> }).process;
const dispatchers = new Map<string, Dispatcher | null>();

/** `fetch`, through the proxy of the environment if it names one for the address. */
export const proxiedFetch: typeof globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  // Its key would leave the machine, in clear text.
  const dispatcher = LOOPBACK.test(url.hostname) ? null : dispatcherOf(readSettings());
  return await globalThis.fetch(input, dispatcher === null ? init : ({ ...init, dispatcher } as RequestInit));
};

/** Why a connection may have failed: a proxy is named that this Node cannot use. Null if that is not so. */
export function unusedProxy(): string | null {
  const settings = readSettings();
  if (settings === null || dispatcherOf(settings) !== null || node?.env?.["NODE_USE_ENV_PROXY"] === "1")
    return null;
  const name = settings["https_proxy"] === undefined ? "HTTP_PROXY" : "HTTPS_PROXY";
  return `${name} is set, but Node ${node?.version ?? ""} cannot use it: run Node 24.14 or later.`;
}

type Settings = Readonly<Record<string, string>>;

function readSettings(): Settings | null {
  const { env } = node ?? {};
  if (env === undefined) return null;
  const read = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY"].flatMap((name) => {
    const value = read(name);
    if (value === "") return [];
    // As curl takes it: an address without a scheme is of HTTP.
    const address = value.includes("://") ? value : `http://${value}`;
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
      throw new ConnectionError(
        `${name} must be the address of an HTTP proxy, such as http://proxy.example.com:3128.`,
      );
    return [[name.toLowerCase(), address] as const];
  });
  return proxies.length === 0 ? null : Object.fromEntries([...proxies, ["no_proxy", read("NO_PROXY")]]);
}

/** @returns null if there is no proxy, or this Node has no dispatcher for it */
function dispatcherOf(settings: Settings | null): Dispatcher | null {
  if (settings === null) return null;
  const key = JSON.stringify(settings);
  const known = dispatchers.get(key);
  if (known !== undefined) return known;
  const made = makeDispatcher(settings);
  dispatchers.set(key, made);
  return made;
}

function makeDispatcher(settings: Settings): Dispatcher | null {
  const setGlobally = node?.getBuiltinModule?.("node:http").setGlobalProxyFromEnv;
  if (setGlobally === undefined) return null;
  const restore = setGlobally(settings);
  try {
    return (globalThis as { readonly [GLOBAL_DISPATCHER]?: Dispatcher })[GLOBAL_DISPATCHER] ?? null;
  } finally {
    // Nothing else ran meanwhile.
    restore();
  }
}
