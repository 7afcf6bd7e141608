import { Type } from "typebox";
export type { OwnServerState } from "../../../sandbox/src/host/server-state.ts";
import { Instant, Nullable, Text, Words } from "../../http/schemas.ts";

/** Only made on an own server (`SLIPWAY_CLOUD=host`). */
export const OWN_SERVER_CODES = [
  "EDGES",
  "EDGE_PORTS",
  "CERTIFICATE_AUTHORITIES",
  "CERTIFICATE_BUDGETS",
  "CERTIFICATE_ORDERS",
  "VALUE_STORE",
] as const;

/** The checks, in the order in which they are shown. The codes are stable; programs may decide on them. */
export const CHECK_CODES = [
  "VERSIONS",
  "DATABASE",
  "SCHEMA",
  "CLOCK",
  "WRITABLE",
  "COORDINATOR",
  "SEALING_KEYS",
  "CLOUD_ACCOUNTS",
  "DNS",
  "WORK",
  "WORKERS",
  "EVENTS",
  "WEBHOOKS",
  "CERTIFICATES",
  "DISK",
  "BACKUP",
  ...OWN_SERVER_CODES,
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

/** `skipped`: it could not be checked from here, or there is nothing to check. */
const CHECK_STATUSES = ["ok", "warning", "failed", "skipped"] as const;

export type Outcome = {
  readonly status: (typeof CHECK_STATUSES)[number];
  /** The finding, for the operator. */
  readonly says: string;
  /** What the operator can do; null if nothing has to be done. */
  readonly fix: string | null;
};

export type Check = Outcome & { readonly code: CheckCode };

export type Health = {
  /** The worst of all checks. */
  readonly status: "ok" | "warning" | "failed";
  readonly checkedAt: Date;
  readonly release: string;
  readonly checks: readonly Check[];
};

const CheckSchema = Type.Object(
  {
    code: Words(CHECK_CODES, {
      title: "CheckCode",
      description: "The check's code. Codes do not change; later releases may have more.",
      examples: ["CLOCK"],
    }),
    status: Words(CHECK_STATUSES, {
      title: "CheckStatus",
      description: "`skipped`: this process cannot check it.",
      examples: ["ok"],
    }),
    says: Text("The finding, for people.", "This machine's clock and the database's differ by 0 s."),
    fix: Nullable(Text("What the operator can do; null if nothing has to be done.", null)),
  },
  { title: "HealthCheck", description: "The result of one check." },
);

export const HealthSchema = Type.Object(
  {
    status: Words(["ok", "warning", "failed"] as const, {
      title: "HealthStatus",
      description: "The worst status of all checks.",
      examples: ["ok"],
    }),
    checkedAt: Instant("When it was checked."),
    release: Text("The version of the process that answers.", "0.2.0"),
    checks: Type.Array(CheckSchema, { description: "One result for each check." }),
  },
  { title: "InstallationHealth", description: "The health of the installation, without names and ids." },
);

export function viewHealth({ status, checkedAt, release, checks }: Health) {
  return { status, checkedAt: checkedAt.toISOString(), release, checks: [...checks] };
}
