// Made by `npm run sdk` from the OpenAPI document. Do not change it by hand.
import type { ApiPromise } from "../api-promise.ts";
import type { StreamOptions } from "../event-stream.ts";
import type { Paged } from "../paged.ts";
import { path } from "../path.ts";
import { Resource } from "../resource.ts";
import type { CallOptions, ChangeOptions, WriteOptions } from "../transport.ts";
import type { WatchOptions } from "../watch.ts";
import type * as t from "./types.ts";

export class Admin extends Resource {
  /**
   * Test the identity providers.
   *
   * Asks each provider, and returns its configuration without the secret, and the reason if it cannot be used now. Only for admins of the installation's first organization, which is its operator's.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  testSignInProviders(options?: CallOptions): ApiPromise<t.OidcSettings> {
    return this.callAt({ method: "GET", path: path`/v1/admin/sign-in-providers` }, options);
  }

  /**
   * Check the health of the installation.
   *
   * Runs the checks of `slipway doctor`. The response is 200 even if checks fail. Only for admins of the installation's first organization, which is its operator's.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  getHealth(options?: CallOptions): ApiPromise<t.InstallationHealth> {
    return this.callAt({ method: "GET", path: path`/v1/admin/health` }, options);
  }

  /**
   * Get the state of the own server.
   *
   * Returns edges, CAs, orders and certificates of an own server, of all organizations. Tries the ports of the edges and the zone of challenges. Only for admins of the installation's first organization, which is its operator's.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  getOwnServer(options?: CallOptions): ApiPromise<t.OwnServerAnswer> {
    return this.callAt({ method: "GET", path: path`/v1/admin/own-server` }, options);
  }
}

export class ApiKeys extends Resource {
  /**
   * Create an API key.
   *
   * Only this response shows the key.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateApiKeyRequest, options?: WriteOptions): ApiPromise<t.NewApiKey> {
    return this.callAt({ method: "POST", path: path`/v1/api-keys`, body }, options);
  }

  /**
   * List API keys.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.ApiKeysListQuery = {}, options?: CallOptions): Paged<t.ApiKey, t.ApiKeyList> {
    return this.listAt(path`/v1/api-keys`, query, { items: "apiKeys", cursor: "cursor" }, options);
  }

  /**
   * Get an API key.
   *
   * The key itself is not shown.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  get(apiKeyId: string, options?: CallOptions): ApiPromise<t.ApiKey> {
    return this.callAt({ method: "GET", path: path`/v1/api-keys/${apiKeyId}` }, options);
  }

  /** Get an API key. As it is now, then whenever it has changed. */
  watch(apiKeyId: string, options?: WatchOptions): AsyncGenerator<t.ApiKey, never> {
    return this.watchAt(path`/v1/api-keys/${apiKeyId}`, undefined, options);
  }

  /**
   * Revoke an API key.
   *
   * The key stops working everywhere within 5 s.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(apiKeyId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/api-keys/${apiKeyId}` }, options);
  }
}

export class AuditEntries extends Resource {
  /**
   * List audit entries.
   *
   * With `Accept: application/x-ndjson`, all entries that match the filters are streamed, one JSON object on each line, from the cursor on and without `limit`. If the export fails midway, its HTTP message is incomplete.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.AuditEntriesListQuery = {}, options?: CallOptions): Paged<t.AuditEntry, t.AuditEntryList> {
    return this.listAt(path`/v1/audit-entries`, query, { items: "auditEntries", cursor: "cursor" }, options);
  }
}

export class AwsAccounts extends Resource {
  /**
   * Create a cloud account connection.
   *
   * Creating the stack at `cloudStack.consoleUrl` completes the connection. Anyone who has the `id` can create the stack, so only admins see the `id` and `cloudStack` until then. Set `expectedAwsAccountId` if you know the account.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateAwsAccountRequest, options?: WriteOptions): ApiPromise<t.NewAwsAccount> {
    return this.callAt({ method: "POST", path: path`/v1/aws-accounts`, body }, options);
  }

  /**
   * List cloud account connections.
   *
   * While a connection waits for its first account, only admins see its `id`. Others see its `givenId` instead, which every path and body also accepts.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.AwsAccountsListQuery = {}, options?: CallOptions): Paged<t.AwsAccount, t.AwsAccountList> {
    return this.listAt(path`/v1/aws-accounts`, query, { items: "awsAccounts", cursor: "cursor" }, options);
  }

  /**
   * Get a cloud account connection.
   *
   * Accepts the `id` or the `givenId`. Only admins see `cloudStack`.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(awsAccountId: string, options?: CallOptions): ApiPromise<t.AwsAccount> {
    return this.callAt({ method: "GET", path: path`/v1/aws-accounts/${awsAccountId}` }, options);
  }

  /** Get a cloud account connection. As it is now, then whenever it has changed. */
  watch(awsAccountId: string, options?: WatchOptions): AsyncGenerator<t.AwsAccount, never> {
    return this.watchAt(path`/v1/aws-accounts/${awsAccountId}`, undefined, options);
  }

  /**
   * Change the givenId, name or expected account of a cloud account connection.
   *
   * Omitted fields stay as they are. `expectedAwsAccountId` can change until the connection belongs to an account.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(awsAccountId: string, body: t.UpdateAwsAccountRequest, options?: ChangeOptions): ApiPromise<t.AwsAccount> {
    return this.callAt({ method: "PATCH", path: path`/v1/aws-accounts/${awsAccountId}`, body }, options);
  }

  /**
   * Delete a cloud account connection.
   *
   * The stack in the customer's account stays; delete it there. The request is refused while a project is deployed to the account, while resources of a deleted project are still being removed, and while the account does not work but still has resources. In the last case, `leftInAccount` lists the resources.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(awsAccountId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/aws-accounts/${awsAccountId}` }, options);
  }

  /**
   * Check the role of a cloud account connection now.
   *
   * Slipway also checks it daily. The request also repeats the check of a stack's pending report, and marks a `REPORT_REFUSED` as seen. The result is in `status`, `lastCheckAt` and `lastCheckError`.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  check(awsAccountId: string, options?: WriteOptions): ApiPromise<t.AwsAccount> {
    return this.callAt({ method: "POST", path: path`/v1/aws-accounts/${awsAccountId}/check` }, options);
  }

  /**
   * Unbind a cloud account connection from its account.
   *
   * Use this for a connection that belongs to the wrong account and that nothing uses. The connection waits for a stack again, under a **new** `id`, so the stack in the wrong account can no longer connect with the old one. Delete that stack in the wrong account.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  unbind(awsAccountId: string, options?: WriteOptions): ApiPromise<t.NewAwsAccount> {
    return this.callAt({ method: "POST", path: path`/v1/aws-accounts/${awsAccountId}/unbind` }, options);
  }

  /**
   * Delete a connection whose cloud account is lost.
   *
   * Use this if the account is `DISCONNECTED` or lacks permissions. The connection is deleted at once, and the response lists what deleted projects left in the account. Delete or abandon its projects first.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  abandon(awsAccountId: string, options?: WriteOptions): ApiPromise<t.AbandonedAwsAccount> {
    return this.callAt({ method: "POST", path: path`/v1/aws-accounts/${awsAccountId}/abandon` }, options);
  }
}

export class Deployments extends Resource {
  /**
   * Deploy a branch.
   *
   * Builds and releases the branch's current commit in every environment that follows the branch, as configured in that commit. With `filter.environmentId`, it does so only in that environment. Follow the deployment with `Prefer: wait` at its address. A newer deployment of an environment supersedes the deployments that still wait.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  create(body: t.CreateDeploymentRequest, options?: WriteOptions): ApiPromise<t.Deployment> {
    return this.callAt({ method: "POST", path: path`/v1/deployments`, body }, options);
  }

  /**
   * List deployments.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.DeploymentsListQuery = {}, options?: CallOptions): Paged<t.Deployment, t.DeploymentList> {
    return this.listAt(path`/v1/deployments`, query, { items: "deployments", cursor: "cursor" }, options);
  }

  /**
   * Get a deployment.
   *
   * The response includes its run in each environment, what its configuration changes, and each service.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(deploymentId: string, options?: CallOptions): ApiPromise<t.DeploymentDetails> {
    return this.callAt({ method: "GET", path: path`/v1/deployments/${deploymentId}` }, options);
  }

  /** Get a deployment. As it is now, then whenever it has changed. */
  watch(deploymentId: string, options?: WatchOptions): AsyncGenerator<t.DeploymentDetails, never> {
    return this.watchAt(path`/v1/deployments/${deploymentId}`, undefined, options);
  }

  /**
   * Cancel a deployment.
   *
   * Services that are not live yet will not go live; services that it has released stay live. Read the deployment to see when it has ended.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  cancel(deploymentId: string, options?: WriteOptions): ApiPromise<t.Deployment> {
    return this.callAt({ method: "POST", path: path`/v1/deployments/${deploymentId}/cancel` }, options);
  }

  /**
   * Deploy the commit of a deployment again.
   *
   * Creates a new deployment of the same commit and branch, however the first one ended. Everything is built again, with the present variables. To deploy the branch's newest commit, create a deployment.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  redeploy(deploymentId: string, options?: WriteOptions): ApiPromise<t.Deployment> {
    return this.callAt({ method: "POST", path: path`/v1/deployments/${deploymentId}/redeploy` }, options);
  }

  /**
   * Roll back to a deployment.
   *
   * Creates a new deployment with that deployment's commit, configuration, artifacts and environments. `notRestored` lists what does not change.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  rollback(deploymentId: string, options?: WriteOptions): ApiPromise<t.Rollback> {
    return this.callAt({ method: "POST", path: path`/v1/deployments/${deploymentId}/rollback` }, options);
  }

  /**
   * Approve a deployment.
   *
   * The deployment begins in the environments that require an approval. The caller must be a person who may deploy there, has the role that the environment requires, and did not start the deployment.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  approve(deploymentId: string, body: t.ApproveDeploymentRequest, options?: WriteOptions): ApiPromise<t.DeploymentDetails> {
    return this.callAt({ method: "POST", path: path`/v1/deployments/${deploymentId}/approve`, body }, options);
  }

  /**
   * Reject a deployment.
   *
   * The deployment is cancelled in the environments where it waits for an approval. The caller must be a person who may approve it. The user who started it can cancel it instead.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  reject(deploymentId: string, body: t.RejectDeploymentRequest, options?: WriteOptions): ApiPromise<t.DeploymentDetails> {
    return this.callAt({ method: "POST", path: path`/v1/deployments/${deploymentId}/reject`, body }, options);
  }

  /**
   * Read the logs of a deployment.
   *
   * Returns the output of its builds and releases, read from the cloud. With `Accept: text/event-stream` it is streamed live: events `status` and `line`, then `end` when the deployment has ended, or `refused` when the key may no longer read it. An event's id is a cursor.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getLogs(deploymentId: string, query: t.DeploymentsGetLogsQuery = {}, options?: CallOptions): ApiPromise<t.DeploymentLogs> {
    return this.callAt({ method: "GET", path: path`/v1/deployments/${deploymentId}/logs`, query }, options);
  }

  /** Read the logs of a deployment. Live; a connection that breaks is resumed after the last event. */
  streamLogs(deploymentId: string, query: t.DeploymentsGetLogsQuery = {}, options?: StreamOptions): AsyncGenerator<Exclude<t.LogEvent, t.RefusedEvent>, void> {
    return this.streamAt(path`/v1/deployments/${deploymentId}/logs`, query, options, new Set(["line"]));
  }

