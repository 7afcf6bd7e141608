/** The lists whose names the audit shows: the reads that its page and its route share. */
import { readAll } from "./query.ts";

export const AUDIT_NAMES = {
  users: readAll("users", "list", {}),
  keys: readAll("apiKeys", "list", {}),
  webhooks: readAll("webhookEndpoints", "list", {}),
  git: readAll("gitIntegrations", "list", {}),
};
