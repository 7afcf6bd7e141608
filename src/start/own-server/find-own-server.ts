import { readOwnServer } from "../../cloud/sandbox/own-server.ts";
import type { Config } from "../config/config.ts";
import type { Installation } from "../health/checks.ts";
import { skipped } from "../health/decide-health.ts";
import { hostFolder } from "../open/open-host.ts";
import { keepSecret } from "../open/open-sandbox.ts";
import { findServiceAddress } from "../service-address.ts";

/** The own server as a command beside the service reaches it. @throws FolderError */
export function findOwnServer(config: Config): Installation["ownServer"] {
  const { ownServer, sandbox } = config;
  if (ownServer === null) return null;
  const url = sandbox.url ?? findServiceAddress(hostFolder(config))?.listensAt;
  if (url === undefined) return skipped("The edge of this server does not run here.");
  const secret = sandbox.secret ?? keepSecret(hostFolder(config));
  return () => readOwnServer({ url, secret }, { isProbed: true });
}