  /**
   * Get the project of a deployment.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPlace(deploymentId: string, options?: CallOptions): ApiPromise<t.Place> {
    return this.callAt({ method: "GET", path: path`/v1/deployments/${deploymentId}/place` }, options);
  }

  /** Get the project of a deployment. As it is now, then whenever it has changed. */
  watchPlace(deploymentId: string, options?: WatchOptions): AsyncGenerator<t.Place, never> {
    return this.watchAt(path`/v1/deployments/${deploymentId}/place`, undefined, options);
  }

  /**
   * Compare a deployment with an earlier one.
   *
   * The differences in commit and configuration from the last successful deployment of the same branch before it, or from the deployment that `with` names. The `plan` of each environment says what the deployment changed there.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  compare(deploymentId: string, query: t.DeploymentsCompareQuery = {}, options?: CallOptions): ApiPromise<t.DeploymentChanges> {
    return this.callAt({ method: "GET", path: path`/v1/deployments/${deploymentId}/changes`, query }, options);
  }

  /** Compare a deployment with an earlier one. As it is now, then whenever it has changed. */
  watchcompare(deploymentId: string, query: t.DeploymentsCompareQuery = {}, options?: WatchOptions): AsyncGenerator<t.DeploymentChanges, never> {
    return this.watchAt(path`/v1/deployments/${deploymentId}/changes`, query, options);
  }

  /**
   * Preview a rollback to a deployment.
   *
   * The parts that its configuration adds, changes and removes, compared with the present configuration of each environment. Values of variables are not shown.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  planRollback(deploymentId: string, options?: CallOptions): ApiPromise<t.RollbackPlan> {
    return this.callAt({ method: "GET", path: path`/v1/deployments/${deploymentId}/rollback-plan` }, options);
  }
}

export class DomainGroups extends Resource {
  /**
   * Create a group with domains.
   *
   * Requests a certificate. The `dnsRecords` of the domains then show which records to set.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  create(serviceId: string, body: t.CreateDomainCertificateGroupRequest, options?: WriteOptions): ApiPromise<t.NewDomainCertificateGroup> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/domain-certificate-groups`, body }, options);
  }

  /**
   * List the groups of a service.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(serviceId: string, query: t.DomainGroupsListQuery = {}, options?: CallOptions): Paged<t.DomainCertificateGroup, t.DomainCertificateGroupList> {
    return this.listAt(path`/v1/services/${serviceId}/domain-certificate-groups`, query, { items: "domainCertificateGroups", cursor: "cursor" }, options);
  }

  /**
   * Get a group.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(domainGroupId: string, options?: CallOptions): ApiPromise<t.DomainCertificateGroup> {
    return this.callAt({ method: "GET", path: path`/v1/domain-certificate-groups/${domainGroupId}` }, options);
  }

  /** Get a group. As it is now, then whenever it has changed. */
  watch(domainGroupId: string, options?: WatchOptions): AsyncGenerator<t.DomainCertificateGroup, never> {
    return this.watchAt(path`/v1/domain-certificate-groups/${domainGroupId}`, undefined, options);
  }

  /**
   * Change a group.
   *
   * Records that Slipway has already set stay, and are removed when their domain is deleted.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  update(domainGroupId: string, body: t.UpdateDomainCertificateGroupRequest, options?: ChangeOptions): ApiPromise<t.DomainCertificateGroup> {
    return this.callAt({ method: "PATCH", path: path`/v1/domain-certificate-groups/${domainGroupId}`, body }, options);
  }

  /**
   * Delete a group.
   *
   * Its domains are detached, and its certificate and separate distribution are deleted; a default distribution stays. If the cloud account has nothing of the group, for example an empty group on the default distribution, it is deleted at once (204).
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  delete(domainGroupId: string, options?: ChangeOptions): ApiPromise<t.DomainCertificateGroup | undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/domain-certificate-groups/${domainGroupId}` }, options);
  }

  /**
   * Delete a group whose cloud account is lost.
   *
   * Use this if the account is `DISCONNECTED` or lacks permissions, so that a normal deletion cannot finish. The group and its domains are deleted at once, and the response lists what stays in the account.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  abandon(domainGroupId: string, options?: WriteOptions): ApiPromise<t.AbandonedDomainCertificateGroup> {
    return this.callAt({ method: "POST", path: path`/v1/domain-certificate-groups/${domainGroupId}/abandon` }, options);
  }

  /**
   * Retry domains in ERROR_ATTACHING or ERROR_DETACHING.
   *
   * Attaches or detaches them again. The request is refused with 409 if no domain is in error. If a certificate was not validated in time, Slipway requests a new one, with new records.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  retryAttachment(domainGroupId: string, options?: WriteOptions): ApiPromise<t.DomainCertificateGroupWithDomains> {
    return this.callAt({ method: "POST", path: path`/v1/domain-certificate-groups/${domainGroupId}/retry-attachment` }, options);
  }

  /**
   * List the domains of a group with their DNS records.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDomains(domainGroupId: string, query: t.DomainGroupsListDomainsQuery = {}, options?: CallOptions): Paged<t.Domain, t.DomainList> {
    return this.listAt(path`/v1/domain-certificate-groups/${domainGroupId}/domains`, query, { items: "domains", cursor: "cursor" }, options);
  }

  /**
   * Add domains to a group.
   *
   * Attached domains stay served while Slipway gets a certificate for all of them.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  addDomains(domainGroupId: string, body: t.AddDomainsRequest, options?: WriteOptions): ApiPromise<t.AddedDomains> {
    return this.callAt({ method: "POST", path: path`/v1/domain-certificate-groups/${domainGroupId}/domains`, body }, options);
  }

  /**
   * Delete a domain.
   *
   * The domain is detached first; afterwards, a read returns 404. If the cloud account has nothing of it, it is deleted at once (204). `managedDomainId` is the domain's `id`. Remove its DNS records afterwards.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  deleteDomain(domainGroupId: string, managedDomainId: string, options?: ChangeOptions): ApiPromise<t.Domain | undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/domain-certificate-groups/${domainGroupId}/domains/${managedDomainId}` }, options);
  }

  /**
   * Create a share link.
   *
   * The link opens a page that needs no account. The page shows which DNS records to set for domains of the group, and which records the DNS has now. Anyone with the link can open the page until the link expires or is deleted.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  createShareLink(domainGroupId: string, body: t.CreateShareLinkRequest, options?: WriteOptions): ApiPromise<t.NewShareLink> {
    return this.callAt({ method: "POST", path: path`/v1/domain-certificate-groups/${domainGroupId}/share-links`, body }, options);
  }

  /**
   * List the share links of a group.
   *
   * Expired links are removed some minutes later.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listShareLinks(domainGroupId: string, query: t.DomainGroupsListShareLinksQuery = {}, options?: CallOptions): Paged<t.ShareLink, t.ShareLinkList> {
    return this.listAt(path`/v1/domain-certificate-groups/${domainGroupId}/share-links`, query, { items: "shareLinks", cursor: "cursor" }, options);
  }

  /**
   * Get a share link.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getShareLink(domainGroupId: string, shareLinkId: string, options?: CallOptions): ApiPromise<t.ShareLink> {
    return this.callAt({ method: "GET", path: path`/v1/domain-certificate-groups/${domainGroupId}/share-links/${shareLinkId}` }, options);
  }

  /** Get a share link. As it is now, then whenever it has changed. */
  watchShareLink(domainGroupId: string, shareLinkId: string, options?: WatchOptions): AsyncGenerator<t.ShareLink, never> {
    return this.watchAt(path`/v1/domain-certificate-groups/${domainGroupId}/share-links/${shareLinkId}`, undefined, options);
  }

  /**
   * Change which domains a share link shows.
   *
   * A link shows the domains that it was created for. Use this to add domains that the group got later, or to remove some.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  updateShareLink(domainGroupId: string, shareLinkId: string, body: t.UpdateShareLinkRequest, options?: ChangeOptions): ApiPromise<t.ShareLink> {
    return this.callAt({ method: "PATCH", path: path`/v1/domain-certificate-groups/${domainGroupId}/share-links/${shareLinkId}`, body }, options);
  }

  /**
   * Revoke a share link.
   *
   * The page of the link is not found from then on.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  deleteShareLink(domainGroupId: string, shareLinkId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/domain-certificate-groups/${domainGroupId}/share-links/${shareLinkId}` }, options);
  }

  /**
   * Get the service, environment and project of a group.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPlace(domainGroupId: string, options?: CallOptions): ApiPromise<t.Place> {
    return this.callAt({ method: "GET", path: path`/v1/domain-certificate-groups/${domainGroupId}/place` }, options);
  }

  /** Get the service, environment and project of a group. As it is now, then whenever it has changed. */
  watchPlace(domainGroupId: string, options?: WatchOptions): AsyncGenerator<t.Place, never> {
    return this.watchAt(path`/v1/domain-certificate-groups/${domainGroupId}/place`, undefined, options);
  }
}

export class Domains extends Resource {
  /**
   * List domains.
   *
   * All domains of the organization, with their DNS records. A domain must match all filters; a filter with an unknown id matches nothing.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.DomainsListQuery = {}, options?: CallOptions): Paged<t.Domain, t.DomainList> {
    return this.listAt(path`/v1/domains`, query, { items: "domains", cursor: "cursor" }, options);
  }

  /**
   * Get a domain with its DNS records.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(domainId: string, options?: CallOptions): ApiPromise<t.Domain> {
    return this.callAt({ method: "GET", path: path`/v1/domains/${domainId}` }, options);
  }

  /** Get a domain with its DNS records. As it is now, then whenever it has changed. */
  watch(domainId: string, options?: WatchOptions): AsyncGenerator<t.Domain, never> {
    return this.watchAt(path`/v1/domains/${domainId}`, undefined, options);
  }

