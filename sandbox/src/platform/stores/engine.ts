/** What differs between the data stores of the sandbox: each is a server of its own, and `stores.ts` is its life. */
import type { StoreMessage } from "../../protocol.ts";
import type { Program } from "./programs.ts";

/** A line for `sh`, which runs in the folder above `data`. Secrets are in its environment only. */
type Script = { readonly script: string; readonly env: Readonly<Record<string, string>> };

export type Engine = {
  /** As users know it. */
  readonly title: string;
  /** The newest version first. @param searchPath as PATH */
  find(searchPath: string): Promise<readonly Program[]>;
  /** Packages of Debian. @param version undefined: any */
  packageOf(version: string | undefined): string;
  /** Makes `data`, empty and with a password. */
  initialize(program: Program, password: string): Script;
  /** Gives `data` of a snapshot, which has the password of another store, its own. */
  adopt(program: Program, password: string): Script;
  /** Runs the server until SIGTERM, on loopback only. Needs no secret. */
  serve(program: Program, port: number): string;
  /** What the server prints when it accepts connections. */
  readonly ready: string;
  /** A file of `data` without which the server would start empty, or not at all. */
  readonly proof: string;
  /** @param password a reference */
  valuesOf(port: number, password: string): StoreMessage["values"];
};

/** A server takes no more clients. */
export const MAX_CLIENTS = 50;
export const HOST = "127.0.0.1";

/** The values of every engine. */
export function addressOf(port: number) {
  return {
    host: { kind: "plainText", value: HOST },
    port: { kind: "plainText", value: String(port) },
  } as const;
}

export function referTo(reference: string) {
  return { kind: "fromSecretsManager", reference } as const;
}
