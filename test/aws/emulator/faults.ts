/** What a hostile network and a busy provider do to single calls. Seeded. */
import { type AwsAnswer, refusal } from "./request.ts";

export const FAULT_KINDS = [
  "throttled",
  "server-error",
  "html-502",
  "html-200",
  "reset",
  "lost-response",
  "hang",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number] | { readonly code: string; readonly status: number };

export type Fault = {
  /** `acm:RequestCertificate`, or `*`. */
  readonly api: string;
  readonly kind: FaultKind;
  /** The part of calls that meets it. */
  readonly rate?: number;
  /** How many calls meet the fault before it ends; default: unlimited. */
  readonly count?: number;
};

export type Faults = {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that this call meets, if any. */
  next(api: string): FaultKind | null;
};

export function createFaults(random: () => number): Faults {
  let faults: { fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void faults.push({ fault, left: fault.count ?? Number.POSITIVE_INFINITY }),
    clear() {
      faults = [];
    },
    next(api) {
      for (const entry of faults) {
        const { fault } = entry;
        if (fault.api !== "*" && fault.api !== api) continue;
        if (entry.left <= 0 || random() >= (fault.rate ?? 1)) continue;
        entry.left -= 1;
        return fault.kind;
      }
      return null;
    },
  };
}

const HTML = Buffer.from("<html><body><h1>502 Bad Gateway</h1></body></html>");

/** The answer that stands in for AWS's own; null when the fault is not one of answers. */
export function faultyAnswer(api: string, kind: FaultKind): AwsAnswer | null {
  if (typeof kind === "object") return refusal(api, kind.status, kind.code, "As the test asked for.");
  switch (kind) {
    case "throttled":
      return refusal(
        api,
        400,
        api.startsWith("s3:")
          ? "SlowDown"
          : /^(?:cloud(?:front|formation)|route53):/.test(api)
            ? "Throttling"
            : "ThrottlingException",
        "Rate exceeded",
      );
    case "server-error":
      return refusal(api, 500, "InternalFailure", "Internal failure");
    case "html-502":
      return { status: 502, headers: { "content-type": "text/html" }, body: HTML };
    case "html-200":
      return { status: 200, headers: { "content-type": "text/html" }, body: HTML };
    case "reset":
    case "lost-response":
    case "hang":
      return null;
  }
}

/** mulberry32: small, and enough to choose faults the same way again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