  /**
   * Change the redirect of a domain.
   *
   * Redirects the domain to another domain of its group, such as `www.example.com` to `example.com`, with 308 and the same path and query. `redirectStatus` shows when the redirect is in effect.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  update(domainId: string, body: t.UpdateDomainRequest, options?: ChangeOptions): ApiPromise<t.Domain> {
    return this.callAt({ method: "PATCH", path: path`/v1/domains/${domainId}`, body }, options);
  }

  /**
   * List the timeline of a domain.
   *
   * The domain's events in sentences, and those of the present certificates of its group that cover it. Events are kept for 30 days, so the timeline of an older domain begins later than the domain.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  timeline(domainId: string, query: t.DomainsTimelineQuery = {}, options?: CallOptions): Paged<t.DomainTimelineEntry, t.DomainTimelineEntryList> {
    return this.listAt(path`/v1/domains/${domainId}/timeline`, query, { items: "timelineEntries", cursor: "cursor" }, options);
  }

  /**
   * Check a domain's DNS records now.
   *
   * Slipway also checks them automatically. The result is in `dnsRecords`.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  check(domainId: string, options?: WriteOptions): ApiPromise<t.Domain> {
    return this.callAt({ method: "POST", path: path`/v1/domains/${domainId}/check` }, options);
  }

  /**
   * Add up to 10,000 domains to a service.
   *
   * Takes JSON, or CSV (`Content-Type: text/csv`, in UTF-8, UTF-16 or Windows-1252) with the names below a heading such as `domain`, `FQDN` or `Website`, or in the first column. Names below one registrable domain share groups: first groups of the service that have room and no other names, then new groups. `groupBy` chooses another grouping. All names that can be accepted are added in one transaction. The response has the result of every line that is not blank. Correct the refused lines and send the file again: names that already exist are `duplicate`.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  import(serviceId: string, body: t.ImportDomainsRequest, options?: WriteOptions & { readonly query?: t.DomainsImportQuery | undefined }): ApiPromise<t.DomainImport> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/domains/import`, query: options?.query, body }, options);
  }

  /**
   * Start Domain Connect for a domain.
   *
   * If `dnsProvider.supports.domainConnect` is true, the owner agrees at `applyUrl`, and the DNS provider sets the domain's records. Afterwards the provider sends the browser back to the console, which ends the attempt. A new attempt ends an earlier attempt of the same user.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  startConnect(domainId: string, body: t.StartDomainConnectRequest, options?: WriteOptions): ApiPromise<t.DomainConnectStart> {
    return this.callAt({ method: "POST", path: path`/v1/domains/${domainId}/domain-connect`, body }, options);
  }

  /**
   * End Domain Connect for a domain.
   *
   * Takes the `state` that the DNS provider returned. It is valid once, and only for the user who started the attempt. Slipway then checks the domain's records at once, because only the DNS shows whether they are set.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `domains`.
   */
  endConnect(domainId: string, body: t.EndDomainConnectRequest, options?: WriteOptions): ApiPromise<t.Domain> {
    return this.callAt({ method: "POST", path: path`/v1/domains/${domainId}/domain-connect/return`, body }, options);
  }
}

export class Environments extends Resource {
  /**
   * List the environments of a project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(projectId: string, query: t.EnvironmentsListQuery = {}, options?: CallOptions): Paged<t.Environment, t.EnvironmentList> {
    return this.listAt(path`/v1/projects/${projectId}/environments`, query, { items: "environments", cursor: "cursor" }, options);
  }

  /**
   * Get an environment.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(environmentId: string, options?: CallOptions): ApiPromise<t.Environment> {
    return this.callAt({ method: "GET", path: path`/v1/environments/${environmentId}` }, options);
  }

  /** Get an environment. As it is now, then whenever it has changed. */
  watch(environmentId: string, options?: WatchOptions): AsyncGenerator<t.Environment, never> {
    return this.watchAt(path`/v1/environments/${environmentId}`, undefined, options);
  }

  /**
   * Protect an environment.
   *
   * The change takes effect within 5 s. The name, branch and trigger are set in the configuration.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(environmentId: string, body: t.UpdateEnvironmentRequest, options?: ChangeOptions): ApiPromise<t.Environment> {
    return this.callAt({ method: "PATCH", path: path`/v1/environments/${environmentId}`, body }, options);
  }

  /**
   * Get an environment with its project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPlace(environmentId: string, options?: CallOptions): ApiPromise<t.Place> {
    return this.callAt({ method: "GET", path: path`/v1/environments/${environmentId}/place` }, options);
  }

  /** Get an environment with its project. As it is now, then whenever it has changed. */
  watchPlace(environmentId: string, options?: WatchOptions): AsyncGenerator<t.Place, never> {
    return this.watchAt(path`/v1/environments/${environmentId}/place`, undefined, options);
  }

  /**
   * Get the references between the services of an environment.
   *
   * Returns the services, and their references to each other: by `dependsOn`, and by variables that have another service's address. Of these variables, the first 2,000 are read.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getGraph(environmentId: string, options?: CallOptions): ApiPromise<t.EnvironmentGraph> {
    return this.callAt({ method: "GET", path: path`/v1/environments/${environmentId}/graph` }, options);
  }

  /** Get the references between the services of an environment. As it is now, then whenever it has changed. */
  watchGraph(environmentId: string, options?: WatchOptions): AsyncGenerator<t.EnvironmentGraph, never> {
    return this.watchAt(path`/v1/environments/${environmentId}/graph`, undefined, options);
  }

  /**
   * Compare an environment with its branch.
   *
   * Returns whether the services of the environment run the newest commit of the branch that it follows. The git host is asked at each request. If it does not answer, or has no such branch, the response is 200 with `newest: null`, and `problem` has the reason. `BEHIND` only means that another commit than the newest one runs, for example after a rollback.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getDrift(environmentId: string, options?: CallOptions): ApiPromise<t.EnvironmentDrift> {
    return this.callAt({ method: "GET", path: path`/v1/environments/${environmentId}/drift` }, options);
  }
}

export class Events extends Resource {
  /**
   * List events.
   *
   * Events are kept for 30 days. Pass `nextCursor` as `after` to continue; it is never null, because more events will come. With `Prefer: wait=N` the request is held until there is an event. With `Accept: text/event-stream` events are streamed as they happen: first `position`, then `message` for each event, `position` again when no event has matched for a while, and `refused` when the key may no longer read them. Events about API keys, git integrations and webhook endpoints are shown to admins only.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.EventsListQuery = {}, options?: CallOptions): Paged<t.Event, t.EventList> {
    return this.listAt(path`/v1/events`, query, { items: "events", cursor: "after" }, options);
  }

  /** List events. Live; a connection that breaks is resumed after the last event. */
  stream(query: t.EventsListQuery = {}, options?: StreamOptions): AsyncGenerator<Exclude<t.EventFeedEvent, t.RefusedEvent>, void> {
    return this.streamAt(path`/v1/events`, query, options);
  }
}

export class Executions extends Resource {
  /**
   * Get the service, environment and project of an execution.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPlace(executionId: string, options?: CallOptions): ApiPromise<t.Place> {
    return this.callAt({ method: "GET", path: path`/v1/executions/${executionId}/place` }, options);
  }

  /** Get the service, environment and project of an execution. As it is now, then whenever it has changed. */
  watchPlace(executionId: string, options?: WatchOptions): AsyncGenerator<t.Place, never> {
    return this.watchAt(path`/v1/executions/${executionId}/place`, undefined, options);
  }

  /**
   * Run a command.
   *
   * Runs a command once in its own copy of the service's live release, with the release's variables, while the service continues to run. Read the execution with `Prefer: wait`, and its output at `/logs`. Everyone who sees the project can read the command: never put a secret in it. An environment that requires approvals refuses it.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  start(serviceId: string, body: t.RunCommandRequest, options?: WriteOptions): ApiPromise<t.Execution> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/runs`, body }, options);
  }

  /**
   * List the executions of a service.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(serviceId: string, query: t.ExecutionsListQuery = {}, options?: CallOptions): Paged<t.Execution, t.ExecutionList> {
    return this.listAt(path`/v1/services/${serviceId}/executions`, query, { items: "executions", cursor: "cursor" }, options);
  }

  /**
   * Get an execution.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(executionId: string, options?: CallOptions): ApiPromise<t.Execution> {
    return this.callAt({ method: "GET", path: path`/v1/executions/${executionId}` }, options);
  }

  /** Get an execution. As it is now, then whenever it has changed. */
  watch(executionId: string, options?: WatchOptions): AsyncGenerator<t.Execution, never> {
    return this.watchAt(path`/v1/executions/${executionId}`, undefined, options);
  }

  /**
   * Read the output of an execution.
   *
   * Returns the output of the command, read from the cloud. The cloud keeps only the end of a long output. Values of managed variables are hidden if the platform supports it. With `Accept: text/event-stream` it is streamed live: events `status` and `line`, then `end` when the execution has ended, or `refused` when the key may no longer read it. An event's id is a cursor.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getLogs(executionId: string, query: t.ExecutionsGetLogsQuery = {}, options?: CallOptions): ApiPromise<t.ExecutionLogs> {
    return this.callAt({ method: "GET", path: path`/v1/executions/${executionId}/logs`, query }, options);
  }

  /** Read the output of an execution. Live; a connection that breaks is resumed after the last event. */
  streamLogs(executionId: string, query: t.ExecutionsGetLogsQuery = {}, options?: StreamOptions): AsyncGenerator<Exclude<t.ExecutionLogEvent, t.RefusedEvent>, void> {
    return this.streamAt(path`/v1/executions/${executionId}/logs`, query, options, new Set(["line"]));
  }

  /**
   * Cancel an execution.
   *
   * Stops the command with everything that it started. Read the execution to see when it has ended.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  cancel(executionId: string, options?: WriteOptions): ApiPromise<t.Execution> {
    return this.callAt({ method: "POST", path: path`/v1/executions/${executionId}/cancel` }, options);
  }
}

export class GitIntegrations extends Resource {
  /**
   * Create a git integration.
   *
   * `provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`. The token is checked with the provider, stored encrypted, and never shown. It must be able to read repositories and their members.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateGitIntegrationRequest, options?: WriteOptions): ApiPromise<t.GitIntegration> {
    return this.callAt({ method: "POST", path: path`/v1/git-integrations`, body }, options);
  }

  /**
   * List git integrations.
   *
   * Tokens are never shown.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.GitIntegrationsListQuery = {}, options?: CallOptions): Paged<t.GitIntegration, t.GitIntegrationList> {
    return this.listAt(path`/v1/git-integrations`, query, { items: "gitIntegrations", cursor: "cursor" }, options);
  }

  /**
   * Get a git integration.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  get(gitIntegrationId: string, options?: CallOptions): ApiPromise<t.GitIntegration> {
    return this.callAt({ method: "GET", path: path`/v1/git-integrations/${gitIntegrationId}` }, options);
  }

  /** Get a git integration. As it is now, then whenever it has changed. */
  watch(gitIntegrationId: string, options?: WatchOptions): AsyncGenerator<t.GitIntegration, never> {
    return this.watchAt(path`/v1/git-integrations/${gitIntegrationId}`, undefined, options);
  }

