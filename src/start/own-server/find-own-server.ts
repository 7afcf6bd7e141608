import { readOwnServer } from "../../cloud/sandbox/own-server.ts";
import type { Config } from "../config/config.ts";
import type { Installation } from "../health/checks.ts";
import { skipped } from "../health/decide-health.ts";

/** The own server as a process beside the service reaches it. */
export function findOwnServer({ ownServer, sandbox }: Config): Installation["ownServer"] {
  if (ownServer === null) return null;
  const { url, secret } = sandbox;
  if (url === null) return skipped("The service knows this, because it runs the edge: GET /v1/admin/health.");
  return () => readOwnServer({ url, secret: secret ?? "" }, { isProbed: true });
}
