/** How the issuers of workloads' tokens are asked. Part of the composition root. */
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { type SafeFetch, createSafeFetch } from "../../egress/safe-fetch.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { allowsLoopback } from "./open-webhooks.ts";

/** Short, because a client waits for the answer. */
const CONNECT_TIMEOUT_MS = 3_000;
const TOTAL_TIMEOUT_MS = 5_000;

/** Most issuers are git hosts, so the same hosts may be inside the network. @throws ConfigError */
export function openIssuers(config: Config): SafeFetch {
  try {
    return createSafeFetch({
      allowedHosts: parseAllowedHosts(config.gitAllowedHosts),
      allowsLoopback: allowsLoopback(config),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: TOTAL_TIMEOUT_MS,
    });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigError([`SLIPWAY_GIT_ALLOWED_HOSTS: ${error.message}`]);
    throw error;
  }
}