  /**
   * Replace the token of a git integration.
   *
   * The new token is first checked with the provider, also on the repositories of the projects that use the integration. Until it is accepted, the old token stays in use. Projects and deployments are not interrupted.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(gitIntegrationId: string, body: t.UpdateGitIntegrationRequest, options?: ChangeOptions): ApiPromise<t.GitIntegration> {
    return this.callAt({ method: "PATCH", path: path`/v1/git-integrations/${gitIntegrationId}`, body }, options);
  }

  /**
   * Delete a git integration.
   *
   * The request is refused while a project reads its repository through the integration.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(gitIntegrationId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/git-integrations/${gitIntegrationId}` }, options);
  }

  /**
   * Check the token of a git integration now.
   *
   * Slipway also checks it daily, and every hour while the check fails. The result is in `tokenStatus` and `lastCheckError`. A git host that does not answer is also an error.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  check(gitIntegrationId: string, options?: WriteOptions): ApiPromise<t.GitIntegration> {
    return this.callAt({ method: "POST", path: path`/v1/git-integrations/${gitIntegrationId}/check` }, options);
  }

  /**
   * List the repositories that a token can read.
   *
   * The git host is asked at each request. Admins see all repositories. Others see public repositories, and private repositories that their login at the git host may read. A page may have fewer than `limit` items although more pages follow. GitHub and GitLab order by creation, the sandbox by name.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  listRepositories(gitIntegrationId: string, query: t.GitIntegrationsListRepositoriesQuery = {}, options?: CallOptions): Paged<t.GitRepository, t.GitRepositoryList> {
    return this.listAt(path`/v1/git-integrations/${gitIntegrationId}/repositories`, query, { items: "repositories", cursor: "cursor" }, options);
  }

  /**
   * Create a hook secret.
   *
   * Pushes deploy environments with `trigger: push` once the git host delivers its push events to `url`, as JSON, signed with `secret`. The secret is shown only once and stored encrypted. A new secret replaces the previous one.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  createHookSecret(gitIntegrationId: string, options?: WriteOptions): ApiPromise<t.HookSecret> {
    return this.callAt({ method: "POST", path: path`/v1/git-integrations/${gitIntegrationId}/hook-secret` }, options);
  }

  /**
   * List the deliveries of a git host.
   *
   * Lists each push and other event of the last 30 days with its outcome, and the reason if it deployed nothing. Of deliveries with a wrong signature or more than 5 MiB, Slipway keeps one per minute, without its contents.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  listDeliveries(gitIntegrationId: string, query: t.GitIntegrationsListDeliveriesQuery = {}, options?: CallOptions): Paged<t.GitHookDelivery, t.GitHookDeliveryList> {
    return this.listAt(path`/v1/git-integrations/${gitIntegrationId}/deliveries`, query, { items: "deliveries", cursor: "cursor" }, options);
  }

  /**
   * List the branches of a repository.
   *
   * As the git host lists them now. Requires access to the repository for the user who makes the request, as creating a project does.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  listBranches(gitIntegrationId: string, query: t.GitIntegrationsListBranchesQuery, options?: CallOptions): ApiPromise<t.GitBranches> {
    return this.callAt({ method: "GET", path: path`/v1/git-integrations/${gitIntegrationId}/branches`, query }, options);
  }

  /**
   * Detect the framework of a repository.
   *
   * Reads the root of a branch, and proposes how it is built and served. A `slipway.json` there is read, too. Nothing is run, and nothing is stored. Requires access to the repository for the user who makes the request, as creating a project does.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  detectFramework(gitIntegrationId: string, query: t.GitIntegrationsDetectFrameworkQuery, options?: CallOptions): ApiPromise<t.FrameworkDetection> {
    return this.callAt({ method: "GET", path: path`/v1/git-integrations/${gitIntegrationId}/detection`, query }, options);
  }
}

export class Jobs extends Resource {
  /**
   * List the jobs of a scheduler.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(serviceId: string, options?: CallOptions): ApiPromise<t.Jobs> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/jobs` }, options);
  }

  /** List the jobs of a scheduler. As it is now, then whenever it has changed. */
  watch(serviceId: string, options?: WatchOptions): AsyncGenerator<t.Jobs, never> {
    return this.watchAt(path`/v1/services/${serviceId}/jobs`, undefined, options);
  }

  /**
   * Run a job now.
   *
   * Starts a job of a scheduler once, in the live release. It starts even if the job runs already. Everyone who sees the project can read the command: never put a secret in it. An environment that requires approvals refuses a `startCommand`.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  run(serviceId: string, jobGivenId: string, body: t.RunJobRequest, options?: WriteOptions): ApiPromise<t.StartedJob> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/job/${jobGivenId}/execution`, body }, options);
  }
}

export class Me extends Resource {
  /**
   * Get your own e-mail settings.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getNotifications(options?: CallOptions): ApiPromise<t.OwnNotifications> {
    return this.callAt({ method: "GET", path: path`/v1/me/notifications` }, options);
  }

  /** Get your own e-mail settings. As it is now, then whenever it has changed. */
  watchNotifications(options?: WatchOptions): AsyncGenerator<t.OwnNotifications, never> {
    return this.watchAt(path`/v1/me/notifications`, undefined, options);
  }

  /**
   * Change your own e-mail settings.
   *
   * Sends messages about events to the address of your account: only about projects that you see, and events that your role reads. Omitted fields stay as they are. A key with scopes or projects cannot change them.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `admin`.
   */
  updateNotifications(body: t.UpdateOwnNotificationsRequest, options?: ChangeOptions): ApiPromise<t.OwnNotifications> {
    return this.callAt({ method: "PATCH", path: path`/v1/me/notifications`, body }, options);
  }

  /**
   * Send a test to your own address.
   *
   * Sends an e-mail to the address of your account, after you enabled it. The result is the mail server's own answer.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `admin`.
   */
  testNotifications(options?: WriteOptions): ApiPromise<t.NotificationTest> {
    return this.callAt({ method: "POST", path: path`/v1/me/notifications/test` }, options);
  }

  /**
   * Get the caller.
   *
   * Returns the user, whose role determines what the request may do; the organization; the key or the session; and what the caller may do in the organization.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(options?: CallOptions): ApiPromise<t.Caller> {
    return this.callAt({ method: "GET", path: path`/v1/me` }, options);
  }

  /** Get the caller. As it is now, then whenever it has changed. */
  watch(options?: WatchOptions): AsyncGenerator<t.Caller, never> {
    return this.watchAt(path`/v1/me`, undefined, options);
  }

  /**
   * Get the caller's permissions in a project or an environment.
   *
   * Returns for each operation whether the caller may call it, and the reason if not. Without a query, the permissions are those in the organization; for operations on projects, the caller's highest role in any project then counts.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPermissions(query: t.MeGetPermissionsQuery = {}, options?: CallOptions): ApiPromise<t.Permissions> {
    return this.callAt({ method: "GET", path: path`/v1/me/permissions`, query }, options);
  }
}

export class NotificationChannels extends Resource {
  /**
   * Create a notification channel.
   *
   * The channel reports events from now on. An organization has at most 50 channels. Send a test to see whether messages arrive.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateNotificationChannelRequest, options?: WriteOptions): ApiPromise<t.NotificationChannel> {
    return this.callAt({ method: "POST", path: path`/v1/notification-channels`, body }, options);
  }

  /**
   * List notification channels.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.NotificationChannelsListQuery = {}, options?: CallOptions): Paged<t.NotificationChannel, t.NotificationChannelList> {
    return this.listAt(path`/v1/notification-channels`, query, { items: "notificationChannels", cursor: "cursor" }, options);
  }

  /**
   * Get a notification channel.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  get(notificationChannelId: string, options?: CallOptions): ApiPromise<t.NotificationChannel> {
    return this.callAt({ method: "GET", path: path`/v1/notification-channels/${notificationChannelId}` }, options);
  }

  /** Get a notification channel. As it is now, then whenever it has changed. */
  watch(notificationChannelId: string, options?: WatchOptions): AsyncGenerator<t.NotificationChannel, never> {
    return this.watchAt(path`/v1/notification-channels/${notificationChannelId}`, undefined, options);
  }

  /**
   * Change a notification channel.
   *
   * Omitted fields stay as they are. The kind cannot change. A new receiver is tried at once, also if the channel is failing.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(notificationChannelId: string, body: t.UpdateNotificationChannelRequest, options?: ChangeOptions): ApiPromise<t.NotificationChannel> {
    return this.callAt({ method: "PATCH", path: path`/v1/notification-channels/${notificationChannelId}`, body }, options);
  }

  /**
   * Delete a notification channel.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(notificationChannelId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/notification-channels/${notificationChannelId}` }, options);
  }

  /**
   * Send a test to a notification channel.
   *
   * Sends a message and waits for the receiver, at most 15 seconds. The result is the receiver's own answer. It counts for the channel's health.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  test(notificationChannelId: string, options?: WriteOptions): ApiPromise<t.NotificationTest> {
    return this.callAt({ method: "POST", path: path`/v1/notification-channels/${notificationChannelId}/test` }, options);
  }
}

export class Organization extends Resource {
  /**
   * Get the organization.
   *
   * Returns its name, and for how long this installation keeps records.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(options?: CallOptions): ApiPromise<t.Organization> {
    return this.callAt({ method: "GET", path: path`/v1/organization` }, options);
  }

  /** Get the organization. As it is now, then whenever it has changed. */
  watch(options?: WatchOptions): AsyncGenerator<t.Organization, never> {
    return this.watchAt(path`/v1/organization`, undefined, options);
  }

