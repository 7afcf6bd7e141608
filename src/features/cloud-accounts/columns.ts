import type { CloudAccount } from "../../cloud/cloud.ts";

/** What leads to a cloud account, whatever it is needed for. */
export type Connection = Omit<CloudAccount, "purpose">;

/** A column for a statement: the `Connection` of an account; null while it is not connected. */
export const connectionOf = (organizationId: string, id: string): string =>
  `(SELECT json_build_object('connectionId', a.id, 'accountId', a.connected_aws_account_id, 'roleArn', a.role_arn)
      FROM aws_accounts a WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND a.status = 'CONNECTED'
       AND a.connected_aws_account_id IS NOT NULL AND a.role_arn IS NOT NULL)`;
