/** Parts of statements, here and in the features above. */
import { connectionOf } from "../cloud-accounts/columns.ts";

/** The columns of a `Distribution`. */
export const DISTRIBUTION = `organization_id AS "organizationId", id, service_id AS "serviceId", aws_account_id AS "awsAccountId",
  is_default AS "isDefault", is_wanted AS "isDesired", origin,
  origin_moved AS "originMoved", requested_at AS "requestedAt",
  create_started_at AS "createStartedAt", provider_id AS "providerId", domain_name AS "domainName", last_error AS "lastError"`;

/** The columns of a `ConnectedDistribution`. */
export const CONNECTED_DISTRIBUTION = `${DISTRIBUTION}, ${connectionOf("$1", "distributions.aws_account_id")} AS connection,
  (SELECT environment_id FROM services s WHERE s.organization_id = $1 AND s.id = distributions.service_id) AS "environmentId"`;