  /**
   * Rename the organization.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(body: t.UpdateOrganizationRequest, options?: ChangeOptions): ApiPromise<t.Organization> {
    return this.callAt({ method: "PATCH", path: path`/v1/organization`, body }, options);
  }

  /**
   * Get the branding of the share links.
   *
   * Returns what the organization has set, and in `appearance` how the pages of its share links look.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getBranding(options?: CallOptions): ApiPromise<t.Branding> {
    return this.callAt({ method: "GET", path: path`/v1/organization/branding` }, options);
  }

  /** Get the branding of the share links. As it is now, then whenever it has changed. */
  watchBranding(options?: WatchOptions): AsyncGenerator<t.Branding, never> {
    return this.watchAt(path`/v1/organization/branding`, undefined, options);
  }

  /**
   * Change the branding of the share links.
   *
   * Pages of share links show it from then on. A field that is left out stays as it is; null restores the installation's setting. Text on the colour is white or black, so every colour can be read.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  updateBranding(body: t.UpdateBrandingRequest, options?: ChangeOptions): ApiPromise<t.Branding> {
    return this.callAt({ method: "PATCH", path: path`/v1/organization/branding`, body }, options);
  }
}

export class Overview extends Resource {
  /**
   * List projects with their environments.
   *
   * Each project has the state, addresses and last deployment of its environments, and what needs attention. Of an organization's domains that are not served, the first 5,000 are counted.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listProjects(query: t.OverviewListProjectsQuery = {}, options?: CallOptions): Paged<t.ProjectRow, t.ProjectRowList> {
    return this.listAt(path`/v1/overview/projects`, query, { items: "projects", cursor: "cursor" }, options);
  }

  /**
   * Get a project with its environments.
   *
   * Returns the same fields as the list.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getProject(projectId: string, options?: CallOptions): ApiPromise<t.ProjectRow> {
    return this.callAt({ method: "GET", path: path`/v1/overview/projects/${projectId}` }, options);
  }

  /**
   * List deployments with the names of their project and environments.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDeployments(query: t.OverviewListDeploymentsQuery = {}, options?: CallOptions): Paged<t.DeploymentRow, t.DeploymentRowList> {
    return this.listAt(path`/v1/overview/deployments`, query, { items: "deployments", cursor: "cursor" }, options);
  }

  /**
   * List domains with their service and who must act next.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDomains(query: t.OverviewListDomainsQuery = {}, options?: CallOptions): Paged<t.DomainRow, t.DomainRowList> {
    return this.listAt(path`/v1/overview/domains`, query, { items: "domains", cursor: "cursor" }, options);
  }

  /**
   * Get statistics.
   *
   * Returns the number of domains now and on past days, of certificates by the week of their expiry, and of deployments by day. Requests to services are not included.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getStatistics(query: t.OverviewGetStatisticsQuery = {}, options?: CallOptions): ApiPromise<t.Statistics> {
    return this.callAt({ method: "GET", path: path`/v1/statistics`, query }, options);
  }
}

export class Previews extends Resource {
  /**
   * Create a bypass secret for the previews of a template.
   *
   * Tests open protected previews with it, in the header `x-slipway-bypass`. The secret is shown only once, and Slipway keeps only its digest. A new secret replaces the previous one.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  createBypass(environmentId: string, options?: WriteOptions): ApiPromise<t.PreviewBypass> {
    return this.callAt({ method: "POST", path: path`/v1/environments/${environmentId}/preview-bypass` }, options);
  }

  /**
   * Get the address that lets a browser into a preview.
   *
   * For the console's page to which protected previews send browsers. The address is valid for one minute, in the browser with this state, and gives that browser access for 8 hours.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  open(query: t.PreviewsOpenQuery, options?: CallOptions): ApiPromise<t.PreviewEntry> {
    return this.callAt({ method: "GET", path: path`/v1/previews/entry`, query }, options);
  }

  /**
   * List previews.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.PreviewsListQuery = {}, options?: CallOptions): Paged<t.Preview, t.PreviewList> {
    return this.listAt(path`/v1/previews`, query, { items: "previews", cursor: "cursor" }, options);
  }

  /**
   * List resources of deleted previews that are left in cloud accounts.
   *
   * Resources of previews that are being deleted, until their removal is confirmed. Slipway tries again until they are removed; `reason` says what keeps them, and `waitsFor` who must act.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listOrphans(query: t.PreviewsListOrphansQuery = {}, options?: CallOptions): Paged<t.Orphan, t.OrphanList> {
    return this.listAt(path`/v1/previews/orphans`, query, { items: "orphans", cursor: "cursor" }, options);
  }

  /**
   * Get a preview.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(previewId: string, options?: CallOptions): ApiPromise<t.Preview> {
    return this.callAt({ method: "GET", path: path`/v1/previews/${previewId}` }, options);
  }

  /** Get a preview. As it is now, then whenever it has changed. */
  watch(previewId: string, options?: WatchOptions): AsyncGenerator<t.Preview, never> {
    return this.watchAt(path`/v1/previews/${previewId}`, undefined, options);
  }

  /**
   * Delete a preview.
   *
   * Removes its resources in the cloud account, in the background. The preview of an open pull request stays as `ENDED` until the next commit.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  delete(previewId: string, options?: ChangeOptions): ApiPromise<t.Preview> {
    return this.callAt({ method: "DELETE", path: path`/v1/previews/${previewId}` }, options);
  }

  /**
   * Get the last read of a project's pull requests.
   *
   * Says why previews do not follow their pull requests, if they do not.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPullRequestRead(projectId: string, options?: CallOptions): ApiPromise<t.PullRequestRead> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/pull-requests` }, options);
  }

  /** Get the last read of a project's pull requests. As it is now, then whenever it has changed. */
  watchPullRequestRead(projectId: string, options?: WatchOptions): AsyncGenerator<t.PullRequestRead, never> {
    return this.watchAt(path`/v1/projects/${projectId}/pull-requests`, undefined, options);
  }

  /**
   * List the domains of a project's previews.
   *
   * Of templates with `source.previews.domain`. All previews of a template share one distribution, and one certificate for the wildcard below the domain.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDomains(projectId: string, options?: CallOptions): ApiPromise<t.PreviewDomains> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/preview-domains` }, options);
  }

  /** List the domains of a project's previews. As it is now, then whenever it has changed. */
  watchDomains(projectId: string, options?: WatchOptions): AsyncGenerator<t.PreviewDomains, never> {
    return this.watchAt(path`/v1/projects/${projectId}/preview-domains`, undefined, options);
  }

  /**
   * Approve a commit of another repository.
   *
   * Deploys this commit of a pull request from another repository. The next commit needs another approval. Such a preview gets no secret.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  approve(previewId: string, body: t.ApprovePreviewRequest, options?: WriteOptions): ApiPromise<t.Preview> {
    return this.callAt({ method: "POST", path: path`/v1/previews/${previewId}/approve`, body }, options);
  }

  /**
   * Get a preview by its key.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getByKey(projectId: string, previewKey: string, options?: CallOptions): ApiPromise<t.Preview> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/previews/${previewKey}` }, options);
  }

  /** Get a preview by its key. As it is now, then whenever it has changed. */
  watchByKey(projectId: string, previewKey: string, options?: WatchOptions): AsyncGenerator<t.Preview, never> {
    return this.watchAt(path`/v1/projects/${projectId}/previews/${previewKey}`, undefined, options);
  }

  /**
   * Create or move a preview.
   *
   * For git hosts and CI systems that Slipway cannot read pull requests from. The preview shows the branch's newest commit, or the given one, until `expiresAt`. A repeated request with another commit deploys that one.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  put(projectId: string, previewKey: string, body: t.PutPreviewRequest, options?: ChangeOptions): ApiPromise<t.Preview> {
    return this.callAt({ method: "PUT", path: path`/v1/projects/${projectId}/previews/${previewKey}`, body }, options);
  }
}

export class Projects extends Resource {
  /**
   * Propose a configuration for a flightcontrol.json.
   *
   * Takes the text of a flightcontrol.json, and returns a proposed configuration and what becomes of each field. Nothing is stored. Values that look like secrets are in no part of the response.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  importConfiguration(body: t.ImportConfigurationRequest, options?: WriteOptions): ApiPromise<t.FlightcontrolImport> {
    return this.callAt({ method: "POST", path: path`/v1/configurations/import`, body }, options);
  }

  /**
   * Create a project.
   *
   * Creates its environments and services from the configuration. Requires a connected cloud account, a git integration that can read the repository, and access to the repository for the user who makes the request.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateProjectRequest, options?: WriteOptions): ApiPromise<t.Project> {
    return this.callAt({ method: "POST", path: path`/v1/projects`, body }, options);
  }

  /**
   * List projects.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.ProjectsListQuery = {}, options?: CallOptions): Paged<t.Project, t.ProjectList> {
    return this.listAt(path`/v1/projects`, query, { items: "projects", cursor: "cursor" }, options);
  }

  /**
   * Change a project.
   *
   * Omitted fields stay as they are. A new `config` is applied at once: environments and services are created and removed (in the cloud, in the background), and running services get changed settings with their next deployment. With `iac`, environments and services change with the next deployments. The repository may move within its provider and host; access is checked as for a new project. The request is refused while a deployment is running, unless it changes only `name`, and if the configuration cannot be applied. `POST …/plan` with the same body shows this in advance.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  update(projectId: string, body: t.ProjectChange, options?: ChangeOptions): ApiPromise<t.Project> {
    return this.callAt({ method: "PATCH", path: path`/v1/projects/${projectId}`, body }, options);
  }

  /**
   * Delete a project.
   *
   * Its environments, services, variables and deployments are deleted at once. Its resources in the cloud account are removed in the background; until then the project is `DELETING`, afterwards a read returns 404. A project without such resources is deleted at once (204). The request is refused while a service has domain certificate groups, and while the account does not work. In the second case, `leftInAccount` lists what would stay.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  delete(projectId: string, options?: ChangeOptions): ApiPromise<t.Project | undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/projects/${projectId}` }, options);
  }

  /**
   * Get a project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(projectId: string, options?: CallOptions): ApiPromise<t.Project> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}` }, options);
  }

  /** Get a project. As it is now, then whenever it has changed. */
  watch(projectId: string, options?: WatchOptions): AsyncGenerator<t.Project, never> {
    return this.watchAt(path`/v1/projects/${projectId}`, undefined, options);
  }

