/** The clients for hosts that users name: webhook endpoints, and issuers of workloads' tokens. */
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { type SafeFetch, createSafeFetch } from "../../egress/safe-fetch.ts";
import { CONNECT_TIMEOUT_MS, TOTAL_TIMEOUT_MS } from "../../features/webhooks/send-attempt.ts";
import { type Config, isExposed } from "../config/config.ts";

/** Whether hosts of this machine may be asked: in a sandbox that only its own machine reaches. */
export function allowsLoopback(config: Config): boolean {
  return config.cloud === "sandbox" && !isExposed(config);
}

export function openWebhooks(config: Config): SafeFetch {
  return createSafeFetch({
    allowedHosts: parseAllowedHosts(config.webhookAllowedHosts),
    allowsLoopback: allowsLoopback(config),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    totalTimeoutMs: TOTAL_TIMEOUT_MS,
  });
}

/** Most issuers are git hosts, so the same hosts may be inside the network. Short times, because a client waits. */
export function openIssuers(config: Config): SafeFetch {
  return createSafeFetch({
    allowedHosts: parseAllowedHosts(config.gitAllowedHosts),
    allowsLoopback: allowsLoopback(config),
    connectTimeoutMs: 3_000,
    totalTimeoutMs: 5_000,
  });
}
