/** AWS as the cloud, and what it needs. Part of the composition root. */
import { createAws } from "../../cloud/aws/adapter.ts";
import { renderTemplate, TEMPLATE_PATH } from "../../cloud/aws/stack/template.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { systemServers } from "../../dns/wire/servers.ts";
import { createCallBuckets } from "../../db/call-buckets.ts";
import type { Git } from "../../git/git.ts";
import { createGit } from "../../git/hosts.ts";
import type { CloudMachinery, OpenCloud, OpenCloudOptions } from "./open-cloud.ts";

/** Opens no connection yet: the first call of each account does. @throws ConfigError */
export function openAws(
  config: Config,
  { publicUrl, db, policy }: OpenCloudOptions & CloudMachinery,
): OpenCloud {
  return {
    ...createAws({
      templateUrl: config.aws?.templateUrl ?? `${publicUrl}${TEMPLATE_PATH}`,
      policy,
      // On the embedded database there is no other process.
      ...(db.kind === "postgres" ? { buckets: createCallBuckets(db) } : {}),
    }),
    git: openGit(config),
    dnsServers: config.dnsServers ?? systemServers(),
    sandbox: null,
    reportOrganizationCount: null,
    connectionTemplate:
      config.aws === null
        ? null
        : renderTemplate({
            accountId: config.aws.accountId,
            callbackUrl: `${publicUrl}/cloud-callbacks`,
          }),
  };
}

function openGit({ gitAllowedHosts }: Config): Git {
  try {
    return createGit({ allowedHosts: [...gitAllowedHosts] });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigError([`SLIPWAY_GIT_ALLOWED_HOSTS: ${error.message}`]);
    throw error;
  }
}