  /**
   * Plan a change of a project.
   *
   * Takes the body of PATCH and changes nothing. The response shows what PATCH would change, and every reason why it would be refused. With an empty body, it compares the project with its current configuration.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  plan(projectId: string, body: t.ProjectChange, options?: WriteOptions): ApiPromise<t.ProjectPlan> {
    return this.callAt({ method: "POST", path: path`/v1/projects/${projectId}/plan`, body }, options);
  }

  /**
   * Delete a project whose cloud account is lost.
   *
   * Use this if the account is `DISCONNECTED` or lacks permissions, so that a normal deletion cannot finish. The project is deleted at once with its domain certificate groups and everything else, and the response lists what stays in the account.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  abandon(projectId: string, options?: WriteOptions): ApiPromise<t.AbandonedProject> {
    return this.callAt({ method: "POST", path: path`/v1/projects/${projectId}/abandon` }, options);
  }

  /**
   * List the members of a project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listMembers(projectId: string, query: t.ProjectsListMembersQuery = {}, options?: CallOptions): Paged<t.ProjectMember, t.ProjectMemberList> {
    return this.listAt(path`/v1/projects/${projectId}/members`, query, { items: "projectMembers", cursor: "cursor" }, options);
  }

  /**
   * Get a member of a project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getMember(projectId: string, userId: string, options?: CallOptions): ApiPromise<t.ProjectMember> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/members/${userId}` }, options);
  }

  /** Get a member of a project. As it is now, then whenever it has changed. */
  watchMember(projectId: string, userId: string, options?: WatchOptions): AsyncGenerator<t.ProjectMember, never> {
    return this.watchAt(path`/v1/projects/${projectId}/members/${userId}`, undefined, options);
  }

  /**
   * Add a member to a project, or change the member's role.
   *
   * Sets the user's role in the project, within 5 s. In a project with the access `organization`, this role counts if it is higher than the user's role in the organization. In a project with the access `members`, it is the user's role.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  setMember(projectId: string, userId: string, body: t.SetProjectMemberRequest, options?: ChangeOptions): ApiPromise<t.ProjectMember> {
    return this.callAt({ method: "PUT", path: path`/v1/projects/${projectId}/members/${userId}`, body }, options);
  }

  /**
   * Remove a member from a project.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  removeMember(projectId: string, userId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/projects/${projectId}/members/${userId}` }, options);
  }

  /**
   * Set the access to a project.
   *
   * The change takes effect within 5 s.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  setAccess(projectId: string, body: t.SetProjectAccessRequest, options?: ChangeOptions): ApiPromise<t.Project> {
    return this.callAt({ method: "PUT", path: path`/v1/projects/${projectId}/access`, body }, options);
  }

  /**
   * List the DNS records that a project's domains need.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDnsRecords(projectId: string, query: t.ProjectsListDnsRecordsQuery = {}, options?: CallOptions): Paged<t.ListedDnsRecord, t.ListedDnsRecordList> {
    return this.listAt(path`/v1/projects/${projectId}/dns-records`, query, { items: "dnsRecords", cursor: "cursor" }, options);
  }

  /**
   * List the branches of a project's repository.
   *
   * The git host is asked at each request. If it cannot be asked, the response is 200 with no branches, and `problem` says why.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listBranches(projectId: string, query: t.ProjectsListBranchesQuery = {}, options?: CallOptions): ApiPromise<t.ProjectBranches> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/branches`, query }, options);
  }

  /**
   * List the recent commits of a branch.
   *
   * At most 20 commits, the newest first. The git host is asked at each request. If it cannot be asked, or has no such branch, the response is 200 with no commits, and `problem` says why.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listCommits(projectId: string, query: t.ProjectsListCommitsQuery, options?: CallOptions): ApiPromise<t.ProjectCommits> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/commits`, query }, options);
  }

  /**
   * List the data stores that are being deleted.
   *
   * Lists the removed data stores of a project, at most 100, with why they cannot be deleted, until nothing of them is left in the cloud account except their snapshots.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listDataStoreDeletions(projectId: string, options?: CallOptions): ApiPromise<t.DataStoreDeletionList> {
    return this.callAt({ method: "GET", path: path`/v1/projects/${projectId}/data-store-deletions` }, options);
  }

  /** List the data stores that are being deleted. As it is now, then whenever it has changed. */
  watchDataStoreDeletions(projectId: string, options?: WatchOptions): AsyncGenerator<t.DataStoreDeletionList, never> {
    return this.watchAt(path`/v1/projects/${projectId}/data-store-deletions`, undefined, options);
  }
}

export class Search extends Resource {
  /**
   * Search all resources.
   *
   * Finds projects, environments, services, domains, domain groups, deployments and accounts by their id or the beginning of their name, in upper or lower case. The newest 2,000 of each kind are also found by any part of their name. A domain is also found by a parent domain or a URL; a deployment by the first digits of its commit, and one of the newest 500 by a part of its message; an account by its number at the provider or its `givenId`.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  find(query: t.SearchFindQuery, options?: CallOptions): ApiPromise<t.SearchResult> {
    return this.callAt({ method: "GET", path: path`/v1/search`, query }, options);
  }
}

export class Services extends Resource {
  /**
   * List services.
   *
   * Lists the services of all projects that the caller may see.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listAll(query: t.ServicesListAllQuery = {}, options?: CallOptions): Paged<t.Service, t.ServiceList> {
    return this.listAt(path`/v1/services`, query, { items: "services", cursor: "cursor" }, options);
  }

  /**
   * List the services of an environment.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(environmentId: string, query: t.ServicesListQuery = {}, options?: CallOptions): Paged<t.Service, t.ServiceList> {
    return this.listAt(path`/v1/environments/${environmentId}/services`, query, { items: "services", cursor: "cursor" }, options);
  }

  /**
   * List the services of a project.
   *
   * Lists the services of all its environments.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listOfProject(projectId: string, query: t.ServicesListOfProjectQuery = {}, options?: CallOptions): Paged<t.Service, t.ServiceList> {
    return this.listAt(path`/v1/projects/${projectId}/services`, query, { items: "services", cursor: "cursor" }, options);
  }

  /**
   * Get a service.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(serviceId: string, options?: CallOptions): ApiPromise<t.Service> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}` }, options);
  }

  /** Get a service. As it is now, then whenever it has changed. */
  watch(serviceId: string, options?: WatchOptions): AsyncGenerator<t.Service, never> {
    return this.watchAt(path`/v1/services/${serviceId}`, undefined, options);
  }

  /**
   * Restart a service.
   *
   * Creates a deployment that starts the release that a web or worker service runs again, with the present variables and without a build. The new processes replace the old ones when they are healthy. A variable that the build reads changes nothing until the next deployment of a commit.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  restart(serviceId: string, options?: WriteOptions): ApiPromise<t.Deployment> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/restart` }, options);
  }

  /**
   * Read the logs of a service.
   *
   * Returns the output of its live release, read from the cloud. The cloud keeps only the end of a long output. Values of managed variables are hidden if the platform supports it. With `Accept: text/event-stream` the output is streamed live: an event `release` first and whenever another release goes live, and an event `line` for each line. The stream ends when the client closes it, or with `refused` when the key may no longer read it. An event's id is a cursor.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getLogs(serviceId: string, query: t.ServicesGetLogsQuery = {}, options?: CallOptions): ApiPromise<t.ServiceLogs> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/logs`, query }, options);
  }

  /** Read the logs of a service. Live; a connection that breaks is resumed after the last event. */
  streamLogs(serviceId: string, query: t.ServicesGetLogsQuery = {}, options?: StreamOptions): AsyncGenerator<Exclude<t.ServiceLogEvent, t.RefusedEvent>, void> {
    return this.streamAt(path`/v1/services/${serviceId}/logs`, query, options, new Set(["line"]));
  }

  /**
   * Get a service with its environment and project.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getPlace(serviceId: string, options?: CallOptions): ApiPromise<t.Place> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/place` }, options);
  }

  /** Get a service with its environment and project. As it is now, then whenever it has changed. */
  watchPlace(serviceId: string, options?: WatchOptions): AsyncGenerator<t.Place, never> {
    return this.watchAt(path`/v1/services/${serviceId}/place`, undefined, options);
  }

  /**
   * Get the health of a service.
   *
   * Returns the service's addresses, its live release, and its health as the platform reports it now. The platform is asked at each request.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getHealth(serviceId: string, options?: CallOptions): ApiPromise<t.ServiceHealth> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/health` }, options);
  }

  /**
   * Get the traffic of a service.
   *
   * Returns how many requests the service's distributions answered, and how many of them with an error, as the cloud counted them. The cloud is asked at each request.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getTraffic(serviceId: string, query: t.ServicesGetTrafficQuery = {}, options?: CallOptions): ApiPromise<t.ServiceTraffic> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/traffic`, query }, options);
  }

  /**
   * Get the instances of a service.
   *
   * Returns how many instances of a web or worker service run, as its cloud reports it now. The cloud is asked at each request. The sandbox and own servers run one instance of each service.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getInstances(serviceId: string, options?: CallOptions): ApiPromise<t.ServiceInstances> {
    return this.callAt({ method: "GET", path: path`/v1/services/${serviceId}/scaling` }, options);
  }

  /**
   * Change the number of instances of a service.
   *
   * Sets the number of instances of a web or worker service, or adds or removes some, between `minInstances` and `maxInstances` of its live release. The cloud starts and stops them in the background. Later releases keep the number; with autoscaling, the cloud continues to change it. Only on AWS.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  scale(serviceId: string, body: t.ScaleServiceRequest, options?: WriteOptions): ApiPromise<t.ServiceScaling> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/scaling`, body }, options);
  }

  /**
   * Remove responses of a service from caches.
   *
   * Removes responses from the caches of all distributions of the service. Slipway's distributions cache nothing until you set another cache policy in CloudFront. The edges of the sandbox and of own servers never cache: there, the invalidation is complete at once.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  invalidate(serviceId: string, body: t.InvalidateServiceRequest, options?: WriteOptions): ApiPromise<t.StartedInvalidation> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/cloudfront/invalidation`, body }, options);
  }

  /**
   * Get an invalidation.
   *
   * Slipway keeps invalidations for 30 days.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getInvalidation(invalidationId: string, options?: CallOptions): ApiPromise<t.Invalidation> {
    return this.callAt({ method: "GET", path: path`/v1/cloudfront/invalidation/${invalidationId}` }, options);
  }

  /** Get an invalidation. As it is now, then whenever it has changed. */
  watchInvalidation(invalidationId: string, options?: WatchOptions): AsyncGenerator<t.Invalidation, never> {
    return this.watchAt(path`/v1/cloudfront/invalidation/${invalidationId}`, undefined, options);
  }
}

