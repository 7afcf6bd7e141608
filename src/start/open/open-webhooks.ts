/** How webhooks are sent. Part of the composition root. */
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { type SafeFetch, createSafeFetch } from "../../egress/safe-fetch.ts";
import { CONNECT_TIMEOUT_MS, TOTAL_TIMEOUT_MS } from "../../features/webhooks/send-attempt.ts";
import { type Config, ConfigError, isExposed } from "../config/config.ts";

/** Whether webhooks may be sent to this machine: in a sandbox that only its own machine reaches. */
export function allowsLoopback(config: Config): boolean {
  return config.cloud === "sandbox" && !isExposed(config);
}

/** @throws ConfigError */
export function openWebhooks(config: Config): SafeFetch {
  try {
    return createSafeFetch({
      allowedHosts: parseAllowedHosts(config.webhookAllowedHosts),
      allowsLoopback: allowsLoopback(config),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      totalTimeoutMs: TOTAL_TIMEOUT_MS,
    });
  } catch (error) {
    if (error instanceof RangeError)
      throw new ConfigError([`SLIPWAY_WEBHOOK_ALLOWED_HOSTS: ${error.message}`]);
    throw error;
  }
}
