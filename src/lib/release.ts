import { readFileSync } from "node:fs";

/** The version of this program, as package.json has it. */
export function readRelease(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
