import { GLOBAL_REGION } from "../calls/apis.ts";
import type { CloudStack } from "../../cloud.ts";
import { stackNameOf } from "../../stack-name.ts";

/**
 * CloudFormation's quick-create link: it opens the console with template, name and parameter filled in
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html).
 */
export function makeStack(templateUrl: string, connectionId: string): CloudStack {
  const stackName = stackNameOf(connectionId);
  const query = new URLSearchParams({
    templateURL: templateUrl,
    stackName,
    param_ServiceId: connectionId,
  });
  return {
    consoleUrl: `https://console.aws.amazon.com/cloudformation/home?region=${GLOBAL_REGION}#/stacks/quickcreate?${query.toString()}`,
    template: {
      url: templateUrl,
      stackName,
      region: GLOBAL_REGION,
      parameters: { ServiceId: connectionId },
    },
  };
}
