/** AWS as the cloud, and what it needs. Part of the composition root. */
import { createAws } from "../../cloud/aws/adapter.ts";
import { renderTemplate, TEMPLATE_PATH } from "../../cloud/aws/stack/template.ts";
import type { Config } from "../config/config.ts";
import { systemServers } from "../../dns/wire/servers.ts";
import { createCallBuckets } from "../../db/call-buckets.ts";
import { createGit } from "../../git/hosts.ts";
import type { CloudMachinery, OpenCloud, OpenCloudOptions } from "./open-cloud.ts";

/** Opens no connection yet: the first call of each account does. */
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
    git: createGit({ allowedHosts: config.gitAllowedHosts }),
    dnsServers: config.dnsServers ?? systemServers(),
    sandbox: null,
    ownServer: null,
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
