import { readOwnServer } from "../../cloud/sandbox/own-server.ts";
import type { Config } from "../config/config.ts";
import type { Installation } from "../health/checks.ts";
import { skipped } from "../health/decide-health.ts";
import { hostFolder } from "../open/open-host.ts";
import { keepSecret } from "../open/open-sandbox.ts";
import { findServiceAddress } from "../service-address.ts";

/** Where a command beside the service reaches the edge of this server; null if it does not run. @throws FolderError */
export function findServerPlace(config: Config): { readonly url: string; readonly secret: string } | null {
  const url = config.sandbox.url ?? findServiceAddress(hostFolder(config))?.listensAt;
  if (url === undefined) return null;
  return { url, secret: config.sandbox.secret ?? keepSecret(hostFolder(config)) };
}

/** The own server as a command beside the service reaches it. @throws FolderError */
export function findOwnServer(config: Config): Installation["ownServer"] {
  if (config.ownServer === null) return null;
  const place = findServerPlace(config);
  if (place === null) return skipped("The edge of this server does not run here.");
  return () => readOwnServer(place, { isProbed: true });
}
