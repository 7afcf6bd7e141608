/** A column for the statement that reads what is in an account: its connection, as far as it can be used. */
export const connectionOf = (organizationId: string, id: string): string =>
  `(SELECT json_build_object('connectionId', a.id, 'accountId', a.connected_aws_account_id, 'roleArn', a.role_arn)
      FROM aws_accounts a WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND a.status = 'CONNECTED'
       AND a.connected_aws_account_id IS NOT NULL AND a.role_arn IS NOT NULL)`;
