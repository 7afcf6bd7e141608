import { LOG_FORMATS } from "../../lib/log.ts";
import type { Values } from "./values.ts";

/** What every program writes to its log, and how. */
export function readLogging({ oneOf }: Values) {
  return {
    logLevel: oneOf("SLIPWAY_LOG", ["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
    logFormat: oneOf("SLIPWAY_LOG_FORMAT", LOG_FORMATS, "auto"),
  };
}
