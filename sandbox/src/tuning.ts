import type { Rate } from "../../src/lib/pace/token-bucket.ts";
import { defaultPlatformTuning, type PlatformTuning } from "./platform/tuning.ts";
import type { Operation } from "./protocol.ts";

/** The sandbox's lags, rates and quotas. Times are milliseconds of the sandbox's clock. */
export type SandboxTuning = {
  /** From a certificate's request until it can be described at all (ACM: "several seconds"). */
  readonly describeLagMs: number;
  /** From a certificate's request until its validation records are known. */
  readonly recordDelayMs: number;
  /** How often the DNS is asked for the validation records of a waiting certificate. */
  readonly validationIntervalMs: number;
  readonly validationWindowMs: number;
  /** From a change of a distribution until it is live everywhere. */
  readonly deployLagMs: number;
  readonly stackCreationMs: number;
  /** First pause before a stack's report is sent again; doubles up to thirty seconds. */
  readonly callbackRetryMs: number;
  readonly certificateNamesQuota: number;
  /** Certificate requests in a rolling year, deleted and failed ones included. */
  readonly certificateRequestsPerYear: number;
  readonly certificateValidityMs: number;
  /** How long before its end an used certificate is renewed. */
  readonly renewBeforeMs: number;
  readonly renewalIntervalMs: number;
  /** Domains (with all below them) that the CA never issues for: status `FAILED`, `DOMAIN_NOT_ALLOWED`. */
  readonly domainsNotAllowed: readonly string[];
  readonly distributionsQuota: number;
  readonly parametersQuota: number;
  /** Rates for each account; operations left out are not throttled. */
  readonly throttle: Partial<Record<Operation, Rate>>;
  /**
   * Roles that trust too much, as a careless customer would make them. `any`: they trust every external id.
   * `any-of-our-form`: they trust every external id that begins as a connection's. `identity.verify` must refuse both.
   */
  readonly carelessRoles: false | "any" | "any-of-our-form";
  readonly platform: PlatformTuning;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * What a person sees: AWS's rules and rates, with AWS's minutes shortened to seconds.
 * Rates: ACM and SSM as documented; Secrets Manager 50/s; CloudFront's are not documented and near
 * one a second, which would make a tour of the sandbox a test of patience.
 */
export const defaultTuning: SandboxTuning = {
  describeLagMs: 300,
  recordDelayMs: 1_000,
  validationIntervalMs: 500,
  validationWindowMs: 72 * HOUR_MS,
  deployLagMs: 1_000,
  stackCreationMs: 1_000,
  callbackRetryMs: 250,
  certificateNamesQuota: 10,
  certificateRequestsPerYear: 5_000,
  certificateValidityMs: 198 * DAY_MS,
  renewBeforeMs: 45 * DAY_MS,
  renewalIntervalMs: 60_000,
  domainsNotAllowed: ["cdn.sandbox.test", "acm-validations.sandbox.test"],
  distributionsQuota: 500,
  parametersQuota: 10_000,
  throttle: {
    "certificates.request": { perSecond: 5, burst: 5 },
    "certificates.describe": { perSecond: 10, burst: 10 },
    "certificates.list": { perSecond: 5, burst: 5 },
    "certificates.delete": { perSecond: 10, burst: 10 },
    "distributions.create": { perSecond: 10, burst: 10 },
    "distributions.describe": { perSecond: 20, burst: 20 },
    "distributions.update": { perSecond: 10, burst: 10 },
    "distributions.delete": { perSecond: 10, burst: 10 },
    "distributions.traffic": { perSecond: 20, burst: 20 },
    "parameters.put": { perSecond: 3, burst: 3 },
    "parameters.delete": { perSecond: 3, burst: 3 },
    "secrets.put": { perSecond: 50, burst: 50 },
    "secrets.delete": { perSecond: 50, burst: 50 },
    // Of all four together.
    "zones.find": { perSecond: 5, burst: 5 },
    "zones.look": { perSecond: 5, burst: 5 },
    "zones.create": { perSecond: 5, burst: 5 },
    "zones.delete": { perSecond: 5, burst: 5 },
    "builds.start": { perSecond: 10, burst: 10 },
    "builds.describe": { perSecond: 20, burst: 20 },
    "builds.cancel": { perSecond: 10, burst: 10 },
    "builds.logs": { perSecond: 20, burst: 20 },
    "releases.start": { perSecond: 10, burst: 10 },
    "releases.describe": { perSecond: 20, burst: 20 },
    "releases.cancel": { perSecond: 10, burst: 10 },
    "releases.health": { perSecond: 20, burst: 20 },
    "releases.logs": { perSecond: 20, burst: 20 },
    "services.remove": { perSecond: 10, burst: 10 },
    "environments.activity": { perSecond: 20, burst: 20 },
    "environments.sleep": { perSecond: 10, burst: 10 },
  },
  carelessRoles: false,
  platform: defaultPlatformTuning,
};

/** The same rules without lags, throttles and request quotas, for tests and measurements. */
export const instantTuning: SandboxTuning = {
  ...defaultTuning,
  describeLagMs: 0,
  recordDelayMs: 0,
  validationIntervalMs: 20,
  deployLagMs: 0,
  stackCreationMs: 0,
  callbackRetryMs: 20,
  certificateRequestsPerYear: Number.MAX_SAFE_INTEGER,
  distributionsQuota: Number.MAX_SAFE_INTEGER,
  parametersQuota: Number.MAX_SAFE_INTEGER,
  throttle: {},
  platform: {
    ...defaultPlatformTuning,
    healthIntervalMs: 20,
    workerSettleMs: 300,
    stopGraceMs: 2_000,
    restartMs: 50,
  },
};
