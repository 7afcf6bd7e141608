/** The checks of the running service: only its process can open the embedded database. */
import { chooseConnection } from "../../cli/src/connection.ts";
import { readCredentials } from "../../cli/src/credentials.ts";
import { CommandError } from "../../cli/src/failure.ts";
import { ApiError, type InstallationHealth, Slipway, SlipwayError } from "../../sdk/src/index.ts";
import type { Config } from "../start/config/config.ts";
import { findServiceAddress, type ServiceAddress } from "../start/service-address.ts";

/**
 * Asks the running service for its health with an admin's key: the key of `SLIPWAY_TOKEN`, of `slipway login` for this
 * service, or of `SLIPWAY_API_KEY`.
 * @returns its health, or a sentence that says why it could not be asked
 */
export async function askService(
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<InstallationHealth | string> {
  const address = findServiceAddress(config.dataDir);
  if (address === null) return "It is of a release that does not say where it can be asked.";
  const keys = findKeys(address, config, env);
  let refused = `Log in as an admin, and run this again: slipway login --url ${address.publicUrl}`;
  for (const token of keys) {
    try {
      const slipway = new Slipway({ url: address.listensAt, token, maxRetries: 0 });
      return await slipway.request<InstallationHealth>("GET", "/v1/admin/health");
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      const isKeys = error instanceof ApiError && [401, 403].includes(error.status);
      if (!isKeys) return `It could not be asked: ${error.message}`;
      refused = `It refuses the key that is known here: ${error.detail} ${refused}`;
    }
  }
  return refused;
}

/** A stored key goes to the address that the service records for clients, or to where it listens itself. */
function findKeys(
  { publicUrl, listensAt }: ServiceAddress,
  { apiKey }: Config,
  env: NodeJS.ProcessEnv,
): ReadonlySet<string> {
  const credentials = readCredentials(env);
  const keys = new Set<string>();
  for (const url of [publicUrl, listensAt]) {
    try {
      const { token } = chooseConnection({ url, profile: undefined }, env, null, credentials);
      if (token !== "") keys.add(token);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  }
  return apiKey === null ? keys : keys.add(apiKey);
}
