/** The ACME protocol (RFC 8555) with one CA: the package `acme-client`, and what it lacks. */
import { axios, Client, crypto } from "acme-client";
import { AcmeError, type Problem, readProblem } from "./acme-error.ts";
import { readWindow, type Suggestion } from "./renewal.ts";
import { createTransport, malformed } from "./transport.ts";

export type AcmeOrder = {
  readonly url: string;
  readonly status: "pending" | "ready" | "processing" | "valid" | "invalid";
  readonly name: string;
  readonly finalize: string;
  readonly certificate: string | null;
  readonly authorizations: readonly string[];
  readonly error: Problem | null;
  /** When to poll again, if the server says so (milliseconds since 1970). */
  readonly retryAt: number | null;
};

export type AcmeChallenge = {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly status: string;
  readonly error: Problem | null;
};

export type AcmeAuthorization = {
  readonly status: string;
  readonly challenges: readonly AcmeChallenge[];
  readonly retryAt: number | null;
};

export type DirectoryMeta = {
  /** What CAA records may name to allow this CA (RFC 8555, 9.7.6). */
  readonly caaIdentities: readonly string[];
  readonly profiles: readonly string[];
  readonly renewalInfo: string | null;
};

export type AccountKey = { readonly privateKeyPem: string; readonly accountUrl: string | null };

export type AcmeClient = {
  readonly directory: string;
  meta(): Promise<DirectoryMeta>;
  /** @param replaces the renewal id of the certificate that this one follows (RFC 9773, 5) */
  newOrder(name: string, profile: string | null, replaces: string | null): Promise<AcmeOrder>;
  /** The addresses of the account's orders, oldest first; null if the CA does not list them (RFC 8555, 7.1.2.1). */
  listOrders(): Promise<readonly string[] | null>;
  order(name: string, url: string): Promise<AcmeOrder>;
  authorization(name: string, order: AcmeOrder): Promise<AcmeAuthorization>;
  /** What proves control: the key authorization, or for dns-01 the text of the record. */
  keyAuthorization(challenge: AcmeChallenge): Promise<string>;
  /** Says that the answer is in place. */
  complete(name: string, challenge: AcmeChallenge): Promise<void>;
  finalize(name: string, order: AcmeOrder, privateKeyPem: string): Promise<AcmeOrder>;
  /** The chain, as PEM. */
  certificate(name: string, order: AcmeOrder): Promise<string>;
  /** ARI; null if the CA has none for this certificate. `retryAt`: when to ask again. */
  renewalInfo(
    name: string,
    renewalId: string,
  ): Promise<{ readonly suggestion: Suggestion | null; readonly retryAt: number | null }>;
  aheadMs(): number | null;
  close(): void;
};

const META_MS = 3_600_000;
const MAX_PAGES = 400;

/**
 * @param account the account's key; `accountUrl` is null before the first registration
 * @param onRegistered to keep the address of the account
 */