export class Sessions extends Resource {
  /**
   * Sign in with an API key.
   *
   * Sets the session's cookie: `__Host-slipway` over HTTPS, otherwise `slipway`. The session has the role of the key's user and the scopes of the key, and ends with the key. Its requests need the cookie and, in the header `slipway-page-key`, the `pageKey` of this response.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  create(options?: WriteOptions): ApiPromise<t.NewSession> {
    return this.callAt({ method: "POST", path: path`/v1/sessions` }, options);
  }

  /**
   * List sessions.
   *
   * Lists your own sessions. An admin can also list those of other users.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.SessionsListQuery = {}, options?: CallOptions): Paged<t.Session, t.SessionList> {
    return this.listAt(path`/v1/sessions`, query, { items: "sessions", cursor: "cursor" }, options);
  }

  /**
   * Get a session.
   *
   * `current` is the session of the request.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(sessionId: string, options?: CallOptions): ApiPromise<t.Session> {
    return this.callAt({ method: "GET", path: path`/v1/sessions/${sessionId}` }, options);
  }

  /** Get a session. As it is now, then whenever it has changed. */
  watch(sessionId: string, options?: WatchOptions): AsyncGenerator<t.Session, never> {
    return this.watchAt(path`/v1/sessions/${sessionId}`, undefined, options);
  }

  /**
   * End a session.
   *
   * The session stops working everywhere within 5 s. `current` is the session of the request: ending it signs out and removes the cookie. An admin may end the sessions of any user. A key with limits, and a session of such a key, can only end sessions of the same key.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  delete(sessionId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/sessions/${sessionId}` }, options);
  }
}

export class SignIn extends Resource {
  /**
   * List the identity providers to sign in at.
   *
   * Requires no API key. The list is empty if no provider is configured.
   */
  listProviders(options?: CallOptions): ApiPromise<t.SignInProviders> {
    return this.callAt({ method: "GET", path: path`/auth/oidc` }, options);
  }
}

export class Snapshots extends Resource {
  /**
   * Take a snapshot of a data store.
   *
   * Copies the data of a database or a cache that Slipway created, in the background. Read the snapshot with `Prefer: wait`. While the data store is being created, the snapshot waits. The sandbox stops its database while it copies the data.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `deploy`.
   */
  create(serviceId: string, options?: WriteOptions): ApiPromise<t.Snapshot> {
    return this.callAt({ method: "POST", path: path`/v1/services/${serviceId}/snapshots` }, options);
  }

  /**
   * List the snapshots of a data store.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(serviceId: string, query: t.SnapshotsListQuery = {}, options?: CallOptions): Paged<t.Snapshot, t.SnapshotList> {
    return this.listAt(path`/v1/services/${serviceId}/snapshots`, query, { items: "snapshots", cursor: "cursor" }, options);
  }

  /**
   * List snapshots.
   *
   * Lists the snapshots of all projects that the caller may see, with the last ones of deleted data stores. Those of deleted projects are shown to admins of the organization.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listAll(query: t.SnapshotsListAllQuery = {}, options?: CallOptions): Paged<t.Snapshot, t.SnapshotList> {
    return this.listAt(path`/v1/snapshots`, query, { items: "snapshots", cursor: "cursor" }, options);
  }

  /**
   * Get a snapshot.
   *
   * A snapshot stays when its data store, environment and project are deleted, until a user deletes it or the connection to its cloud account is deleted. The connection leaves it in the account.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(snapshotId: string, options?: CallOptions): ApiPromise<t.Snapshot> {
    return this.callAt({ method: "GET", path: path`/v1/snapshots/${snapshotId}` }, options);
  }

  /** Get a snapshot. As it is now, then whenever it has changed. */
  watch(snapshotId: string, options?: WatchOptions): AsyncGenerator<t.Snapshot, never> {
    return this.watchAt(path`/v1/snapshots/${snapshotId}`, undefined, options);
  }

  /**
   * Delete a snapshot.
   *
   * Deletes its data in the cloud account, in the background; until then it is `DELETING`. The request is refused while the snapshot is being taken, and while a data store is being created from it.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `admin`.
   */
  delete(snapshotId: string, options?: ChangeOptions): ApiPromise<t.Snapshot> {
    return this.callAt({ method: "DELETE", path: path`/v1/snapshots/${snapshotId}` }, options);
  }
}

export class System extends Resource {
  /**
   * Check that the process is alive.
   *
   * Does not use the database. Requires no API key.
   */
  getHealth(options?: CallOptions): ApiPromise<t.Health> {
    return this.callAt({ method: "GET", path: path`/healthz` }, options);
  }

  /**
   * Check that requests can be served.
   *
   * Returns 503 while the database does not answer or the process is stopping. Responds within 2 s. Requires no API key.
   */
  getReadiness(options?: CallOptions): ApiPromise<t.Readiness> {
    return this.callAt({ method: "GET", path: path`/readyz` }, options);
  }
}

export class Users extends Resource {
  /**
   * Create a user.
   *
   * A `person` needs an `email`. A `service` account is a program: it needs a `name`, has no address, and does not sign in.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateUserRequest, options?: WriteOptions): ApiPromise<t.User> {
    return this.callAt({ method: "POST", path: path`/v1/users`, body }, options);
  }

  /**
   * List users.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(query: t.UsersListQuery = {}, options?: CallOptions): Paged<t.User, t.UserList> {
    return this.listAt(path`/v1/users`, query, { items: "users", cursor: "cursor" }, options);
  }

  /**
   * Get a user.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(userId: string, options?: CallOptions): ApiPromise<t.User> {
    return this.callAt({ method: "GET", path: path`/v1/users/${userId}` }, options);
  }

  /** Get a user. As it is now, then whenever it has changed. */
  watch(userId: string, options?: WatchOptions): AsyncGenerator<t.User, never> {
    return this.watchAt(path`/v1/users/${userId}`, undefined, options);
  }

  /**
   * Change a user.
   *
   * A changed role takes effect within 5 s. The organization keeps at least one admin.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(userId: string, body: t.UpdateUserRequest, options?: ChangeOptions): ApiPromise<t.User> {
    return this.callAt({ method: "PATCH", path: path`/v1/users/${userId}`, body }, options);
  }

  /**
   * Delete a user and its API keys.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(userId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/users/${userId}` }, options);
  }

  /**
   * Get the invitation of a user.
   *
   * Returns the text to copy if you send it yourself, and whether Slipway's last e-mail to the user was accepted. Slipway keeps invitations for 30 days.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  getInvitation(userId: string, options?: CallOptions): ApiPromise<t.UserInvitation> {
    return this.callAt({ method: "GET", path: path`/v1/users/${userId}/invitation` }, options);
  }

  /** Get the invitation of a user. As it is now, then whenever it has changed. */
  watchInvitation(userId: string, options?: WatchOptions): AsyncGenerator<t.UserInvitation, never> {
    return this.watchAt(path`/v1/users/${userId}/invitation`, undefined, options);
  }

  /**
   * Invite a user by e-mail.
   *
   * Sends the user an e-mail that says who invites to which organization, and how to sign in. It has no secret. If an invitation is pending, it is sent again at once. In 24 hours, one address gets at most 3 invitations, and an organization sends at most 100.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  invite(userId: string, options?: WriteOptions): ApiPromise<t.UserInvitation> {
    return this.callAt({ method: "POST", path: path`/v1/users/${userId}/invitation` }, options);
  }
}

export class Variables extends Resource {
  /**
   * Set variables of an environment.
   *
   * Other variables stay as they are, unless `delete` names them. Both happen in one transaction. Values of `parameterStore` and `secretsManager` are stored in the cloud account in the background; follow the run at `Location`. For each name, the newest accepted request wins.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `variables`.
   */
  set(owner: { readonly environmentId: string } | { readonly serviceId: string }, body: t.SetEnvVariablesRequest, options?: WriteOptions & { readonly query?: t.VariablesSetQuery | undefined }): ApiPromise<t.EnvVariablesSaved | t.EnvVariablesProcessing> {
    return this.callAt({ method: "POST", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables` : path`/v1/services/${owner.serviceId}/env-variables`, query: options?.query, body }, options);
  }

  /**
   * Replace all variables of an environment.
   *
   * Sets variables as the POST does, and deletes all others that were set with the API, in one transaction. Managed values that are deleted are removed from the cloud account in the background; to keep one, send its value again. Variables of the configuration stay. `If-Match` takes the ETag of the list without parameters.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `variables`.
   */
  replace(owner: { readonly environmentId: string } | { readonly serviceId: string }, body: t.ReplaceEnvVariablesRequest, options?: ChangeOptions & { readonly query?: t.VariablesReplaceQuery | undefined }): ApiPromise<t.EnvVariablesReplaced | t.EnvVariablesReplacing> {
    return this.callAt({ method: "PUT", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables` : path`/v1/services/${owner.serviceId}/env-variables`, query: options?.query, body }, options);
  }

