/** Puts together the state of an own server: its edges, CAs, orders and certificates. */
import { isIP } from "node:net";
import type { AcmeStatus } from "../acme/status.ts";
import { waitsFor } from "../acme/waits-for.ts";
import type { ReportedEdge } from "../api/edge-routes.ts";
import { acceptsConnections, HTTP_PORT, HTTPS_PORT } from "./probe-ports.ts";
import type { OpenBaoKeeper } from "./open-bao.ts";
import { LISTED, type OwnServerState } from "./server-state.ts";

/** Edges report every 10 s. */
const SILENT_MS = 60_000;
/** Of an edge; others than these are not tried. */
const PROBED_ADDRESSES = 8;
const LATE_LIFE = 0.2;

export type StateParts = {
  readonly hostname: string;
  readonly challengeZone: string;
  readonly acme: AcmeStatus;
  /** The edge of this server. */
  readonly main: Pick<ReportedEdge, "addresses" | "ports" | "version" | "startedAt">;
  readonly edges: readonly ReportedEdge[];
  /** Null: the server's own documents have the managed values. */
  readonly valueStore: Pick<OpenBaoKeeper, "address" | "findProblem"> | null;
  /** Null: the zone, the store and the ports are not tried. */
  readonly findZoneProblem: (() => Promise<string | null>) | null;
  /** Of the accounts. */
  readonly organizations: ReadonlyMap<string, string | null>;
  /** The account of the server's own names. */
  readonly ownAccount: string;
  readonly now: number;
};

export async function readServerState(parts: StateParts): Promise<OwnServerState> {
  const { hostname, challengeZone, valueStore, acme, main, findZoneProblem, now } = parts;
  const isProbed = findZoneProblem !== null;
  const [zoneProblem, storeProblem, edges] = await Promise.all([
    findZoneProblem?.() ?? null,
    isProbed && valueStore !== null ? valueStore.findProblem() : null,
    Promise.all([
      viewEdge({ ...main, id: "main", names: null, reportedAt: now }, "CURRENT", isProbed),
      ...parts.edges.map((edge) => viewEdge(edge, stateOf(edge, now), isProbed)),
    ]),
  ]);
  return {
    checkedAt: instant(now),
    hostname,
    edges,
    challengeZone: {
      name: challengeZone,
      problem:
        zoneProblem === null
          ? null
          : `${zoneProblem.replace(/[.]?$/, ".")} Set the DNS record ${challengeZone} NS ${hostname}, and open port 53 (UDP and TCP). Wildcards, and names that do not lead here yet, get no certificate before.`,
    },
    valueStore: valueStore === null ? null : { address: valueStore.address, problem: storeProblem },
    authorities: acme.directories.map(({ url, failures, error, clockAheadMs, budgets }) => ({
      directory: url,
      failures,
      problem: viewProblem(error),
      clockAheadSeconds: clockAheadMs === null ? null : Math.round(clockAheadMs / 1_000),
      budgets: budgets.toSorted((a, b) => a.left / a.count - b.left / b.count).slice(0, LISTED),
    })),
    orders: viewOrders(parts),
    certificates: viewCertificates(parts),
  };
}

function stateOf({ reportedAt, isCurrent }: ReportedEdge, now: number): "CURRENT" | "BEHIND" | "SILENT" {
  if (now - reportedAt > SILENT_MS) return "SILENT";
  return isCurrent ? "CURRENT" : "BEHIND";
}

type Shown = Pick<ReportedEdge, "id" | "addresses" | "ports" | "version" | "startedAt" | "reportedAt"> & {
  readonly names: number | null;
};

async function viewEdge(edge: Shown, state: OwnServerState["edges"][number]["state"], isProbed: boolean) {
  const { id, addresses, ports, version, names } = edge;
  const places = addresses
    .filter((address) => isProbed && isIP(address) !== 0)
    .slice(0, PROBED_ADDRESSES)
    .flatMap((host) => [
      { host, port: ports.https, usual: HTTPS_PORT },
      ...(ports.http === null ? [] : [{ host, port: ports.http, usual: HTTP_PORT }]),
    ]);
  const tried = await Promise.all(
    places.map(async ({ host, port, usual }) => {
      // The usual port may be forwarded to it.
      const open = await Promise.all([port, usual].map((one) => acceptsConnections(host, one)));
      return open.includes(true) ? [] : [host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`];
    }),
  );
  return {
    id,
    addresses: [...addresses],
    version,
    names,
    startedAt: instant(edge.startedAt),
    reportedAt: instant(edge.reportedAt),
    state,
    unreachable: tried.flat(),
  };
}

function viewOrders({ acme, organizations, ownAccount }: StateParts): OwnServerState["orders"] {
  const waiting = acme.waiting.flatMap(({ accountId, name, since, error, isWanted }) =>
    isWanted ? [{ accountId, name, at: since, error, directory: error.directory, isOrdering: false }] : [],
  );
  const all = [
    ...waiting,
    ...acme.orders.map(({ startedAt, ...order }) => ({ ...order, at: startedAt, isOrdering: true })),
  ].map((one) => ({ ...one, party: waitsFor(one.error, one.accountId === ownAccount) }));
  const count = (party: string) => all.filter((one) => !one.isOrdering && one.party === party).length;
  const rank = ({ party }: (typeof all)[number]) => (party === "OPERATOR" ? 0 : 1);
  return {
    ordering: acme.orders.length,
    waitingForCa: count("CA"),
    waitingForOperator: count("OPERATOR"),
    waitingForCustomer: count("CUSTOMER"),
    first: all
      .toSorted((a, b) => rank(a) - rank(b) || a.at - b.at)
      .slice(0, LISTED)
      .map(({ accountId, name, at, error, directory, isOrdering, party }) => ({
        name,
        organizationId: organizations.get(accountId) ?? null,
        state: isOrdering ? "ORDERING" : "WAITING",
        directory,
        since: instant(at),
        waitsFor: party,
        problem: viewProblem(error),
      })),
  };
}

function viewCertificates(parts: StateParts): OwnServerState["certificates"] {
  const { acme, organizations, ownAccount, now } = parts;
  const lives = acme.certificates.flatMap(({ accountId, issuedAt, expiresAt, error }) =>
    waitsFor(error, accountId === ownAccount) === "CUSTOMER"
      ? []
      : [Math.max(0, (expiresAt - now) / (expiresAt - issuedAt))],
  );
  return {
    total: acme.certificates.length,
    late: lives.filter((left) => left < LATE_LIFE).length,
    leastLifeLeft: lives.length === 0 ? null : lives.reduce((least, left) => Math.min(least, left)),
    first: acme.certificates.slice(0, LISTED).map((one) => ({
      name: one.name,
      organizationId: organizations.get(one.accountId) ?? null,
      directory: one.directory,
      issuedAt: instant(one.issuedAt),
      expiresAt: instant(one.expiresAt),
      renewAt: instant(one.renewAt),
      problem: viewProblem(one.error),
    })),
  };
}

function viewProblem(error: AcmeStatus["directories"][number]["error"]) {
  return error === null ? null : { type: error.type, message: error.message, at: instant(error.at) };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