export function createAcmeClient(options: {
  readonly directory: string;
  readonly caPem: string | null;
  readonly email: string | null;
  readonly eab: { readonly kid: string; readonly hmac: string } | null;
  readonly account: AccountKey;
  readonly onRegistered: (accountUrl: string | null) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}): AcmeClient {
  const { directory, email, eab, onRegistered, now } = options;
  const transport = createTransport(options);
  const create = (accountUrl: string | null) =>
    new Client({
      directoryUrl: directory,
      accountKey: options.account.privateKeyPem,
      ...(accountUrl === null ? {} : { accountUrl }),
      ...(eab === null ? {} : { externalAccountBinding: { kid: eab.kid, hmacKey: eab.hmac } }),
    });
  let client = create(options.account.accountUrl);
  let isRegistered = options.account.accountUrl !== null;
  let registering: Promise<void> | null = null;
  let ordersUrl: string | null = null;
  let known: { readonly meta: DirectoryMeta; readonly until: number } | null = null;

  async function register(): Promise<void> {
    const contact = email === null ? {} : { contact: [`mailto:${email}`] };
    const made = create(null);
    try {
      await transport.run(null, () => made.createAccount({ termsOfServiceAgreed: true, ...contact }));
    } catch (error) {
      if (!(error instanceof AcmeError) || error.scope === "directory") throw error;
      // If the key has an account already, the package also updates it. Without a contact, a CA may refuse that.
      if (email !== null || !hasAccount(made)) throw refusedAccount(error);
    }
    client = made;
    ordersUrl = null;
    isRegistered = true;
    onRegistered(client.getAccountUrl());
  }

  function refusedAccount(error: AcmeError): AcmeError {
    const binding =
      eab === null
        ? "If the CA asks for an external account, set SLIPWAY_ACME_EAB_KID and SLIPWAY_ACME_EAB_HMAC."
        : "Check SLIPWAY_ACME_EAB_KID and SLIPWAY_ACME_EAB_HMAC: copy both from the CA again.";
    return new AcmeError(
      error.type,
      `The CA at ${directory} refuses an account for this installation. ${error.message} ${binding} Also check SLIPWAY_ACME_EMAIL.`,
      { scope: "directory", retryAt: error.retryAt, cause: error },
    );
  }

  async function ensureRegistered(): Promise<void> {
    if (!isRegistered) await (registering ??= register().finally(() => (registering = null)));
  }

  /** A call in the account's name. An account that the CA no longer knows is registered again, once. */
  async function call<T>(name: string | null, work: () => Promise<T>) {
    await ensureRegistered();
    const used = client;
    try {
      return await transport.run(name, work);
    } catch (error) {
      if (!(error instanceof AcmeError) || error.type !== "accountDoesNotExist") throw error;
      // Another call may have registered it again meanwhile.
      if (client === used) {
        isRegistered = false;
        onRegistered(null);
      }
      await ensureRegistered();
      return await transport.run(name, work);
    }
  }

  async function meta(): Promise<DirectoryMeta> {
    if (known !== null && known.until > performance.now()) return known.meta;
    const { value } = await transport.run(null, () => axios.get<unknown>(directory));
    const read = readMeta(value.data, directory);
    known = { meta: read, until: performance.now() + META_MS };
    return read;
  }

  const orderOf = (value: unknown, url: string, retryAt: number | null): AcmeOrder =>
    readOrder(value, url, retryAt) ?? refuse();
  function refuse(): never {
    throw malformed(directory);
  }
  async function order(name: string | null, url: string): Promise<AcmeOrder> {
    const { value, retryAt } = await call(name, () => client.getOrder({ url } as never));
    return orderOf(value, url, retryAt);
  }

  return {
    directory,
    meta,
    async newOrder(name, profile, replaces) {
      const data = {
        identifiers: [{ type: "dns", value: name }],
        ...(profile === null ? {} : { profile }),
        ...(replaces === null ? {} : { replaces }),
      };
      const { value, retryAt } = await call(name, () => client.createOrder(data));
      return orderOf(value, value.url, retryAt);
    },
    async listOrders() {
      if (ordersUrl === null) {
        const { value } = await call(null, () => client.updateAccount());
        ordersUrl = typeof value.orders === "string" ? value.orders : null;
      }
      const urls: string[] = [];
      let next: string | null = ordersUrl;
      for (let page = 0; next !== null && page < MAX_PAGES; page += 1) {
        const at: string = next;
        // A list of orders is read like an order: by a signed request without content.
        const { value, links } = await call(null, () => client.getOrder({ url: at } as never));
        const { orders } = value as unknown as { orders?: unknown };
        if (Array.isArray(orders)) urls.push(...orders.filter((url) => typeof url === "string"));
        next = links.get("next") ?? null;
      }
      return ordersUrl === null ? null : urls;
    },
    order: (name, url) => order(name, url),
    async authorization(name, { authorizations }) {
      const { value, retryAt } = await call(name, () =>
        client.getAuthorizations({ authorizations: authorizations.slice(0, 1) } as never),
      );
      const [first] = value;
      return first === undefined || !Array.isArray(first.challenges)
        ? refuse()
        : { status: first.status, challenges: first.challenges.flatMap(readChallenge), retryAt };
    },
    keyAuthorization: (challenge) => client.getChallengeKeyAuthorization(challenge as never),
    async complete(name, challenge) {
      await call(name, () => client.completeChallenge(challenge as never));
    },
    async finalize(name, { url, finalize }, privateKeyPem) {
      const [, csr] = await crypto.createCsr({ altNames: [name] }, privateKeyPem);
      const { value, retryAt } = await call(name, () =>
        client.finalizeOrder({ url, finalize } as never, csr),
      );
      return orderOf(value, url, retryAt);
    },
    async certificate(name, { url, certificate }) {
      const { value } = await call(name, () =>
        client.getCertificate({ url, certificate, status: "valid" } as never),
      );
      return typeof value === "string" ? value : refuse();
    },
    async renewalInfo(name, renewalId) {
      const { renewalInfo } = await meta();
      if (renewalInfo === null) return { suggestion: null, retryAt: null };
      const { value, retryAt } = await transport.run(name, () =>
        axios.get<unknown>(`${renewalInfo}/${renewalId}`),
      );
      return { suggestion: readWindow(value.data) ?? refuse(), retryAt: retryAt ?? now() };
    },
    aheadMs: () => transport.aheadMs(),
    close: () => transport.close(),
  };
}

function hasAccount(client: Client): boolean {
  try {
    return client.getAccountUrl() !== "";
  } catch {
    return false;
  }
}

function readMeta(value: unknown, directory: string): DirectoryMeta {
  const { newOrder, renewalInfo, meta } = (value ?? {}) as Record<string, unknown>;
  if (typeof newOrder !== "string") throw malformed(directory);
  const { caaIdentities, profiles } = (meta ?? {}) as Record<string, unknown>;
  return {
    caaIdentities: Array.isArray(caaIdentities)
      ? caaIdentities.filter((one): one is string => typeof one === "string")
      : [],
    profiles: typeof profiles === "object" && profiles !== null ? Object.keys(profiles) : [],
    renewalInfo: typeof renewalInfo === "string" ? renewalInfo.replace(/\/$/, "") : null,
  };
}

const STATUSES: readonly string[] = ["pending", "ready", "processing", "valid", "invalid"];

function readOrder(value: unknown, url: string, retryAt: number | null): AcmeOrder | null {
  if (typeof value !== "object" || value === null) return null;
  const { status, finalize, certificate, authorizations, identifiers, error } = value as Record<
    string,
    unknown
  >;
  if (typeof finalize !== "string" || !Array.isArray(authorizations)) return null;
  if (!STATUSES.includes(String(status))) return null;
  const [identifier] = Array.isArray(identifiers) ? (identifiers as readonly { value?: unknown }[]) : [];
  const name = identifier?.value;
  return {
    url,
    status: status as AcmeOrder["status"],
    name: typeof name === "string" ? name.toLowerCase() : "",
    finalize,
    certificate: typeof certificate === "string" ? certificate : null,
    authorizations: authorizations.filter((one): one is string => typeof one === "string"),
    error: readProblem(error),
    retryAt,
  };
}

function readChallenge(value: unknown): readonly AcmeChallenge[] {
  const { type, url, token, status, error } = (value ?? {}) as Record<string, unknown>;
  if (typeof type !== "string" || typeof url !== "string" || typeof token !== "string") return [];
  return [{ type, url, token, status: String(status), error: readProblem(error) }];
}
