/** The times of health checks: seconds, within Slipway's limits. Pure. */
import { HEALTH_CHECK_DEFAULTS, type HealthCheckTimes } from "../../cloud/platform.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { HEALTH_CHECK_LIMITS } from "../projects/service-settings.ts";
import { changed, type Verdict, wrongForm } from "./flightcontrol-import.ts";
import type { Raw } from "./read-flightcontrol-file.ts";

type Field = keyof HealthCheckTimes;

/** Older files have two of them in `experimental`. */
export function decideHealthTimes(raw: Raw): HealthCheckTimes {
  const { experimental } = raw;
  const older = isObject(experimental) ? experimental : {};
  const interval = read(
    "healthCheckIntervalSeconds",
    raw["healthCheckIntervalSecs"] ?? older["healthCheckInterval"],
  );
  const timeout = read(
    "healthCheckTimeoutSeconds",
    raw["healthCheckTimeoutSecs"] ?? older["healthCheckTimeout"],
  );
  const grace = read("healthCheckGracePeriodSeconds", raw["healthCheckGracePeriodSecs"]);
  const { intervalSeconds, timeoutSeconds } = HEALTH_CHECK_DEFAULTS;
  const longest = (interval ?? intervalSeconds) - 1;
  const shortened = (timeout ?? timeoutSeconds) > longest ? longest : timeout;
  return {
    ...(interval === null ? {} : { healthCheckIntervalSeconds: interval }),
    ...(shortened === null ? {} : { healthCheckTimeoutSeconds: shortened }),
    ...(grace === null ? {} : { healthCheckGracePeriodSeconds: grace }),
  };
}

function read(field: Field, value: unknown): number | null {
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  const { minimum, maximum } = HEALTH_CHECK_LIMITS[field];
  return Math.min(maximum, Math.max(minimum, Math.round(value)));
}

/** @param written what the proposal has */
export function judgeHealthTime(field: Field, value: unknown, written: HealthCheckTimes): Verdict {
  const seconds = written[field];
  if (typeof value !== "number" || seconds === undefined) return wrongForm("a number of seconds");
  if (seconds === value) return changed(`It is called ${field}.`);
  const { minimum, maximum } = HEALTH_CHECK_LIMITS[field];
  const less = field === "healthCheckTimeoutSeconds" ? " and is less than healthCheckIntervalSeconds" : "";
  return changed(`${field} is from ${minimum} to ${maximum}${less}: it is ${seconds}.`);
}
