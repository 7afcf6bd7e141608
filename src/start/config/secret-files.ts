import { readFileSync } from "node:fs";
import { oidcNames } from "./oidc.ts";

/** Variables whose value may stand in a file that `<name>_FILE` names: secrets of containers, credentials of systemd. */
const SECRETS = [
  "DATABASE_URL",
  "SLIPWAY_DATABASE_DIRECT_URL",
  "SLIPWAY_API_KEY",
  "SLIPWAY_SANDBOX_SECRET",
  "SLIPWAY_DOMAIN_CONNECT_KEY",
  "SLIPWAY_ACME_EAB_HMAC",
  "SLIPWAY_VAULT_SECRET_ID",
  "SLIPWAY_EDGE_SECRET",
  "SLIPWAY_SMTP_URL",
];

/** The names of the variables whose value may be in a file. */
function secretsIn(env: NodeJS.ProcessEnv): readonly string[] {
  return [...SECRETS, ...oidcNames(env).map((name) => `SLIPWAY_OIDC_${name}_CLIENT_SECRET`)];
}

/** The environment with what stands in those files, and what is wrong with them. */
export function readSecretFiles(given: NodeJS.ProcessEnv): {
  readonly env: NodeJS.ProcessEnv;
  readonly problems: readonly string[];
} {
  const env = { ...given };
  const problems: string[] = [];
  for (const name of secretsIn(given)) {
    const file = given[`${name}_FILE`];
    if (file === undefined || file === "") continue;
    if (given[name] !== undefined && given[name] !== "") {
      problems.push(`${name} and ${name}_FILE are both set. Set one of them.`);
      continue;
    }
    try {
      env[name] = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      problems.push(`${name}_FILE is "${file}", which cannot be read: ${String(error.code)}.`);
    }
  }
  return { env, problems };
}