  /**
   * Delete several variables of an environment.
   *
   * Deletes all of them in one transaction, or none if a name is unknown. Each is deleted as by the DELETE of a single variable. `If-Match` takes the ETag of the list without parameters.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `variables`.
   */
  deleteMany(owner: { readonly environmentId: string } | { readonly serviceId: string }, query: t.VariablesDeleteManyQuery, options?: ChangeOptions): ApiPromise<t.EnvVariablesDeleted> {
    return this.callAt({ method: "DELETE", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables` : path`/v1/services/${owner.serviceId}/env-variables`, query }, options);
  }

  /**
   * List variables of an environment.
   *
   * The list is ordered by name. Managed values are never shown. The ETag changes with every variable of the scope, also with those of other pages.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  list(owner: { readonly environmentId: string } | { readonly serviceId: string }, query: t.VariablesListQuery = {}, options?: CallOptions): Paged<t.EnvVariable, t.EnvVariableList> {
    return this.listAt("environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables` : path`/v1/services/${owner.serviceId}/env-variables`, query, { items: "envVariables", cursor: "cursor" }, options);
  }

  /**
   * Get the status of a run that sets variables of an environment.
   *
   * Runs are kept for 30 days.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  getRun(owner: { readonly environmentId: string } | { readonly serviceId: string }, query: t.VariablesGetRunQuery, options?: CallOptions): ApiPromise<t.EnvVariablesRun> {
    return this.callAt({ method: "GET", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/status` : path`/v1/services/${owner.serviceId}/env-variables/status`, query }, options);
  }

  /** Get the status of a run that sets variables of an environment. As it is now, then whenever it has changed. */
  watchRun(owner: { readonly environmentId: string } | { readonly serviceId: string }, query: t.VariablesGetRunQuery, options?: WatchOptions): AsyncGenerator<t.EnvVariablesRun, never> {
    return this.watchAt("environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/status` : path`/v1/services/${owner.serviceId}/env-variables/status`, query, options);
  }

  /**
   * Get a variable of an environment.
   *
   * Returns only variables that were set with the API. The paths `status` and `effective` are other endpoints, so variables with these names are only in the list.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  get(owner: { readonly environmentId: string } | { readonly serviceId: string }, name: string, options?: CallOptions): ApiPromise<t.EnvVariable> {
    return this.callAt({ method: "GET", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/${name}` : path`/v1/services/${owner.serviceId}/env-variables/${name}` }, options);
  }

  /** Get a variable of an environment. As it is now, then whenever it has changed. */
  watch(owner: { readonly environmentId: string } | { readonly serviceId: string }, name: string, options?: WatchOptions): AsyncGenerator<t.EnvVariable, never> {
    return this.watchAt("environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/${name}` : path`/v1/services/${owner.serviceId}/env-variables/${name}`, undefined, options);
  }

  /**
   * Delete a variable of an environment.
   *
   * Returns 202 if its value has to be removed from the cloud account; the list shows the variable as `REMOVING` until then. Delete variables of the configuration in the configuration.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `variables`.
   */
  delete(owner: { readonly environmentId: string } | { readonly serviceId: string }, name: string, options?: ChangeOptions): ApiPromise<t.EnvVariable | undefined> {
    return this.callAt({ method: "DELETE", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/${name}` : path`/v1/services/${owner.serviceId}/env-variables/${name}` }, options);
  }

  /**
   * List the effective variables of a service.
   *
   * Lists the variables that the service gets at runtime, ordered by name. A service's variables take precedence over its environment's, and variables set with the API over those of the configuration.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listEffective(serviceId: string, query: t.VariablesListEffectiveQuery = {}, options?: CallOptions): Paged<t.EffectiveEnvVariable, t.EffectiveEnvVariableList> {
    return this.listAt(path`/v1/services/${serviceId}/env-variables/effective`, query, { items: "envVariables", cursor: "cursor" }, options);
  }

  /**
   * List the versions of a variable of an environment.
   *
   * The versions are listed in the order in which they took effect; the last one is in effect. Plain values and references are shown, values of managed variables are not. A deleted variable keeps its versions. A replaced version is kept for as many days as audit entries.
   *
   * Requires the role `viewer`. A key with scopes also needs the scope `read`.
   */
  listVersions(owner: { readonly environmentId: string } | { readonly serviceId: string }, name: string, query: t.VariablesListVersionsQuery = {}, options?: CallOptions): Paged<t.EnvVariableVersion, t.EnvVariableVersionList> {
    return this.listAt("environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/${name}/history` : path`/v1/services/${owner.serviceId}/env-variables/${name}/history`, query, { items: "versions", cursor: "cursor" }, options);
  }

  /**
   * Restore an earlier version of a variable of an environment.
   *
   * Sets the variable to its earlier setting: a plain value, a reference or a link. A managed value is refused, because Slipway does not keep it.
   *
   * Requires the role `developer`. A key with scopes also needs the scope `variables`.
   */
  restore(owner: { readonly environmentId: string } | { readonly serviceId: string }, name: string, body: t.RestoreEnvVariableRequest, options?: WriteOptions): ApiPromise<t.EnvVariable> {
    return this.callAt({ method: "POST", path: "environmentId" in owner ? path`/v1/environments/${owner.environmentId}/env-variables/${name}/restore` : path`/v1/services/${owner.serviceId}/env-variables/${name}/restore`, body }, options);
  }
}

export class WebhookEndpoints extends Resource {
  /**
   * Create a webhook endpoint.
   *
   * The endpoint receives events from now on. `secret` signs them and is shown only once. An organization has at most 50 endpoints.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateWebhookEndpointRequest, options?: WriteOptions): ApiPromise<t.NewWebhookEndpoint> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints`, body }, options);
  }

  /**
   * List webhook endpoints.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.WebhookEndpointsListQuery = {}, options?: CallOptions): Paged<t.WebhookEndpoint, t.WebhookEndpointList> {
    return this.listAt(path`/v1/webhook-endpoints`, query, { items: "webhookEndpoints", cursor: "cursor" }, options);
  }

  /**
   * Get a webhook endpoint.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  get(webhookEndpointId: string, options?: CallOptions): ApiPromise<t.WebhookEndpoint> {
    return this.callAt({ method: "GET", path: path`/v1/webhook-endpoints/${webhookEndpointId}` }, options);
  }

  /** Get a webhook endpoint. As it is now, then whenever it has changed. */
  watch(webhookEndpointId: string, options?: WatchOptions): AsyncGenerator<t.WebhookEndpoint, never> {
    return this.watchAt(path`/v1/webhook-endpoints/${webhookEndpointId}`, undefined, options);
  }

  /**
   * Change a webhook endpoint.
   *
   * Omitted fields stay as they are. A new URL or new headers are tried at once, also if the endpoint is failing.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  update(webhookEndpointId: string, body: t.UpdateWebhookEndpointRequest, options?: ChangeOptions): ApiPromise<t.WebhookEndpoint> {
    return this.callAt({ method: "PATCH", path: path`/v1/webhook-endpoints/${webhookEndpointId}`, body }, options);
  }

  /**
   * Delete a webhook endpoint.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(webhookEndpointId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/webhook-endpoints/${webhookEndpointId}` }, options);
  }

  /**
   * Enable a webhook endpoint.
   *
   * The endpoint receives the events since it was disabled, unless `from` is `now`.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  enable(webhookEndpointId: string, body: t.EnableWebhookEndpointRequest, options?: WriteOptions): ApiPromise<t.WebhookEndpoint> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/enable`, body }, options);
  }

  /**
   * Disable a webhook endpoint.
   *
   * The endpoint receives nothing until it is enabled. Deliveries in progress may still arrive.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  disable(webhookEndpointId: string, options?: WriteOptions): ApiPromise<t.WebhookEndpoint> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/disable` }, options);
  }

  /**
   * Replace the secret of a webhook endpoint.
   *
   * Both secrets sign until the overlap ends, so that the receiver can change to the new one. The new secret is shown only once.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  rotateSecret(webhookEndpointId: string, body: t.RotateWebhookSecretRequest, options?: WriteOptions): ApiPromise<t.WebhookSecret> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/rotate-secret`, body }, options);
  }

  /**
   * Revoke the previous secret of a webhook endpoint.
   *
   * The previous secret no longer signs.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  revokePreviousSecret(webhookEndpointId: string, options?: WriteOptions): ApiPromise<t.WebhookEndpoint> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/revoke-previous-secret` }, options);
  }

  /**
   * Send a ping to a webhook endpoint.
   *
   * The event `webhook_endpoint.ping` is sent once, regardless of the endpoint's filter. The delivery shows the result.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  ping(webhookEndpointId: string, options?: WriteOptions): ApiPromise<t.WebhookDelivery> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/ping` }, options);
  }

  /**
   * List the deliveries of a webhook endpoint.
   *
   * Deliveries are kept for 30 days. Events that have not been sent yet are not listed.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  listDeliveries(webhookEndpointId: string, query: t.WebhookEndpointsListDeliveriesQuery = {}, options?: CallOptions): Paged<t.WebhookDelivery, t.WebhookDeliveryList> {
    return this.listAt(path`/v1/webhook-endpoints/${webhookEndpointId}/deliveries`, query, { items: "deliveries", cursor: "cursor" }, options);
  }

  /**
   * Get a delivery with the log of its attempts.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  getDelivery(webhookEndpointId: string, deliveryId: string, options?: CallOptions): ApiPromise<t.WebhookDeliveryWithLog> {
    return this.callAt({ method: "GET", path: path`/v1/webhook-endpoints/${webhookEndpointId}/deliveries/${deliveryId}` }, options);
  }

  /** Get a delivery with the log of its attempts. As it is now, then whenever it has changed. */
  watchDelivery(webhookEndpointId: string, deliveryId: string, options?: WatchOptions): AsyncGenerator<t.WebhookDeliveryWithLog, never> {
    return this.watchAt(path`/v1/webhook-endpoints/${webhookEndpointId}/deliveries/${deliveryId}`, undefined, options);
  }

  /**
   * Send a delivery again.
   *
   * A finished delivery is sent once more, and a delivery that waits for its next attempt is sent now. The `webhook-id` stays the same.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  redeliver(webhookEndpointId: string, deliveryId: string, options?: WriteOptions): ApiPromise<t.WebhookDelivery> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/deliveries/${deliveryId}/redeliver` }, options);
  }

  /**
   * Send events again.
   *
   * Sends events that match the endpoint's filter again, in their order and with the same `webhook-id`. New events are sent at the same time. An endpoint has one replay at a time.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  replay(webhookEndpointId: string, body: t.ReplayWebhooksRequest, options?: WriteOptions): ApiPromise<t.WebhookReplay> {
    return this.callAt({ method: "POST", path: path`/v1/webhook-endpoints/${webhookEndpointId}/replay`, body }, options);
  }
}

export class WorkloadTrusts extends Resource {
  /**
   * Create a workload trust.
   *
   * Lets CI jobs deploy without a key. A trust cannot be changed: create a new one, and delete the old one.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  create(body: t.CreateWorkloadTrustRequest, options?: WriteOptions): ApiPromise<t.WorkloadTrust> {
    return this.callAt({ method: "POST", path: path`/v1/workload-trusts`, body }, options);
  }

  /**
   * List workload trusts.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  list(query: t.WorkloadTrustsListQuery = {}, options?: CallOptions): Paged<t.WorkloadTrust, t.WorkloadTrustList> {
    return this.listAt(path`/v1/workload-trusts`, query, { items: "workloadTrusts", cursor: "cursor" }, options);
  }

  /**
   * Get a workload trust.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  get(workloadTrustId: string, options?: CallOptions): ApiPromise<t.WorkloadTrust> {
    return this.callAt({ method: "GET", path: path`/v1/workload-trusts/${workloadTrustId}` }, options);
  }

  /** Get a workload trust. As it is now, then whenever it has changed. */
  watch(workloadTrustId: string, options?: WatchOptions): AsyncGenerator<t.WorkloadTrust, never> {
    return this.watchAt(path`/v1/workload-trusts/${workloadTrustId}`, undefined, options);
  }

  /**
   * Delete a workload trust.
   *
   * Its tokens stop working everywhere within 5 s.
   *
   * Requires the role `admin`. A key with scopes also needs the scope `admin`.
   */
  delete(workloadTrustId: string, options?: ChangeOptions): ApiPromise<undefined> {
    return this.callAt({ method: "DELETE", path: path`/v1/workload-trusts/${workloadTrustId}` }, options);
  }
}
