/** Where a service can be asked that has the embedded database, or the folder of an own server, which commands find in use. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export type ServiceAddress = { readonly listensAt: string; readonly publicUrl: string };

const fileIn = (dataDir: string): string => path.join(dataDir, "address.json");

/** To be called by the process that has the folder's lock. @returns what removes it */
export function recordServiceAddress(dataDir: string, address: ServiceAddress): () => void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify(address)}\n`, { mode: 0o600 });
  return () => rmSync(fileIn(dataDir), { force: true });
}

/** @returns null if no service has recorded one */
export function findServiceAddress(dataDir: string): ServiceAddress | null {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as ServiceAddress;
  } catch {
    return null;
  }
}
