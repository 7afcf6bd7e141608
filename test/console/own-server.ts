/** The state of an own server with one of everything that its page shows. */
import type { OwnServerAnswer } from "../../sdk/src/generated/types.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DIRECTORY = "https://acme-v02.api.letsencrypt.org/directory";

export function describeOwnServer(): OwnServerAnswer {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const organizationId = "org_01kahxq2s5f3v9p6w8b4n7d0ym";
  const certificate = (name: string, days: number) => ({
    name,
    organizationId: name.startsWith("slipway.") ? null : organizationId,
    directory: DIRECTORY,
    issuedAt: at((days - 90) * DAY_MS),
    expiresAt: at(days * DAY_MS),
    renewAt: at((days - 30) * DAY_MS),
    problem: null,
  });
  const edge = {
    id: "main",
    addresses: ["192.0.2.10", "2001:db8::10"],
    version: "0.2.0",
    names: null,
    startedAt: at(-DAY_MS),
    reportedAt: at(0),
    state: "CURRENT" as const,
    unreachable: [],
  };
  return {
    server: {
      checkedAt: at(0),
      hostname: "edge.example.com",
      challengeZone: {
        name: "acme.edge.example.com",
        problem:
          "Names below acme.edge.example.com do not lead to the DNS server of this machine. Set the DNS record acme.edge.example.com NS edge.example.com, and open port 53 (UDP and TCP). Wildcards, and names that do not lead here yet, get no certificate before.",
      },
      valueStore: {
        address: "https://bao.example.com:8200",
        problem: "The store of managed values cannot be used. It is sealed. Unseal it.",
      },
      edges: [
        edge,
        { ...edge, id: "helsinki", addresses: ["192.0.2.11"], names: 240, state: "BEHIND" },
        {
          ...edge,
          id: "lisbon",
          addresses: ["192.0.2.12"],
          names: 238,
          reportedAt: at(-9 * MINUTE_MS),
          state: "SILENT",
          unreachable: ["192.0.2.12:80", "192.0.2.12:443"],
        },
      ],
      authorities: [
        {
          directory: DIRECTORY,
          failures: 0,
          problem: null,
          clockAheadSeconds: 0,
          budgets: [
            { limit: "domain", of: "customer.example", left: 4, count: 50 },
            { limit: "orders", of: null, left: 271, count: 300 },
          ],
        },
        {
          directory: "https://acme.example.net/directory",
          failures: 3,
          problem: {
            type: "unreachable",
            message:
              "The CA at https://acme.example.net/directory cannot be reached (ECONNREFUSED). Check SLIPWAY_ACME_DIRECTORY and that this machine may open HTTPS connections to it.",
            at: at(-MINUTE_MS),
          },
          clockAheadSeconds: null,
          budgets: [],
        },
      ],
      orders: {
        ordering: 1,
        waitingForCa: 0,
        waitingForOperator: 1,
        waitingForCustomer: 1,
        first: [
          {
            name: "www.customer.example",
            organizationId,
            state: "WAITING",
            directory: null,
            since: at(-7 * MINUTE_MS),
            waitsFor: "OPERATOR",
            problem: {
              type: "edgeNotReached",
              message:
                "www.customer.example leads to this edge, but a request to it did not arrive here. Open ports 80 and 443 of this server, on every address of the name.",
              at: at(-MINUTE_MS),
            },
          },
          {
            name: "shop.customer.example",
            organizationId,
            state: "WAITING",
            directory: null,
            since: at(-DAY_MS),
            waitsFor: "CUSTOMER",
            problem: {
              type: "notPointedHere",
              message:
                "shop.customer.example leads to 198.51.100.7, not to this edge. Point it to edge.example.com, or set _acme-challenge.shop.customer.example as a CNAME to 0123456789abcdef0123456789abcdef.acme.edge.example.com.",
              at: at(-MINUTE_MS),
            },
          },
          {
            name: "new.customer.example",
            organizationId,
            state: "ORDERING",
            directory: DIRECTORY,
            since: at(-MINUTE_MS),
            waitsFor: "CA",
            problem: null,
          },
        ],
      },
      certificates: {
        total: 240,
        late: 1,
        leastLifeLeft: 0.13,
        first: [
          {
            ...certificate("api.customer.example", 12),
            problem: {
              type: "connection",
              message:
                "The CA could not connect to api.customer.example (connection: timeout). Check that ports 80 and 443 of this server are open to the internet, on all addresses of the name.",
              at: at(-MINUTE_MS),
            },
          },
          certificate("slipway.example.com", 44),
          certificate("*.customer.example", 61),
        ],
      },
    },
  };
}
