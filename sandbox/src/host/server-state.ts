/** The state of an own server as its operator sees it: the body of `/host/state`, and of the API's response. */
import { type Static, Type } from "typebox";
import { Count, Instant, Nullable, Text, Words } from "../../../src/http/schemas.ts";

/** The lists have at most this many entries, beside the number of all. */
export const LISTED = 100;

const EXAMPLE_NAME = "shop.example.com";
const EXAMPLE_DIRECTORY = "https://acme-v02.api.letsencrypt.org/directory";
const organizationId = Nullable(
  Text("The organization of the name; null for a name of this server.", "org_01kahxq2s5f3v9p6w8b4n7d0ym"),
);

const Edge = Type.Object(
  {
    id: Text("The edge's id; `main` for the edge of this server.", "edge-2"),
    addresses: Type.Array(Type.String(), {
      description: "Its public addresses, as its operator set them.",
      examples: [["192.0.2.11"]],
    }),
    version: Text("Its release of Slipway.", "0.2.0"),
    names: Nullable(Count("How many names it serves; null for the edge of this server.", 240)),
    startedAt: Instant("When it started."),
    reportedAt: Instant("When it last reported."),
    state: Words(["CURRENT", "BEHIND", "SILENT"] as const, {
      title: "EdgeState",
      description:
        "`CURRENT`: serves what the main machine has. `BEHIND`: serves an older copy, or none. `SILENT`: has not reported for a minute.",
      examples: ["CURRENT"],
    }),
    unreachable: Type.Array(Type.String(), {
      description: "Its addresses and ports that accept no connection from the main machine.",
      examples: [["192.0.2.11:443"]],
    }),
  },
  { title: "ServerEdge", description: "An edge that serves customers' domains." },
);

const Problem = Type.Object(
  {
    type: Text(
      "The type of the error: the last part of an ACME error type, or a word of Slipway.",
      "rateLimited",
    ),
    message: Text(
      "The fault, and what to do.",
      "The CA has reached a rate limit for shop.example.com (rateLimited). Slipway tries again when the CA allows it.",
    ),
    at: Instant("When it happened."),
  },
  { title: "CertificateProblem", description: "Why a certificate was not issued." },
);

const Budget = Type.Object(
  {
    limit: Words(["orders", "domain", "name", "failures"] as const, {
      title: "CertificateLimit",
      description:
        "`orders`: new orders of the account. `domain`: certificates of a registered domain. `name`: certificates of a name. `failures`: failed validations of a name.",
      examples: ["domain"],
    }),
    of: Nullable(Text("The registered domain or the name; null for the account.", "example.com")),
    left: Count("How many are left now.", 12),
    count: Count("How many the CA allows within the limit's time.", 50),
  },
  { title: "CertificateBudget", description: "The rest of a rate limit of a CA." },
);

const Authority = Type.Object(
  {
    directory: Text("The address of its ACME directory.", EXAMPLE_DIRECTORY),
    failures: Count("Failed requests in a row; 0 while it works.", 0),
    problem: Nullable(Problem),
    clockAheadSeconds: Nullable(
      Count("How far this machine's clock is ahead of the CA's; null before the first answer.", 0),
    ),
    budgets: Type.Array(Budget, {
      description:
        "The account's budget, and those of which less than half is left, the smallest share first; at most 100. Empty if the CA's limits are not known.",
    }),
  },
  { title: "CertificateAuthority", description: "A CA that Slipway orders certificates from." },
);

const Order = Type.Object(
  {
    name: Text("The name of the certificate.", EXAMPLE_NAME),
    organizationId,
    state: Words(["ORDERING", "WAITING"] as const, {
      title: "CertificateOrderState",
      description: "`ORDERING`: an order is under way. `WAITING`: the next attempt comes later.",
      examples: ["WAITING"],
    }),
    directory: Nullable(Text("The CA; null if no order was placed.", EXAMPLE_DIRECTORY)),
    since: Instant("Since when the order is under way, or the name waits."),
    waitsFor: Words(["CA", "OPERATOR", "CUSTOMER"] as const, {
      title: "CertificateOrderParty",
      description:
        "The party that has to act next. `CUSTOMER`: the owner of the name has to change its DNS records, which the domain shows too.",
      examples: ["OPERATOR"],
    }),
    problem: Nullable(Problem),
  },
  { title: "CertificateOrder", description: "A name that waits for a certificate, or for its renewal." },
);

const Certificate = Type.Object(
  {
    name: Text("The name of the certificate.", EXAMPLE_NAME),
    organizationId,
    directory: Text("The CA that issued it.", EXAMPLE_DIRECTORY),
    issuedAt: Instant("When it was issued."),
    expiresAt: Instant("When it expires.", "2027-02-18T09:30:12.000Z"),
    renewAt: Instant("When Slipway renews it, or has been trying to since.", "2027-01-19T09:30:12.000Z"),
    problem: Nullable(Problem),
  },
  { title: "ServerCertificate", description: "A certificate that is in use." },
);

const ValueStore = Type.Object(
  {
    address: Text("The address of OpenBao or Vault.", "https://bao.example.com:8200"),
    problem: Nullable(
      Text("Why it cannot be used, and what to do; null if it answers, and lets Slipway read.", null),
    ),
  },
  {
    title: "ValueStore",
    description: "Where managed values are kept. Null if the server's own folder has them.",
  },
);

export const OwnServerSchema = Type.Object(
  {
    checkedAt: Instant("When this was read."),
    hostname: Text("What customers' records lead to.", "edge.example.com"),
    edges: Type.Array(Edge, { description: "The edge of this server, then the others by id." }),
    challengeZone: Type.Object(
      {
        name: Text("The zone that customers delegate proofs by DNS to.", "acme.edge.example.com"),
        problem: Nullable(
          Text("Why its names do not lead to this server, and what to do; null if they do.", null),
        ),
      },
      { title: "ChallengeZone", description: "The DNS zone that this server answers." },
    ),
    valueStore: Nullable(ValueStore),
    authorities: Type.Array(Authority, { description: "The first CA, then the second." }),
    orders: Type.Object(
      {
        ordering: Count("Names with an order under way.", 1),
        waitingForCa: Count("Names that wait until a CA allows or answers the next request.", 0),
        waitingForOperator: Count("Names that wait for the operator.", 0),
        waitingForCustomer: Count("Names that wait for DNS records of their owners.", 3),
        first: Type.Array(Order, {
          description:
            "The orders that wait for the operator, then the others; the oldest first, at most 100.",
        }),
      },
      { title: "CertificateOrders", description: "The names that wait for certificates." },
    ),
    certificates: Type.Object(
      {
        total: Count("Certificates in use.", 240),
        late: Count(
          "Certificates with less than a fifth of their life left, whose renewal does not wait for the owner.",
          0,
        ),
        leastLifeLeft: Nullable(
          Type.Number({
            description:
              "The smallest share of its life that one of them has left, from 0 to 1; null without certificates. A renewal is due at a third.",
            examples: [0.52],
          }),
        ),
        first: Type.Array(Certificate, { description: "The first to expire, at most 100." }),
      },
      { title: "ServerCertificates", description: "The certificates in use." },
    ),
  },
  { title: "OwnServer", description: "The state of the server that Slipway runs on." },
);
export type OwnServerState = Static<typeof OwnServerSchema>;
