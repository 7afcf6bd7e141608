// Made by `npm run sdk` from the OpenAPI document. Do not change it by hand.
/** The resources that an abandoned cloud account connection left behind. */
export type AbandonedAwsAccount = {
  /** Id of the deleted connection. */
  readonly id: string;
  readonly leftInAccount: LeftInAccount;
};

/** A group that was deleted without access to its cloud account, and what stays there. */
export type AbandonedDomainCertificateGroup = {
  /** Id of the deleted group. */
  readonly id: string;
  readonly leftInAccount: LeftInAccount;
};

/** The resources that an abandoned project left behind. */
export type AbandonedProject = {
  /** Id of the deleted project. */
  readonly id: string;
  readonly leftInAccount: LeftInAccount;
};

/** The cloud account connection of a project. */
export type AccountOfProject = {
  /** Id of the connection. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly status: AwsAccountStatus;
};

/** What Slipway did for a DNS record in a DNS zone of the cloud account. */
export type AccountZone = {
  readonly status: AccountZoneStatus;
  /** The account's id of the zone; null in a conflict. */
  readonly zoneId: string | null;
  /** Since when it has this status. */
  readonly since: string;
  /** In a conflict: the record that exists instead. */
  readonly found: string | null;
};

/** `SETTING`: Slipway is about to create it. `SET`: Slipway created it, and removes it with the domain. `FOUND`: it already existed, and stays when the domain is deleted. `CONFLICT`: another record exists instead. */
export type AccountZoneStatus = "SETTING" | "SET" | "FOUND" | "CONFLICT";

/** The request body of `addDomains`. */
export type AddDomainsRequest = {
  /** Domain names, such as `www.example.com`, `example.com` or `*.example.com`. */
  readonly domains: ReadonlyArray<string>;
};

/** Domains that were added to a group. */
export type AddedDomains = {
  /** The added domains, in the order of the request. */
  readonly domains: ReadonlyArray<Domain>;
};

/** An admin of the organization. */
export type Admin = {
  /** Id of the user. */
  readonly id: string;
  /** The user's name. */
  readonly name: string;
};

/** An API key, without the key itself. */
export type ApiKey = {
  /** Id of the API key. */
  readonly id: string;
  /** The key's user. */
  readonly userId: string;
  /** The user who created it; null if the operator or an earlier release did. */
  readonly createdBy: string | null;
  /** Its purpose. */
  readonly name: string;
  /** The first characters of the key, to recognize it. */
  readonly prefix: string;
  /** Its scopes; null for everything that its user may do. */
  readonly scopes: ReadonlyArray<Scope> | null;
  /** The projects that it is limited to; null for all. */
  readonly projectIds: ReadonlyArray<string> | null;
  /** When it expires; null for never. */
  readonly expiresAt: string | null;
  /** When it was last used, to about a minute; null if it was not used yet. */
  readonly lastUsedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
};

/** One page of the list. */
export type ApiKeyList = {
  /** At most `limit` items, in the order of the list. */
  readonly apiKeys: ReadonlyArray<ApiKey>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Each deployment waits until a person who did not start it approves it; null if no approval is required. */
export type ApprovalRule = {
  /** The lowest role in the project that may approve a deployment. The role of `deployers` is also required. */
  readonly approvers: Deployers;
  /** The number of hours after which a deployment without an approval is cancelled. */
  readonly timeoutHours: number;
};

/** Requires that a second person approves each deployment; null requires no approval. */
export type ApprovalRuleChange = {
  /** The lowest role in the project that may approve a deployment. The role of `deployers` is also required. */
  readonly approvers: Deployers;
  /** The number of hours after which a deployment without an approval is cancelled. */
  readonly timeoutHours?: number | undefined;
};

/** `WAITING` for a decision. Otherwise its outcome: `APPROVED`, `REJECTED`, `TIMED_OUT` without a decision, `CANCELLED` with the deployment, `SUPERSEDED` by a newer one. */
export type ApprovalStatus = "WAITING" | "APPROVED" | "REJECTED" | "TIMED_OUT" | "CANCELLED" | "SUPERSEDED";

/** The request body of `approveDeployment`. */
export type ApproveDeploymentRequest = {
  /** Decides only in this environment; by default, in every environment where the deployment waits for an approval. */
  readonly environmentId?: string | undefined;
  /** Shown with the deployment, in events and in audit entries. */
  readonly comment?: string | undefined;
  /** Bypasses the approval in an emergency. Requires an admin of the project and a `comment`; events and audit entries show it. */
  readonly isBypass?: boolean | undefined;
};

/** The request body of `approvePreview`. */
export type ApprovePreviewRequest = {
  /** The commit that you read. The request is refused if the pull request has another commit now. */
  readonly commitHash: string;
};

/** Why a domain could not be attached or detached. */
export type AttachmentError = {
  readonly code: AttachmentErrorCode;
  /** A description of the error. */
  readonly message: string;
  /** When the error occurred. */
  readonly occurredAt: string;
  /** Whether a retry can succeed without another change first. */
  readonly retryable: boolean;
  /** What to do. */
  readonly action: string;
};

/** The error's code. The first part names the cloud provider. */
export type AttachmentErrorCode = "Cloud:CERT:Error:VALIDATION_TIMEOUT" | "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT" | "Cloud:CERT:Error:CAA_BLOCKED" | "Cloud:CERT:Error:DOMAIN_NOT_ALLOWED" | "Cloud:CERT:Error:REQUEST_QUOTA_EXCEEDED" | "Cloud:CERT:Error:FAILED" | "Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE" | "Cloud:CDN:Error:TOO_MANY_DOMAINS" | "Cloud:CDN:Error:NOT_READY" | "Cloud:ACCOUNT:Error:ACCESS_DENIED";

/** Something that a person should check. */
export type Attention = {
  readonly code: AttentionCode;
  /** The environment; null if it is about the whole project. */
  readonly environmentId: string | null;
  /** The number of domains, services or deployments. */
  readonly count: number;
};

/** `ACCOUNT_NOT_CONNECTED`: nothing can be deployed. `DEPLOYMENT_FAILED`: the newest deployment failed. `APPROVAL_AWAITED`: a deployment waits until a second person approves it. `FORK_AWAITS_APPROVAL`: commits of pull requests from other repositories wait until a member approves them. `DOMAINS_IN_ERROR`: domains could not be attached or detached. `DOMAINS_AWAIT_RECORDS`: domains wait until their DNS records are set. `REDEPLOY_PENDING`: services run without their newest variables. */
export type AttentionCode = "ACCOUNT_NOT_CONNECTED" | "DEPLOYMENT_FAILED" | "APPROVAL_AWAITED" | "FORK_AWAITS_APPROVAL" | "DOMAINS_IN_ERROR" | "DOMAINS_AWAIT_RECORDS" | "REDEPLOY_PENDING";

/** The change: `names` of set values, and fields with their values `before` and `after`; and the `workload`, if one made the change. Never contains a secret. */
export type AuditDetails = {
  /** Names of the values that were set. */
  readonly names?: ReadonlyArray<string> | undefined;
  /** The changed fields, with their old values. */
  readonly before?: Readonly<Record<string, string | null>> | undefined;
  /** The changed fields, or the fields of a new resource, with their new values. */
  readonly after?: Readonly<Record<string, string | null>> | undefined;
  readonly workload?: Workload | undefined;
};

/** One change that was made. */
export type AuditEntry = {
  /** Id of the entry. */
  readonly id: string;
  /** When the change was made. */
  readonly at: string;
  /** The user who made the change; or the git integration for a push, `operator` for the command line, and `slipway` for changes that Slipway detected. */
  readonly userId: string;
  /** The credential of the request: an API key, a session or a workload's token; without a request, the same value as `userId`. */
  readonly apiKeyId: string;
  /** The action, such as `domain.deleted`. */
  readonly action: string;
  /** The resource that was changed. */
  readonly resourceId: string;
  /** The id of the request, as in its `X-Request-Id` and in the log. */
  readonly requestId: string;
  /** The address that the request came from (behind trusted proxies, the client's own); null without a request. */
  readonly sourceAddress: string | null;
  readonly details: AuditDetails | null;
};

/** One page of the list. */
export type AuditEntryList = {
  /** At most `limit` items, in the order of the list. */
  readonly auditEntries: ReadonlyArray<AuditEntry>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** When instances are added, up to `maxInstances`: when one of these values is exceeded. They are removed, down to `minInstances`, when all allow it. By default, `cpuThreshold` is 70. On AWS only. */
export type Autoscaling = {
  /** The average CPU usage of the instances, in percent. */
  readonly cpuThreshold?: number | undefined;
  /** The average memory usage of the instances, in percent. */
  readonly memoryThreshold?: number | undefined;
  /** Requests a minute to each instance. */
  readonly requestsPerTarget?: number | undefined;
};

/** A cloud account connection, with the stack that completes it while it waits for one. */
export type AwsAccount = {
  /** Id of the connection, and the external id that its role requires. Until the connection belongs to an account, only admins see it; others see the `givenId` here. */
  readonly id: string;
  /** Your own identifier. */
  readonly givenId: string;
  /** Display name. */
  readonly name: string;
  readonly status: AwsAccountStatus;
  /** The only AWS account that may connect (12 digits). Null: any. */
  readonly expectedAwsAccountId: string | null;
  /** The AWS account's number; null until the role is verified. */
  readonly connectedAwsAccountId: string | null;
  /** The role that Slipway assumes in the account; null until it is verified. */
  readonly roleArn: string | null;
  /** When the role was last verified. */
  readonly lastCheckAt: string | null;
  /** The problem that the last check found. `PERMISSIONS_MISSING` on a `CONNECTED` account names the missing permissions. `REPORT_REFUSED` appears for a week, if nothing else is wrong, after a stack in another account asked to be connected; `POST …/check` marks it as seen. */
  readonly lastCheckError: AwsAccountCheckError | null;
  /** When it was created. */
  readonly createdAt: string;
  readonly cloudStack?: CloudStack | undefined;
};

/** The problem that a check of a cloud account connection found. */
export type AwsAccountCheckError = {
  /** The error code, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** One page of the list. */
export type AwsAccountList = {
  /** At most `limit` items, in the order of the list. */
  readonly awsAccounts: ReadonlyArray<AwsAccount>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `AWAITING_CONNECTION` until the stack is created and its role verified; `DISCONNECTED` when the role no longer works. */
export type AwsAccountStatus = "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";

/** A branch, and its newest commit. */
export type Branch = {
  /** Its name. */
  readonly name: string;
  /** The commit. */
  readonly commitHash: string;
};

/** A commit of a branch. */
export type BranchCommit = {
  /** The first 7 digits of the commit. */
  readonly commit: string;
  /** The commit. */
  readonly commitHash: string;
  /** Its message; null if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The name of its author; null if the git host does not give it. */
  readonly commitAuthor: string | null;
  /** When it was made. */
  readonly committedAt: string | null;
};

/** The name, colour and logo of the organization's share links. */
export type Branding = {
  /** The name at the top of the pages; null: the installation's name is shown. */
  readonly name: string | null;
  /** The colour of the top, the buttons and the links; null: the installation's. */
  readonly accentColor: string | null;
  readonly logo: Logo | null;
  readonly appearance: ShareAppearance;
};

/** The name of the bucket. */
export type BucketName = string | ValueFromParameterStore | ValueFromSecretsManager;

/** An S3 bucket. */
export type BucketServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** An S3 bucket. */
  readonly type: "bucket";
  readonly existing?: ExistingBucket | undefined;
  /** Whether Slipway refuses to delete a data store that it created. Apply `false` before its removal, which deletes its data after a last snapshot. Not in a template of previews, whose data stores are deleted with them. */
  readonly deletionProtection?: boolean | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** The caller of the request, and what the caller may do. */
export type Caller = {
  readonly organization: CallerOrganization;
  readonly user: User;
  /** The API key of the request; null for a session or a workload. */
  readonly apiKey: ApiKey | null;
  readonly credential: Credential;
  readonly cloud: CloudName;
  readonly permissions: Permissions;
};

/** The organization that the caller belongs to. `GET /v1/organization` has its other fields. */
export type CallerOrganization = {
  /** Id of the organization. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
};

/** The TLS certificate of a group. */
export type Certificate = {
  /** The provider's id; null until it exists. */
  readonly id: string;
  /** The provider's status, or `REQUESTING` before the certificate exists. */
  readonly status: string;
  /** The names of the certificate. */
  readonly domains: ReadonlyArray<string>;
  /** When it was requested. */
  readonly requestedAt: string | null;
  /** Deadline for setting the verification records. */
  readonly validationDeadlineAt: string | null;
  /** When it was issued. */
  readonly issuedAt: string | null;
  /** When it expires. It is renewed before that. */
  readonly expiresAt: string | null;
  /** The provider's status of its renewal; null when none was due yet. */
  readonly renewalStatus: string | null;
};

/** A CA that Slipway orders certificates from. */
export type CertificateAuthority = {
  /** The address of its ACME directory. */
  readonly directory: string;
  /** Failed requests in a row; 0 while it works. */
  readonly failures: number;
  readonly problem: CertificateProblem | null;
  /** How far this machine's clock is ahead of the CA's; null before the first answer. */
  readonly clockAheadSeconds: number | null;
  /** The account's budget, and those of which less than half is left, the smallest share first; at most 100. Empty if the CA's limits are not known. */
  readonly budgets: ReadonlyArray<CertificateBudget>;
};

/** The rest of a rate limit of a CA. */
export type CertificateBudget = {
  readonly limit: CertificateLimit;
  /** The registered domain or the name; null for the account. */
  readonly of: string | null;
  /** How many are left now. */
  readonly left: number;
  /** How many the CA allows within the limit's time. */
  readonly count: number;
};

/** `orders`: new orders of the account. `domain`: certificates of a registered domain. `name`: certificates of a name. `failures`: failed validations of a name. */
export type CertificateLimit = "orders" | "domain" | "name" | "failures";

/** A name that waits for a certificate, or for its renewal. */
export type CertificateOrder = {
  /** The name of the certificate. */
  readonly name: string;
  /** The organization of the name; null for a name of this server. */
  readonly organizationId: string | null;
  readonly state: CertificateOrderState;
  /** The CA; null if no order was placed. */
  readonly directory: string | null;
  /** Since when the order is under way, or the name waits. */
  readonly since: string;
  readonly waitsFor: CertificateOrderParty;
  readonly problem: CertificateProblem | null;
};

/** The party that has to act next. `CUSTOMER`: the owner of the name has to change its DNS records, which the domain shows too. */
export type CertificateOrderParty = "CA" | "OPERATOR" | "CUSTOMER";

/** `ORDERING`: an order is under way. `WAITING`: the next attempt comes later. */
export type CertificateOrderState = "ORDERING" | "WAITING";

/** The names that wait for certificates. */
export type CertificateOrders = {
  /** Names with an order under way. */
  readonly ordering: number;
  /** Names that wait until a CA allows or answers the next request. */
  readonly waitingForCa: number;
  /** Names that wait for the operator. */
  readonly waitingForOperator: number;
  /** Names that wait for DNS records of their owners. */
  readonly waitingForCustomer: number;
  /** The orders that wait for the operator, then the others; the oldest first, at most 100. */
  readonly first: ReadonlyArray<CertificateOrder>;
};

/** Why a certificate was not issued. */
export type CertificateProblem = {
  /** The type of the error: the last part of an ACME error type, or a word of Slipway. */
  readonly type: string;
  /** The fault, and what to do. */
  readonly message: string;
  /** When it happened. */
  readonly at: string;
};

/** The DNS zone that this server answers. */
export type ChallengeZone = {
  /** The zone that customers delegate proofs by DNS to. */
  readonly name: string;
  /** Why its names do not lead to this server, and what to do; null if they do. */
  readonly problem: string | null;
};

/** A variable that a planned write changes. */
export type ChangedEnvVariable = {
  /** The variable's name. */
  readonly name: string;
  /** The group of the request that has it. */
  readonly kind: EnvVariableKind;
  /** The group that it was previously set with. */
  readonly previousKind: EnvVariableKind;
};

/** The check's code. Codes do not change; later releases may have more. */
export type CheckCode = "VERSIONS" | "DATABASE" | "SCHEMA" | "CLOCK" | "WRITABLE" | "COORDINATOR" | "SEALING_KEYS" | "CLOUD_ACCOUNTS" | "DNS" | "WORK" | "WORKERS" | "EVENTS" | "WEBHOOKS" | "CERTIFICATES" | "DISK" | "BACKUP" | "EDGES" | "EDGE_PORTS" | "CERTIFICATE_AUTHORITIES" | "CERTIFICATE_BUDGETS" | "CERTIFICATE_ORDERS" | "VALUE_STORE";

/** `skipped`: this process cannot check it. */
export type CheckStatus = "ok" | "warning" | "failed" | "skipped";

/** The cloud that this installation of Slipway deploys to. `host`: the edge of its own server. */
export type CloudName = "sandbox" | "host" | "aws";

/** The stack that completes the connection. Only for admins, and only until the connection is `CONNECTED`. */
export type CloudStack = {
  /** Opens the page in the cloud account where the stack is created. */
  readonly consoleUrl: string;
  readonly template: CloudStackTemplate;
};

/** Parameters to give the stack. */
export type CloudStackParameters = {
  /** The connection's id. */
  readonly ServiceId: string;
};

/** To create the stack without the console. */
export type CloudStackTemplate = {
  /** Where the template is. */
  readonly url: string;
  /** Name to give the stack. */
  readonly stackName: string;
  /** Region to create it in. */
  readonly region: string;
  readonly parameters: CloudStackParameters;
};

/** The location of the repository. */
export type CodeSource = {
  readonly provider: GitProvider;
  /** The host of the self-hosted GitLab; only with `provider_b_self_hosted`. */
  readonly host: string | null;
};

/** `gui`: the configuration is in `config`. `iac`: it is a file in the repository. */
export type ConfigType = "gui" | "iac";

/** Whether only the newer configuration has it, both have it and differ, or only the older configuration has it. */
export type ConfigurationDifference = "ADDED" | "CHANGED" | "REMOVED";

/** The differences between two configurations. */
export type ConfigurationDifferences = {
  readonly variables: VariableDifferences;
  /** Environments that differ. */
  readonly environments: ReadonlyArray<EnvironmentDifference>;
};

/** One fault of a configuration. */
export type ConfigurationFault = {
  /** The place in the file, as a JSON Pointer. */
  readonly path: string;
  /** The fault, for programs. */
  readonly code: string;
  /** The fault. */
  readonly message: string;
};

/** Feedback at the git host. `comment`: the status of each deployed commit and, for previews, deployments and one comment in the pull request. `deployment`: the same without the comment. `none`: nothing. */
export type ConfiguredReport = "comment" | "deployment" | "none";

/** A property of a service. */
export type ConfiguredServiceProperty = {
  /** The `id` of the service in this configuration. */
  readonly id: string;
  readonly value: ServiceProperty;
};

/** `manual`: deployed by an API request. `push`: deployed when the branch moves. */
export type ConfiguredTrigger = "manual" | "push";

/** The request body of `createApiKey`. */
export type CreateApiKeyRequest = {
  /** Its purpose. */
  readonly name: string;
  /** The key's user; yourself by default. */
  readonly userId?: string | undefined;
  /** Its scopes; everything that its user may do by default. A key with scopes creates only keys with the same scopes or fewer. */
  readonly scopes?: ReadonlyArray<Scope> | undefined;
  /** The projects that it is limited to; all by default. It sees no other project, and changes nothing outside of projects. */
  readonly projectIds?: ReadonlyArray<string> | undefined;
  /** When it expires; never by default. */
  readonly expiresAt?: string | undefined;
};

/** The request body of `createAwsAccount`. */
export type CreateAwsAccountRequest = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own identifier, unique within the organization. */
  readonly givenId: string;
  /** The only AWS account that may connect (12 digits); a stack in any other account is refused. Null or omitted: any account whose role trusts this connection. */
  readonly expectedAwsAccountId?: string | null | undefined;
};

/** The request body of `createDeployment`. */
export type CreateDeploymentRequest = {
  /** Repository of the project. The scheme, user info, `.git` and the host's letter case do not matter. */
  readonly repoUrl: string;
  /** Defaults to the branch of the environment in `filter`, or of the project's environments if they all follow the same one. */
  readonly branch?: string | undefined;
  readonly filter?: DeploymentFilter | undefined;
};

/** The request body of `createDomainCertificateGroup`. */
export type CreateDomainCertificateGroupRequest = {
  /** Domain names, such as `www.example.com`, `example.com` or `*.example.com`. */
  readonly domains: ReadonlyArray<string>;
  /** False: a new, separate distribution. True: the service's default distribution, which only one group can use. */
  readonly useDefaultCdn?: boolean | undefined;
  /** True: Slipway sets the domains' records itself where the DNS delegates their zone to a DNS zone of the cloud account, and its owner allows it. It only creates records, and removes them with the domain. If it cannot, the domains have warnings. */
  readonly autoDns?: boolean | undefined;
  /** Display name; the first domain by default. */
  readonly name?: string | undefined;
};

/** The request body of `createGitIntegration`. */
export type CreateGitIntegrationRequest = {
  readonly provider: GitProvider;
  /** The host of the self-hosted GitLab. Required with `provider_b_self_hosted`, refused otherwise. */
  readonly host?: string | undefined;
  /** An access token of the provider. It must be able to read repositories and their members. */
  readonly token: string;
};

/** The request body of `createNotificationChannel`. */
export type CreateNotificationChannelRequest = {
  readonly kind: NotificationChannelKind;
  /** Display name. */
  readonly name: string;
  /** The incoming webhook of Slack, Discord or Teams: https://, at a public address. It is a secret: it is stored encrypted and never shown. */
  readonly url?: string | undefined;
  /** The addresses that an e-mail is sent to. */
  readonly recipients?: ReadonlyArray<string> | undefined;
  /** The event types that it reports, such as `domain.*`; null for the default set. With a type that reports a problem, its recovery is reported too. */
  readonly types?: ReadonlyArray<string> | null | undefined;
  /** Only events of this project. */
  readonly projectId?: string | null | undefined;
  /** Only events of this environment. */
  readonly environmentId?: string | null | undefined;
};

/** The request body of `createProject`. */
export type CreateProjectRequest = {
  /** Display name. */
  readonly name: string;
  /** Git repository URL. */
  readonly repoUrl: string;
  /** `id` or `givenId` of a connected cloud account connection. */
  readonly awsAccountId: string;
  readonly codeSource: NewCodeSource;
  readonly configType: ConfigType;
  /** Required with `gui`, refused otherwise. Its JSON Schema is at /schema.json. */
  readonly config?: ProjectConfiguration | undefined;
  /** Required with `iac`, refused otherwise. Path of the file, relative to the repository's root. */
  readonly configFilePath?: string | undefined;
  /** Required with `iac`, refused otherwise. Branch that holds the file. */
  readonly configFileBranch?: string | undefined;
};

/** The request body of `createShareLink`. */
export type CreateShareLinkRequest = {
  /** The number of days until it expires. */
  readonly expiresInDays?: number | undefined;
  /** The names of the group that it shows; by default, all that the group has now. */
  readonly domains?: ReadonlyArray<string> | undefined;
};

/** The request body of `createUser`. */
export type CreateUserRequest = {
  /** A `person` by default. */
  readonly kind?: UserKind | undefined;
  /** Unique within the organization. */
  readonly email?: string | undefined;
  /** Display name; the email address by default. */
  readonly name?: string | undefined;
  /** The user's login at the git provider. */
  readonly gitLogin?: string | null | undefined;
  readonly role: Role;
};

/** The request body of `createWebhookEndpoint`. */
export type CreateWebhookEndpointRequest = {
  /** Where the events are sent: https://, without user name and password, at public addresses. Redirects are not followed. */
  readonly url: string;
  /** The event types that the endpoint receives: `domain.*` for all types of a subject, `*` for all events. */
  readonly types: ReadonlyArray<string>;
  /** Display name. */
  readonly description?: string | undefined;
  /** Only events of this project. */
  readonly projectId?: string | null | undefined;
  /** Only events of this environment. */
  readonly environmentId?: string | null | undefined;
  /** The maximum number of deliveries per second; null for no limit. */
  readonly maxPerSecond?: number | null | undefined;
  /** Additional headers, such as `Authorization`. Their values are stored encrypted and never shown. In a change, they replace all earlier ones. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
};

/** The request body of `createWorkloadTrust`. */
export type CreateWorkloadTrustRequest = {
  /** Its purpose. Audit entries show it. */
  readonly name: string;
  /** The service account that the workloads act as. */
  readonly userId: string;
  /** The issuer of their tokens: the claim `iss`, an `https` URL. */
  readonly issuer: string;
  /** The audience of their tokens: the claim `aud`. Use the address of this Slipway, so that tokens for other services are refused. */
  readonly audience: string;
  /** The required values of claims, each exact; a `*` at the end stands for any ending. GitHub, GitLab.com, Buildkite, Terraform Cloud and Google give tokens to every user, so a condition there must name the owner of the workload (`acme/*`). */
  readonly conditions: Readonly<Record<string, string>>;
  /** The scopes of their tokens. The role of the service account also limits them. */
  readonly scopes: ReadonlyArray<Scope>;
  /** The projects that they are limited to; all by default. */
  readonly projectIds?: ReadonlyArray<string> | undefined;
};

/** A domain that was created with its group. */
export type CreatedDomain = {
  /** Id of the domain. */
  readonly id: string;
  /** The domain name, in lower case; international ones as A-labels. */
  readonly name: string;
};

/** The credential of the request. */
export type Credential = {
  readonly kind: CredentialKind;
  /** The id of the API key, of the session or of the workload's token. */
  readonly id: string;
};

/** The credential of the request. */
export type CredentialKind = "api-key" | "session" | "workload";

/** The state of a data store that Slipway creates; null for every other service. */
export type DataStore = {
  readonly status: DataStoreStatus;
  /** The version that runs, once known. */
  readonly version: string | null;
  /** What it waits for, while it does. */
  readonly waitingFor: string | null;
  readonly failure: DataStoreFailure | null;
};

/** A removed data store that is being deleted. */
export type DataStoreDeletion = {
  /** The data store, whose service was removed. */
  readonly serviceId: string;
  /** Its id in the configuration, if it is known. */
  readonly serviceConfigId: string | null;
  /** Its environment; it may be deleted. */
  readonly environmentId: string;
  /** The environment's id in the configuration, if it is known. */
  readonly environmentConfigId: string | null;
  readonly type: StoreType;
  /** When its service was removed. */
  readonly requestedAt: string;
  readonly failure: StoreDeletionFailure | null;
};

/** The removed data stores of a project. */
export type DataStoreDeletionList = {
  /** In the order of their ids. */
  readonly dataStoreDeletions: ReadonlyArray<DataStoreDeletion>;
};

/** Why it could not be created; with `CHANGING`, why it does not work; of an available one, why the last change was not made. */
export type DataStoreFailure = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** The host name or IP address at which services of the environment reach the data store. */
export type DataStoreHost = string | ValueFromParameterStore | ValueFromSecretsManager;

/** The port; by default, 5432 of PostgreSQL, 3306 of MySQL, and 6379 of Redis. */
export type DataStorePort = number | ValueFromParameterStore | ValueFromSecretsManager;

/** `CREATING`: being created; deployments of services that refer to it wait. `AVAILABLE`. `CHANGING`: usable while it is changed; with `failure`, it has stopped, and services do not get its values. `FAILED`: it could not be created; Slipway tries again. `DELETING`. */
export type DataStoreStatus = "CREATING" | "AVAILABLE" | "CHANGING" | "DELETING" | "FAILED";

/** Where the whole connection string is; by default, it is put together from the other values. AWS cannot put together one with a password. */
export type DatabaseConnectionString = ValueFromParameterStore | ValueFromSecretsManager;

/** The database's name. */
export type DatabaseName = string | ValueFromParameterStore | ValueFromSecretsManager;

/** Where the user's password is. */
export type DatabasePassword = ValueFromParameterStore | ValueFromSecretsManager;

/** The name of the user as which services sign in. */
export type DatabaseUsername = string | ValueFromParameterStore | ValueFromSecretsManager;

/** `manual`: deployed by an API request. `push`: deployed when the branch moves. */
export type DeployTrigger = "manual" | "push";

/** One service in a deployment. */
export type DeployedService = {
  /** The service. */
  readonly id: string;
  /** Its environment. */
  readonly environmentId: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  readonly type: ServiceType;
  readonly status: DeployedServiceStatus;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
  /** The result of the build, as the platform names it. */
  readonly artifact: string | null;
  /** Its address for other services of its environment; null if it has none. The health of the service has its public addresses. */
  readonly url: string | null;
  /** The run of `postDeployCommand`, which changes no status; null without one, and until the release is live. */
  readonly postDeploy: PostDeploy | null;
  /** When its build began. */
  readonly buildStartedAt: string | null;
  /** When its build ended. */
  readonly buildEndedAt: string | null;
  /** When its release began. */
  readonly releaseStartedAt: string | null;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
};

/** `INPROGRESS`: built, and waiting for services that it depends on. The other values are those of a deployment. */
export type DeployedServiceStatus = "PENDING" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED";

/** The lowest role in the project that may deploy. */
export type Deployers = "developer" | "admin";

/** One commit of a project's repository, deployed to the environments that follow its branch. */
export type Deployment = {
  /** Id of the deployment. */
  readonly id: string;
  /** The project that is deployed. */
  readonly projectId: string;
  /** The environment, if the deployment had exactly one target when it was accepted; null otherwise. `environments` lists all that it runs in. */
  readonly environmentId: string | null;
  /** The branch that is deployed. */
  readonly branch: string;
  /** The first 7 digits of `commitHash`. */
  readonly commit: string;
  /** The branch's commit when the deployment was accepted; of a restart, the commit that the service runs. */
  readonly commitHash: string;
  /** The commit's message, cut to 2,000 characters and without e-mail addresses of people; null until it is read, and if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The name of the commit's author; null if the git host does not give it. */
  readonly commitAuthor: string | null;
  readonly trigger: DeploymentTrigger;
  /** The user who started it, or for a push the git integration; null in deployments of earlier releases. */
  readonly startedBy: string | null;
  /** The deployment that this one rolls back to. */
  readonly rollbackOf: string | null;
  /** The service that this deployment restarts; null for every other trigger than `restart`. */
  readonly restartedServiceId: string | null;
  readonly status: DeploymentStatus;
  /** Explains the status in plain words, if needed. */
  readonly statusReason: string | null;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
  /** When its cancellation was requested. */
  readonly cancelRequestedAt: string | null;
  /** When it began; null while it waits. */
  readonly startedAt: string | null;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** The approval that an environment requires. */
export type DeploymentApproval = {
  /** The environment that requires it. */
  readonly environmentId: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** The lowest role in the project that may decide. */
  readonly approvers: Deployers;
  readonly status: ApprovalStatus;
  /** Since when it waits. */
  readonly requestedAt: string;
  /** When the deployment is cancelled if it was not decided. */
  readonly expiresAt: string;
  /** The user who approved or rejected; null without a decision. */
  readonly decidedBy: string | null;
  /** When it stopped waiting. */
  readonly decidedAt: string | null;
  /** The comment of that user. */
  readonly comment: string | null;
  /** Whether an admin of the project bypassed the approval in an emergency. */
  readonly isBypass: boolean;
};

/** The differences between a deployment and an earlier one. `comparedWith` is null if no earlier deployment succeeded. `configuration` is null if the configuration of one of them is not known. */
export type DeploymentChanges = {
  /** The deployment. */
  readonly deploymentId: string;
  readonly comparedWith: Deployment | null;
  /** Whether both deploy the same commit; false if there is no other deployment. */
  readonly hasSameCommit: boolean;
  readonly configuration: ConfigurationDifferences | null;
};

/** Deployments that were accepted on a day. */
export type DeploymentDay = {
  /** The day, in UTC. */
  readonly day: string;
  /** Deployments that ended with `SUCCESS`. */
  readonly succeeded: number;
  /** Deployments that ended with `ERROR` or `BUILD_ERROR`. */
  readonly failed: number;
  /** Deployments that were cancelled or superseded. */
  readonly stopped: number;
  /** Deployments that wait or run. */
  readonly unended: number;
  /** The median time of successful deployments, from start to end. */
  readonly medianSeconds: number | null;
  /** The longest time of a successful deployment. */
  readonly maxSeconds: number | null;
};

/** A deployment with its environments and services. */
export type DeploymentDetails = {
  /** Id of the deployment. */
  readonly id: string;
  /** The project that is deployed. */
  readonly projectId: string;
  /** The environment, if the deployment had exactly one target when it was accepted; null otherwise. `environments` lists all that it runs in. */
  readonly environmentId: string | null;
  /** The branch that is deployed. */
  readonly branch: string;
  /** The first 7 digits of `commitHash`. */
  readonly commit: string;
  /** The branch's commit when the deployment was accepted; of a restart, the commit that the service runs. */
  readonly commitHash: string;
  /** The commit's message, cut to 2,000 characters and without e-mail addresses of people; null until it is read, and if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The name of the commit's author; null if the git host does not give it. */
  readonly commitAuthor: string | null;
  readonly trigger: DeploymentTrigger;
  /** The user who started it, or for a push the git integration; null in deployments of earlier releases. */
  readonly startedBy: string | null;
  /** The deployment that this one rolls back to. */
  readonly rollbackOf: string | null;
  /** The service that this deployment restarts; null for every other trigger than `restart`. */
  readonly restartedServiceId: string | null;
  readonly status: DeploymentStatus;
  /** Explains the status in plain words, if needed. */
  readonly statusReason: string | null;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
  /** When its cancellation was requested. */
  readonly cancelRequestedAt: string | null;
  /** When it began; null while it waits. */
  readonly startedAt: string | null;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The run in each environment. */
  readonly environments: ReadonlyArray<EnvironmentRun>;
  /** All services of these environments. */
  readonly services: ReadonlyArray<DeployedService>;
  /** The approvals that the environments required. */
  readonly approvals: ReadonlyArray<DeploymentApproval>;
};

/** Why something failed. */
export type DeploymentError = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
  /** For an invalid configuration: every fault, with its JSON Pointer in the file. */
  readonly faults?: ReadonlyArray<ConfigurationFault> | undefined;
};

/** Selects the project if several have the repository, and the environment. */
export type DeploymentFilter = {
  /** Required if several projects have the repository. */
  readonly projectId?: string | undefined;
  /** Deploy to this environment only, and from its branch if `branch` is absent. */
  readonly environmentId?: string | undefined;
};

/** One page of the list. */
export type DeploymentList = {
  /** At most `limit` items, in the order of the list. */
  readonly deployments: ReadonlyArray<Deployment>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Lines of a deployment's log, and the cursor to continue from. */
export type DeploymentLogs = {
  /** The lines, in the order in which they were printed. */
  readonly lines: ReadonlyArray<LogLine>;
  /** Pass it as `cursor` to continue. It stays valid if there are no new lines yet. */
  readonly nextCursor: string;
};

/** The progress of the deployment. */
export type DeploymentProgress = {
  readonly status: DeploymentStatus;
};

/** A deployment with the fields that a list of deployments shows. */
export type DeploymentRow = {
  /** Id of the deployment. */
  readonly id: string;
  /** The project that is deployed. */
  readonly projectId: string;
  /** The environment, if the deployment had exactly one target when it was accepted; null otherwise. `environments` lists all that it runs in. */
  readonly environmentId: string | null;
  /** The branch that is deployed. */
  readonly branch: string;
  /** The first 7 digits of `commitHash`. */
  readonly commit: string;
  /** The branch's commit when the deployment was accepted; of a restart, the commit that the service runs. */
  readonly commitHash: string;
  /** The commit's message, cut to 2,000 characters and without e-mail addresses of people; null until it is read, and if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The name of the commit's author; null if the git host does not give it. */
  readonly commitAuthor: string | null;
  readonly trigger: DeploymentTrigger;
  /** The user who started it, or for a push the git integration; null in deployments of earlier releases. */
  readonly startedBy: string | null;
  /** The deployment that this one rolls back to. */
  readonly rollbackOf: string | null;
  /** The service that this deployment restarts; null for every other trigger than `restart`. */
  readonly restartedServiceId: string | null;
  readonly status: DeploymentStatus;
  /** Explains the status in plain words, if needed. */
  readonly statusReason: string | null;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
  /** When its cancellation was requested. */
  readonly cancelRequestedAt: string | null;
  /** When it began; null while it waits. */
  readonly startedAt: string | null;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The project's name. */
  readonly projectName: string;
  /** The name of the user who started it; null after a push, and if the user was deleted. */
  readonly startedByName: string | null;
  /** The environments that it runs in; empty until they are known. */
  readonly environments: ReadonlyArray<EnvironmentOfDeployment>;
};

/** One page of the list. */
export type DeploymentRowList = {
  /** At most `limit` items, in the order of the list. */
  readonly deployments: ReadonlyArray<DeploymentRow>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Waiting: `PENDING`; `PENDING_APPROVAL`, until a second person approves it. Running: `INPROGRESS`, `BUILDING`, `DEPLOYING`. Ended: `SUCCESS`, `ERROR`, `BUILD_ERROR`, `CANCELLED`, `SUPERSEDED` (a newer deployment replaced it while it waited). */
export type DeploymentStatus = "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";

/** The trigger: a request, a push to the branch, a rollback, or a restart of one service. */
export type DeploymentTrigger = "api" | "push" | "rollback" | "restart";

/** The settings of a service that fit. A field is null if it is not known or not of the type. */
export type DetectedService = {
  readonly type: DetectedServiceType;
  /** The build command; null if it needs no build. */
  readonly buildCommand: string | null;
  /** Of `static`: the folder with the files. */
  readonly outputDirectory: string | null;
  /** Of `web`: the command that starts it. */
  readonly startCommand: string | null;
  /** Of `web`: where it listens. */
  readonly port: number | null;
};

/** `static`: files. `web`: a server. */
export type DetectedServiceType = "static" | "web";

/** `ZONE_IS_APPENDED`: enter names without the zone. `APEX_HOST_IS_EMPTY`: for the zone itself, leave the name empty. `VALUE_ENDS_WITH_DOT`: end host names with a dot. `PROXY_MUST_BE_OFF`: turn off the provider's proxy for the record. `ALIAS_ONLY_TO_OWN_TARGETS`: its alias records lead only to its own resources. `SEVERAL_PROVIDERS`: set the records at each. */
export type DnsPanelQuirk = "ZONE_IS_APPENDED" | "APEX_HOST_IS_EMPTY" | "VALUE_ENDS_WITH_DOT" | "PROXY_MUST_BE_OFF" | "ALIAS_ONLY_TO_OWN_TARGETS" | "SEVERAL_PROVIDERS";

/** The provider that runs the DNS of a domain, found by the zone's name servers. */
export type DnsProvider = {
  /** The provider that serves the zone; several names if there are several; null if none of them is known. */
  readonly name: string | null;
  /** The name servers that the zone is delegated to. */
  readonly nameServers: ReadonlyArray<string>;
  /** The address of the panel where its records are set. */
  readonly panelUrl: string | null;
  /** What to consider when you set a record in the panel. */
  readonly quirks: ReadonlyArray<DnsPanelQuirk>;
  readonly supports: DnsProviderSupport;
};

/** The features of the provider. */
export type DnsProviderSupport = {
  /** Whether an apex can lead to a host name, by ALIAS, ANAME or a flattened CNAME; null if that is not known. */
  readonly alias: boolean | null;
  /** Whether it sets this domain's records itself after the owner agreed (Domain Connect), as last asked; null if that is not known. */
  readonly domainConnect: boolean | null;
  /** Whether it has CAA records; null if that is not known. */
  readonly caa: boolean | null;
};

/** A DNS record that the client must create. */
export type DnsRecord = {
  readonly status: DnsRecordStatus;
  readonly purpose: DnsRecordPurpose;
  readonly type: DnsRecordType;
  /** The full name. */
  readonly name: string;
  /** The name without its zone, for DNS panels that append the zone. */
  readonly relativeName: string;
  /** The zone that the name is in. */
  readonly zone: string;
  /** The value to set. */
  readonly value: string;
  readonly setWhen: DnsRecordSetWhen;
  /** How to enter it in the panel of the zone's provider; null if `type`, `relativeName` and `value` can be entered as they are. */
  readonly panelForm: PanelForm | null;
  /** What Slipway did for it in a DNS zone of the cloud account, if the group has or had `autoDns`; null for nothing. */
  readonly accountZone: AccountZone | null;
  /** When the record was last checked. It may lag by a few seconds. Null before the first check. */
  readonly lastPropagationCheckAt: string | null;
  /** The value that the last check found. */
  readonly lastPropagationCheckValue: string | null;
  /** The error of the last check: null before the first check, empty if there was none. */
  readonly lastPropagationCheckError: PropagationCheckError | null;
};

/** `CERTIFICATE_DOMAIN_VERIFICATION` proves control of the domain, as long as the domain exists. `SERVICE_CONNECTION` routes its traffic. `CERTIFICATE_AUTHORITY_AUTHORIZATION` appears if existing CAA records would prevent the certificate. */
export type DnsRecordPurpose = "CERTIFICATE_DOMAIN_VERIFICATION" | "SERVICE_CONNECTION" | "CERTIFICATE_AUTHORITY_AUTHORIZATION";

/** `NOW`: at once. `AFTER_CERTIFICATE`: once the domain is `ATTACHED`, because its name is served elsewhere, or was not checked yet. Only a `SERVICE_CONNECTION` record has to wait. */
export type DnsRecordSetWhen = "NOW" | "AFTER_CERTIFICATE";

/** `OK` when the record is set correctly. A single failed check does not change this; a missing record does. */
export type DnsRecordStatus = "PENDING" | "OK";

/** `ALIAS` for an apex, which cannot have a CNAME. DNS panels call it ALIAS, ANAME or flattening. */
export type DnsRecordType = "CNAME" | "ALIAS" | "CAA";

/** `json`: a page of the list. `csv` and `zone` (a zone file): all records from the cursor on. `Accept: text/csv` and `Accept: text/dns` have the same effect. */
export type DnsRecordsFormat = "json" | "csv" | "zone";

/** A custom domain. */
export type Domain = {
  /** Id of the domain. */
  readonly id: string;
  /** Id of its attachment to the service. */
  readonly svcAttachmentId: string;
  /** The domain name, in lower case; international ones as A-labels. */
  readonly name: string;
  readonly status: DomainStatus;
  readonly type: DomainType;
  /** The domain certificate group of the domain. */
  readonly domainCertificateGroupId: string;
  /** Why the domain could not be attached or detached; null if there is no error. */
  readonly lastAttachmentError: AttachmentError | null;
  /** The domain of its group that it redirects to; null for no redirect. */
  readonly redirectTo: string | null;
  readonly redirectStatus: RedirectStatus | null;
  readonly redirectProblem: RedirectProblem | null;
  /** The provider that runs its DNS, as its zone's name servers last showed it; null until the first check, some seconds after its creation. */
  readonly dnsProvider: DnsProvider | null;
  /** The records that the client must create. */
  readonly dnsRecords: ReadonlyArray<DnsRecord>;
  /** Its problems that only the owner can fix; empty if there are none. For example: a record of an `ATTACHED` domain was removed, CAA records prevent the certificate or its renewal, or an apex cannot lead to the service. */
  readonly warnings: ReadonlyArray<DomainWarning>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** Custom domains that share a certificate and a distribution. */
export type DomainCertificateGroup = {
  /** Id of the group. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** The service of the domains. */
  readonly serviceId: string;
  readonly status: DomainCertificateGroupStatus;
  /** How many of its domains are in `ERROR_ATTACHING` or `ERROR_DETACHING`; their `lastAttachmentError` says why. The other domains are not affected. */
  readonly domainsInError: number;
  /** Whether it uses the default distribution of the service. */
  readonly isDefaultCdn: boolean;
  /** Whether Slipway sets the records of its domains itself, in DNS zones of the cloud account whose owner allows it. */
  readonly autoDns: boolean;
  /** The provider's id of the distribution. */
  readonly cdnDistributionId: string | null;
  /** Its host name, which SERVICE_CONNECTION records point to. */
  readonly cdnDomainName: string | null;
  /** Null until a certificate is requested. */
  readonly certificate: Certificate | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** One page of the list. */
export type DomainCertificateGroupList = {
  /** At most `limit` items, in the order of the list. */
  readonly domainCertificateGroups: ReadonlyArray<DomainCertificateGroup>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `DRAFT`: no domains. `PROVISIONING`: work in progress. `ACTIVE`: the work is done and domains are served; `domainsInError` counts the failed ones. `ERROR`: no domain is served. */
export type DomainCertificateGroupStatus = "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";

/** A group with its domains. */
export type DomainCertificateGroupWithDomains = {
  /** Id of the group. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** The service of the domains. */
  readonly serviceId: string;
  readonly status: DomainCertificateGroupStatus;
  /** How many of its domains are in `ERROR_ATTACHING` or `ERROR_DETACHING`; their `lastAttachmentError` says why. The other domains are not affected. */
  readonly domainsInError: number;
  /** Whether it uses the default distribution of the service. */
  readonly isDefaultCdn: boolean;
  /** Whether Slipway sets the records of its domains itself, in DNS zones of the cloud account whose owner allows it. */
  readonly autoDns: boolean;
  /** The provider's id of the distribution. */
  readonly cdnDistributionId: string | null;
  /** Its host name, which SERVICE_CONNECTION records point to. */
  readonly cdnDomainName: string | null;
  /** Null until a certificate is requested. */
  readonly certificate: Certificate | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** All domains of the group. */
  readonly domains: ReadonlyArray<Domain>;
};

/** An attempt to have a DNS provider set a domain's records. */
export type DomainConnectStart = {
  /** The address at the provider where the owner agrees, in a browser. It is signed, and valid until `expiresAt`. */
  readonly applyUrl: string;
  /** The provider, as its settings name it. */
  readonly providerName: string;
  /** When the attempt expires. */
  readonly expiresAt: string;
};

/** How many domains there are. */
export type DomainCounts = {
  /** Domains that are served. */
  readonly attached: number;
  /** Domains that could not be attached or detached. */
  readonly inError: number;
  /** Domains that wait for the customer's records. */
  readonly awaitingRecords: number;
  /** Domains that Slipway is working on. */
  readonly inProgress: number;
};

/** How many domains there were when they were last counted on a day. */
export type DomainDay = {
  /** The day, in UTC. */
  readonly day: string;
  /** Domains that are served. */
  readonly attached: number;
  /** Domains that could not be attached or detached. */
  readonly inError: number;
  /** Domains that wait for the customer's records. */
  readonly awaitingRecords: number;
  /** Domains that Slipway is working on. */
  readonly inProgress: number;
};

/** The result of each line of an import. */
export type DomainImport = {
  /** Whether it was a dry run, which changes nothing. */
  readonly dryRun: boolean;
  readonly counts: ImportCounts;
  /** The number of groups, each with its own distribution, that are created for them. */
  readonly createdGroups: number;
  /** Every line that is not blank, in the order of the request. */
  readonly lines: ReadonlyArray<ImportedLine>;
};

/** One page of the list. */
export type DomainList = {
  /** At most `limit` items, in the order of the list. */
  readonly domains: ReadonlyArray<Domain>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** A domain with the fields that a list of domains shows. */
export type DomainRow = {
  /** Id of the domain. */
  readonly id: string;
  /** The domain name, in lower case; international ones as A-labels. */
  readonly name: string;
  readonly status: DomainStatus;
  readonly type: DomainType;
  /** The domain certificate group of the domain. */
  readonly domainCertificateGroupId: string;
  /** The service that it leads to. */
  readonly serviceId: string;
  /** The service's name. */
  readonly serviceName: string;
  /** The service's environment. */
  readonly environmentId: string;
  /** The environment's name. */
  readonly environmentName: string;
  /** The service's project. */
  readonly projectId: string;
  /** The project's name. */
  readonly projectName: string;
  /** When its certificate expires, if it is not renewed before; null until one is issued. */
  readonly certificateExpiresAt: string | null;
  /** The party that acts next; null if no action is needed. */
  readonly waitsFor: WaitedFor | null;
  /** The problem that the customer has to solve. */
  readonly problem: string | null;
  /** When one of its DNS records is checked next; null if it has none. */
  readonly nextCheckAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** One page of the list. */
export type DomainRowList = {
  /** At most `limit` items, in the order of the list. */
  readonly domains: ReadonlyArray<DomainRow>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `AWAITING_VERIFICATION_RECORDS_TO_BE_SET` until the client has set its verification record; `ATTACHED` when it is served. In `ERROR_ATTACHING` and `ERROR_DETACHING`, `lastAttachmentError` says why. */
export type DomainStatus = "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";

/** Something that happened to a domain. */
export type DomainTimelineEntry = {
  /** The id of the event. */
  readonly id: string;
  /** When it happened. */
  readonly occurredAt: string;
  readonly kind: DomainTimelineEntryKind;
  /** What happened, in a sentence. */
  readonly summary: string;
  /** What to do; null: nothing. */
  readonly action: string | null;
  /** The full name of the DNS record that it is about. */
  readonly recordName: string | null;
  /** The type of the event. */
  readonly eventType: string;
  readonly actor: EventActor;
};

/** What happened. `RECORD_LOST`: a record that was found is missing or different now. `RECORD_WRONG`: something else is set in its place. `PROBLEM_BEGAN` and `PROBLEM_ENDED`: as in the domain's `warnings`. `OTHER`: an event that this release has no kind for. */
export type DomainTimelineEntryKind = "DOMAIN_ADDED" | "RECORD_REQUIRED" | "RECORD_FOUND" | "RECORD_LOST" | "RECORD_WRONG" | "CERTIFICATE_ISSUED" | "CERTIFICATE_RENEWED" | "CERTIFICATE_EXPIRING" | "CERTIFICATE_FAILED" | "ATTACHED" | "ATTACHMENT_FAILED" | "PROBLEM_BEGAN" | "PROBLEM_ENDED" | "DNS_MOVED" | "RECORDS_SET_BY_SLIPWAY" | "RECORDS_REMOVED_BY_SLIPWAY" | "REDIRECT_CHANGED" | "REDIRECT_SERVED" | "REDIRECT_FAILED" | "DNS_PROVIDER_ASKED" | "DNS_PROVIDER_ANSWERED" | "OTHER";

/** One page of the list. */
export type DomainTimelineEntryList = {
  /** At most `limit` items, in the order of the list. */
  readonly timelineEntries: ReadonlyArray<DomainTimelineEntry>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `APEX`: the registered domain itself. `WILDCARD`: begins with `*.`. */
export type DomainType = "SUBDOMAIN" | "APEX" | "WILDCARD";

/** A present or future problem of a domain, which only its owner can fix. */
export type DomainWarning = {
  readonly code: DomainWarningCode;
  /** A description of the problem. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
};

/** The code of the warning, for programs. */
export type DomainWarningCode = "VERIFICATION_RECORD_MISSING" | "CONNECTION_RECORD_MISSING" | "CAA_REFUSES_RENEWAL" | "CAA_REFUSES_CERTIFICATE" | "APEX_NOT_SUPPORTED" | "DNS_RECORD_CONFLICT" | "DNS_WILDCARD_IN_USE" | "DNS_ZONE_NOT_FOUND" | "DNS_ZONE_AMBIGUOUS" | "DNS_ZONE_NOT_ALLOWED";

/** `CURRENT`: the newest commit of the branch runs, or it was deployed and changes no file that the service watches. `BEHIND`: another commit than the newest one runs. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: something runs, but the newest commit is not known. Of an environment: `BEHIND` if any service is, `NOT_DEPLOYED` if none was released, otherwise the state of its released services. */
export type DriftState = "CURRENT" | "BEHIND" | "NOT_DEPLOYED" | "UNKNOWN";

/** `CURRENT`: serves what the main machine has. `BEHIND`: serves an older copy, or none. `SILENT`: has not reported for a minute. */
export type EdgeState = "CURRENT" | "BEHIND" | "SILENT";

/** A variable that a service gets at runtime. */
export type EffectiveEnvVariable = {
  /** The variable's name. */
  readonly name: string;
  readonly from: EnvVariableOwner;
  readonly source: EnvVariableSource;
  readonly kind: EnvVariableKind;
  /** The value, for plain text and links. Null for managed values, while a link has no value yet, and for a connection string with a password, which is put together where the service runs. */
  readonly value: string | null;
  /** Where the value is read from when the service starts. */
  readonly reference: string | null;
  /** The service property that the variable is linked to; null for other kinds. */
  readonly fromService: ServiceLink | null;
};

/** One page of the list. */
export type EffectiveEnvVariableList = {
  /** At most `limit` items, in the order of the list. */
  readonly envVariables: ReadonlyArray<EffectiveEnvVariable>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The request body of `enableWebhookEndpoint`. */
export type EnableWebhookEndpointRequest = {
  readonly from?: EnabledFrom | undefined;
};

/** `cursor`: continues after the last event that it was sent, as far as events are kept. `now`: skips the events that happened meanwhile. */
export type EnabledFrom = "cursor" | "now";

/** The request body of `endDomainConnect`. */
export type EndDomainConnectRequest = {
  /** The `state` in the address that the provider returned to. */
  readonly state: string;
  /** Its `error`, if it has one: `access_denied` if the owner did not agree. */
  readonly error?: string | undefined;
};

/** An environment variable of an environment or a service. */
export type EnvVariable = {
  /** The variable's name. */
  readonly name: string;
  readonly source: EnvVariableSource;
  readonly kind: EnvVariableKind;
  /** Of a managed value of a template: whether previews of the repository's own pull requests get it. Null for other kinds: previews get the plain values of their template, and references and links too unless they are of a fork. */
  readonly availableInPreviews: boolean | null;
  /** The value; only for plain text. */
  readonly value: string | null;
  /** A parameter's path or a secret's name or ARN. */
  readonly reference: string | null;
  /** The service property that the variable is linked to; null for other kinds. */
  readonly fromService: ServiceLink | null;
  readonly state: EnvVariableState;
  /** A newer managed value that is not in effect yet; null if there is none. */
  readonly pending: PendingEnvVariable | null;
  /** Why its removal has failed so far. Slipway retries. */
  readonly lastError: EnvVariableError | null;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** Why a variable's value could not be stored or removed. */
export type EnvVariableError = {
  /** The error code, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** The group that the variable was set with. */
export type EnvVariableKind = "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";

/** One page of the list. */
export type EnvVariableList = {
  /** At most `limit` items, in the order of the list. */
  readonly envVariables: ReadonlyArray<EnvVariable>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
  /** Changes with every change of a variable of the scope, also with those of other pages. */
  readonly revision: string;
};

/** Whether it is a variable of the service or of its environment. */
export type EnvVariableOwner = "environment" | "service";

/** Whether it was set with the API or is in the project's configuration. */
export type EnvVariableSource = "api" | "config";

/** `STORED`: in effect. `PROCESSING`: accepted, not in effect yet. `REMOVING`: deleted, but its value still has to be removed from the cloud account. */
export type EnvVariableState = "STORED" | "PROCESSING" | "REMOVING";

/** One version of a variable. */
export type EnvVariableVersion = {
  /** The identifier to restore the version with. All variables of one write have the same. */
  readonly version: string;
  /** When it took effect. */
  readonly at: string;
  /** The user who set it; null if it was set before the history was kept. */
  readonly userId: string | null;
  /** The API key, the session or the workload's token that was used. */
  readonly apiKeyId: string | null;
  /** The id of the request, as in the audit entry. */
  readonly requestId: string | null;
  /** Whether the variable was deleted; then it has no kind. */
  readonly isDeletion: boolean;
  readonly kind: EnvVariableKind | null;
  /** The value; only for plain text. */
  readonly value: string | null;
  /** A parameter's path or a secret's name or ARN. */
  readonly reference: string | null;
  /** The service property that the variable is linked to; null for other kinds. */
  readonly fromService: ServiceLink | null;
};

/** One page of the list. */
export type EnvVariableVersionList = {
  /** At most `limit` items, in the order of the list. */
  readonly versions: ReadonlyArray<EnvVariableVersion>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Variables that were deleted. */
export type EnvVariablesDeleted = {
  /** The number of deleted variables. */
  readonly deletedCount: number;
  /** The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then. */
  readonly removingCount: number;
};

/** The effect of a write on each variable, ordered by name. Each name is in one of the lists. */
export type EnvVariablesPlan = {
  /** New variables. */
  readonly added: ReadonlyArray<PlannedEnvVariable>;
  /** Variables that get another value, or another kind. */
  readonly changed: ReadonlyArray<ChangedEnvVariable>;
  /** Variables that already have this setting. */
  readonly unchanged: ReadonlyArray<PlannedEnvVariable>;
  /** Managed values that replace managed values of the same kind. Slipway does not know whether they differ, because it does not keep them. */
  readonly unknown: ReadonlyArray<PlannedEnvVariable>;
  /** Variables that are deleted, with their present kind: the variables that `delete` names, or with a PUT all others. */
  readonly deleted: ReadonlyArray<PlannedEnvVariable>;
  /** Variables that cannot be set. If there are any, the request without `dryRun` is refused as a whole. */
  readonly refused: ReadonlyArray<RefusedEnvVariable>;
};

/** Variables that have taken effect, and a run that stores managed values. */
export type EnvVariablesProcessing = {
  /** Managed values are being stored in the cloud account. */
  readonly status: "processing";
  /** The run that stores the managed values. */
  readonly runId: string;
  /** The number of variables that have already taken effect. */
  readonly savedCount: number;
  /** The number of values that are being stored in the cloud account. */
  readonly processingCount: number;
  /** The number of deleted variables. */
  readonly deletedCount?: number | undefined;
  /** The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then. */
  readonly removingCount?: number | undefined;
};

/** Variables that have taken effect, after the others of the scope were deleted; after a dry run, the variables that would take effect. */
export type EnvVariablesReplaced = {
  readonly status: EnvVariablesWriteStatus;
  /** The number of variables that have already taken effect. */
  readonly savedCount: number;
  /** The number of deleted variables. */
  readonly deletedCount: number;
  /** The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then. */
  readonly removingCount: number;
  /** The effects of the request; only after a dry run. */
  readonly plan?: EnvVariablesPlan | undefined;
};

/** The scope's variables were replaced, and a run stores managed values. */
export type EnvVariablesReplacing = {
  /** Managed values are being stored in the cloud account. */
  readonly status: "processing";
  /** The run that stores the managed values. */
  readonly runId: string;
  /** The number of variables that have already taken effect. */
  readonly savedCount: number;
  /** The number of values that are being stored in the cloud account. */
  readonly processingCount: number;
  /** The number of deleted variables. */
  readonly deletedCount: number;
  /** The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then. */
  readonly removingCount: number;
};

/** The progress of a run that stores managed values. */
export type EnvVariablesRun = {
  /** True when every value is stored or has failed. */
  readonly isFinished: boolean;
  /** The number of managed values that are stored or have failed. */
  readonly processedEnvVariables: number;
  /** The number of managed values in the run. */
  readonly totalExpectedEnvVars: number;
  /** Where each value is stored, by name. */
  readonly storedEnvVariables: Readonly<Record<string, StoredEnvVariable>>;
  /** Why values could not be stored, by name. Their previous values stay in effect. */
  readonly failedEnvVariables: Readonly<Record<string, EnvVariableError>>;
};

/** Variables that have taken effect; after a dry run, the variables that would take effect. */
export type EnvVariablesSaved = {
  readonly status: EnvVariablesWriteStatus;
  /** The number of variables that have already taken effect. */
  readonly savedCount: number;
  /** The number of deleted variables. */
  readonly deletedCount?: number | undefined;
  /** The number of deleted variables whose value is still being removed from the cloud account. The list shows these as `REMOVING` until then. */
  readonly removingCount?: number | undefined;
  /** The effects of the request; only after a dry run. */
  readonly plan?: EnvVariablesPlan | undefined;
};

/** `completed`: all variables have taken effect. `dryRun`: nothing has changed, and `plan` has the effects. */
export type EnvVariablesWriteStatus = "completed" | "dryRun";

/** One deployment target of a project. */
export type Environment = {
  /** Id of the environment. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  /** The AWS region that it is deployed to. */
  readonly region: string;
  readonly source: EnvironmentSource;
  /** Whether previews are made from it (`source.pr`). It is not deployed itself, and its variables are those of its previews, except for managed values without `availableInPreviews`. */
  readonly isTemplate: boolean;
  /** The environment that a preview was made from; null in other environments. */
  readonly templateId: string | null;
  readonly protection: Protection;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** What the deployment does to the environment as a whole. */
export type EnvironmentChange = "CREATED" | "KEPT" | "REMOVED";

/** An environment: a branch of the repository and the services that are deployed from it. */
export type EnvironmentConfiguration = {
  /** Unique in the project. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** The AWS region, such as `us-west-2`. */
  readonly region: string;
  readonly source: SourceConfiguration;
  readonly envVariables?: VariablesConfiguration | undefined;
  /** The services of the environment. */
  readonly services: ReadonlyArray<ServiceConfiguration>;
};

/** How an environment of the configuration differs. */
export type EnvironmentDifference = {
  /** Its id in the configuration. */
  readonly configId: string;
  readonly difference: ConfigurationDifference;
  /** Its fields that differ. */
  readonly fields: ReadonlyArray<string>;
  readonly variables: VariableDifferences;
  /** Services that differ. */
  readonly services: ReadonlyArray<ServiceDifference>;
};

/** The commits that run in an environment, compared with the newest commit of its branch. */
export type EnvironmentDrift = {
  /** The branch that the environment follows. */
  readonly branch: string;
  readonly newest: NewestCommit | null;
  /** Why the newest commit is not known. */
  readonly problem: string | null;
  readonly state: DriftState;
  /** Its services, ordered by id. External services are left out, because Slipway does not deploy them. */
  readonly services: ReadonlyArray<ServiceDrift>;
};

/** The references between the services of an environment. */
export type EnvironmentGraph = {
  /** All services, ordered by id. */
  readonly nodes: ReadonlyArray<GraphNode>;
  /** The references. */
  readonly edges: ReadonlyArray<GraphEdge>;
};

/** One page of the list. */
export type EnvironmentList = {
  /** At most `limit` items, in the order of the list. */
  readonly environments: ReadonlyArray<Environment>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The progress of a deployment in an environment. */
export type EnvironmentOfDeployment = {
  /** Id of the environment. */
  readonly id: string;
  /** Its name, or its id in the configuration if it was deleted. */
  readonly name: string;
  readonly status: DeploymentStatus;
  /** Whether this deployment is live there now. */
  readonly isLive: boolean;
};

/** What the configuration changes in an environment. Services are named by their ids in the configuration. */
export type EnvironmentPlan = {
  /** Fields of the environment that change. */
  readonly environment: ReadonlyArray<string>;
  /** Services that are new. */
  readonly created: ReadonlyArray<string>;
  /** Services whose settings change. */
  readonly changed: ReadonlyArray<ServiceChange>;
  /** Services that are removed. */
  readonly removed: ReadonlyArray<string>;
  /** Services that do not change. */
  readonly unchanged: ReadonlyArray<string>;
  /** Services that were not built, because the push changes none of the files that they watch (`watchPaths`) since the commit that they run. Their releases continue. */
  readonly kept: ReadonlyArray<KeptService>;
};

/** What a rollback changes in an environment. `changes` is null if its present configuration is not known. */
export type EnvironmentRollback = {
  /** The environment. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Whether the deployment is live there now. */
  readonly isLive: boolean;
  readonly changes: ConfigurationDifferences | null;
};

/** An environment in the list of projects. */
export type EnvironmentRow = {
  /** Id of the environment. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  /** The AWS region that it is deployed to. */
  readonly region: string;
  readonly source: EnvironmentSource;
  /** Whether previews are made from it (`source.pr`). It is not deployed itself, and its variables are those of its previews, except for managed values without `availableInPreviews`. */
  readonly isTemplate: boolean;
  /** The environment that a preview was made from; null in other environments. */
  readonly templateId: string | null;
  readonly protection: Protection;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  readonly state: EnvironmentState;
  /** The addresses of its services, at most 5: their domains, otherwise the hosts of their distributions. */
  readonly urls: ReadonlyArray<string>;
  readonly lastDeployment: LastDeployment | null;
};

/** The deployment's run in one environment. */
export type EnvironmentRun = {
  /** The environment. */
  readonly id: string;
  /** Its id in the configuration. */
  readonly configId: string;
  readonly change: EnvironmentChange;
  readonly status: DeploymentStatus;
  /** Explains the status in plain words, if needed. */
  readonly statusReason: string | null;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
  /** Null until the run starts, and in a restart, which applies no configuration. */
  readonly plan: EnvironmentPlan | null;
  /** When it began; null while it waits. */
  readonly startedAt: string | null;
  /** When it ended; null until then. */
  readonly endedAt: string | null;
};

/** The branch that is deployed, and when. */
export type EnvironmentSource = {
  /** The branch that is deployed. */
  readonly branch: string;
  readonly trigger: DeployTrigger;
};

/** Whether all, some or none of its services were released. For whether they answer now, see the health of each service. */
export type EnvironmentState = "LIVE" | "PARTLY_LIVE" | "NOT_LIVE";

/** `preview`: made from a template for a pull request or a key. `standard`: all other environments. */
export type EnvironmentType = "preview" | "standard";

/** Why the request was refused, for programs. Each code has a page under /docs/errors. */
export type ErrorCode = "API_KEY_EXPIRED" | "APPROVAL_REQUIRED" | "AWS_ACCOUNT_BOUND" | "AWS_ACCOUNT_IN_USE" | "AWS_ACCOUNT_NOT_CONNECTED" | "AWS_ACCOUNT_WORKS" | "BODIES_IN_FLIGHT" | "BODY_TOO_LARGE" | "BRANCH_NOT_FOUND" | "CHECKOUT_REFUSED" | "CLOUD_UNAVAILABLE" | "COMMAND_NOT_RUNNABLE" | "CONFIG_FILE_NOT_FOUND" | "CONFIG_INVALID" | "CONFIG_NOT_APPLICABLE" | "CROSS_SITE_REFUSED" | "DATABASE_UNAVAILABLE" | "DATA_STORE_PROTECTED" | "DEFAULT_GROUP_EXISTS" | "DEPLOYMENT_ENDED" | "DEPLOYMENT_NOT_RESTORABLE" | "DEPLOYMENT_UNDER_WAY" | "DOMAIN_CONNECT_ENDED" | "DOMAIN_CONNECT_NOT_OFFERED" | "DOMAIN_DELETING" | "DOMAIN_TAKEN" | "EMAIL_NOT_CONFIGURED" | "EMAIL_OF_SERVICE" | "EMAIL_TAKEN" | "ENVIRONMENT_PROTECTED" | "EVENTS_EXPIRED" | "EXECUTION_ENDED" | "GIT_HOST_REFUSED" | "GIT_HOST_UNAVAILABLE" | "GIT_INTEGRATION_EXISTS" | "GIT_INTEGRATION_IN_USE" | "GIT_INTEGRATION_MISSING" | "GIT_TOKEN_READS_LESS" | "GIT_TOKEN_REFUSED" | "GIVEN_ID_TAKEN" | "GROUP_DELETING" | "HEADERS_TOO_LARGE" | "HOOK_SIGNATURE_REFUSED" | "IDEMPOTENCY_KEY_IN_PROGRESS" | "IDEMPOTENCY_KEY_REUSED" | "IMPORT_FILE_INVALID" | "INSTANCES_OUT_OF_RANGE" | "INTERNAL" | "INVALID_CURSOR" | "INVALID_JSON" | "INVALID_REQUEST" | "JOB_NOT_FOUND" | "KEY_EXCEEDS_OWN" | "KEY_OF_PROJECTS" | "LAST_ADMIN" | "LAST_ADMIN_KEY" | "METHOD_NOT_ALLOWED" | "NOTHING_TO_RETRY" | "NOT_FOUND" | "NO_APPROVAL_AWAITED" | "NO_EMAIL_ADDRESS" | "NO_PREVIEW_TEMPLATE" | "NO_WAY_TO_SIGN_IN" | "OPERATOR_ONLY" | "OUTCOME_UNKNOWN" | "OVERLOADED" | "PRECONDITION_FAILED" | "PREVIEW_DELETING" | "PREVIEW_MOVED" | "PREVIEW_NOT_WAITING" | "PROJECTS_CHANGED" | "PROJECT_CHANGED_MEANWHILE" | "PROJECT_DELETING" | "PROJECT_IN_USE" | "PROJECT_NOT_FOUND" | "RATE_LIMITED" | "REDIRECT_TARGET" | "REPOSITORY_DENIED" | "REPOSITORY_NOT_FOUND" | "REPOSITORY_TOO_LARGE" | "REPOSITORY_USER_DENIED" | "REQUEST_TIMEOUT" | "RESOURCES_WOULD_STAY" | "ROLE_TOO_LOW" | "ROUTE_NOT_FOUND" | "SCOPE_MISSING" | "SECOND_PERSON_REQUIRED" | "SERVICE_ACCOUNT_SIGN_IN" | "SERVICE_HAS_NO_CACHE" | "SERVICE_HAS_NO_LOGS" | "SERVICE_HAS_NO_SNAPSHOTS" | "SERVICE_NOT_RESTARTABLE" | "SERVICE_NOT_SCALABLE" | "SERVICE_TAKES_NO_DOMAINS" | "SERVICE_TAKES_NO_VARIABLES" | "SESSION_ENDED" | "SESSION_NEEDS_KEY" | "SEVERAL_PROJECTS_MATCH" | "SIGN_IN_EXPIRED" | "SIGN_IN_GROUPS_MISSING" | "SIGN_IN_INVALID" | "SIGN_IN_REFUSED" | "SIGN_IN_UNAVAILABLE" | "SIGN_IN_WITHOUT_ROLE" | "SNAPSHOT_IN_USE" | "SNAPSHOT_NOT_AVAILABLE" | "SNAPSHOT_UNDER_WAY" | "TOO_MANY_DETECTIONS" | "TOO_MANY_EXECUTIONS" | "TOO_MANY_HELD" | "TOO_MANY_INVITATIONS" | "TOO_MANY_NOTIFICATION_CHANNELS" | "TOO_MANY_REDIRECTS" | "TOO_MANY_SNAPSHOTS" | "TOO_MANY_WEBHOOK_ENDPOINTS" | "UNAUTHENTICATED" | "UNSUPPORTED_MEDIA_TYPE" | "VARIABLE_SCOPE_FIXED" | "VERSION_NOT_RESTORABLE" | "WEBHOOK_ENDPOINT_DISABLED" | "WEBHOOK_REPLAY_RUNNING" | "WEBHOOK_SECRET_OVERLAPS" | "WEBHOOK_URL_REFUSED" | "WORKLOAD_ISSUER_UNAVAILABLE" | "WORKLOAD_MAKES_NO_KEY" | "WORKLOAD_NEEDS_SERVICE_ACCOUNT" | "WORKLOAD_NOT_TRUSTED" | "WORKLOAD_TOKEN_ENDED" | "WORKLOAD_TOKEN_INVALID";

/** Something that happened in the organization. */
export type EventEnvelope = {
  /** The event's id. A webhook has it as `webhook-id`; repeated deliveries have the same id. */
  readonly id: string;
  /** The type: subject and verb. */
  readonly type: string;
  /** When it happened. */
  readonly timestamp: string;
  /** Its number: events of an organization are numbered from 1, without gaps. */
  readonly sequence: number;
  /** The organization. */
  readonly organizationId: string;
  readonly subject: EventSubject;
  /** The project that the subject belongs to, if any. */
  readonly projectId: string | null;
  /** The environment that the subject belongs to, if any. */
  readonly environmentId: string | null;
  /** The service that the subject belongs to, if any. */
  readonly serviceId: string | null;
  readonly actor: EventActor;
  /** The request that caused it, or `background`. */
  readonly requestId: string;
  /** The changed data. Its fields depend on the type, and fields may be added. It never has the value of a variable, a token or a key. */
  readonly data: Readonly<Record<string, unknown>>;
};

/** The actor that caused the event. */
export type EventActor = {
  readonly kind: EventActorKind;
  /** The id of the user or the git integration; otherwise the same as `kind`. */
  readonly id: string;
};

/** A user of the organization, a push that a git integration's host reported, the operator on the command line, or Slipway itself. */
export type EventActorKind = "user" | "git_integration" | "operator" | "slipway";

/** A service that failed. */
export type EventDeployedService = {
  /** The service. */
  readonly id: string;
  /** Its id in the configuration. */
  readonly service: string;
  /** How it ended. */
  readonly status: "PENDING" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED";
  readonly error: EventError | null;
};

/** How a deployment ended in one environment. */
export type EventDeploymentEnvironment = {
  /** The environment. */
  readonly id: string;
  /** Its id in the configuration. */
  readonly environment: string;
  /** How it ended there. */
  readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
  readonly error: EventError | null;
};

/** The error. */
export type EventError = {
  /** The error, for programs. */
  readonly code: string;
  /** The error, and how to solve it. */
  readonly message: string;
  /** What to do, if it is not part of the message. */
  readonly action?: string | undefined;
  /** Whether a retry can succeed without another change first. */
  readonly retryable?: boolean | undefined;
};

/** A server-sent event of the feed. `data` is JSON. */
export type EventFeedEvent = EventFeedMessage | EventFeedPosition | RefusedEvent;

/** An event. */
export type EventFeedMessage = {
  /** Something happened. */
  readonly event: "message";
  /** The event's number: pass it as `Last-Event-ID` or `after` to continue after it. */
  readonly id: string;
  /** The event. */
  readonly data: Event;
};

/** Empty. */
export type EventFeedNothing = Readonly<Record<string, unknown>>;

/** The position of the stream: sent first, and again when no event has matched the filter for a while. */
export type EventFeedPosition = {
  /** The position of the stream. */
  readonly event: "position";
  /** All events up to this number were checked. */
  readonly id: string;
  readonly data: EventFeedNothing;
};

/** Events after a number, and the cursor to continue from. */
export type EventList = {
  /** At most `limit` events, in the order of their numbers. */
  readonly events: ReadonlyArray<Event>;
  /** Pass it as `after` to continue: all events up to this number were checked. */
  readonly nextCursor: string;
  /** Whether there are newer events now. */
  readonly hasMore: boolean;
};

/** The subject of the event. */
export type EventSubject = {
  readonly type: EventSubjectType;
  /** The id of the resource. */
  readonly id: string;
  /** Its address in the API. It returns 404 once the resource is deleted. */
  readonly url: string;
};

/** The kind of resource. */
export type EventSubjectType = "domain" | "certificate" | "domain_group" | "env_variables" | "aws_account" | "project" | "environment" | "service" | "deployment" | "preview" | "organization" | "user" | "api_key" | "session" | "workload_trust" | "git_integration" | "webhook_endpoint" | "notification_channel";

/** A variable, without its value. */
export type EventVariable = {
  /** The variable's name. */
  readonly name: string;
  /** Its kind. */
  readonly kind: "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";
  /** The run that stores it in the cloud account; null for other kinds. */
  readonly runId: string | null;
};

/** The request body of `exchangeWorkloadToken`. */
export type ExchangeWorkloadTokenRequest = {
  /** The `id` of the trust. */
  readonly trustId: string;
  /** The token that the platform has signed. */
  readonly token: string;
};

/** One start of a command in the live release of a service. Slipway keeps it for 30 days. */
export type Execution = {
  /** The execution. */
  readonly id: string;
  /** The project of the service. */
  readonly projectId: string;
  /** The environment of the service. */
  readonly environmentId: string;
  /** The service whose release the command runs in. */
  readonly serviceId: string;
  /** The deployment whose release the command runs in; null until it is chosen. */
  readonly deploymentId: string | null;
  /** The job's id in the configuration; null for a one-off run. */
  readonly jobId: string | null;
  readonly trigger: ExecutionTrigger;
  /** The minute of the job's schedule; null without one. */
  readonly scheduledFor: string | null;
  /** The attempt, from 1. A job with `retries` has more than one after a failure. */
  readonly attempt: number;
  /** The command. */
  readonly command: string;
  /** Virtual CPUs. */
  readonly cpu: number;
  /** Memory, in GiB. */
  readonly memoryGb: number;
  /** After this many seconds, the command is stopped. */
  readonly timeLimitSeconds: number;
  /** The user who asked for it; null for a schedule and a deployment. */
  readonly startedBy: string | null;
  readonly status: ExecutionStatus;
  /** The command's exit code; null while it runs, and if it was stopped. */
  readonly exitCode: number | null;
  readonly error: ExecutionError | null;
  /** Whether it is being cancelled. */
  readonly isCancelRequested: boolean;
  /** When it was created. */
  readonly createdAt: string;
  /** When the command started; null before. */
  readonly startedAt: string | null;
  /** When it ended; null before. */
  readonly endedAt: string | null;
};

/** Why it did not succeed; null otherwise. */
export type ExecutionError = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** One page of the list. */
export type ExecutionList = {
  /** At most `limit` items, in the order of the list. */
  readonly executions: ReadonlyArray<Execution>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** It has ended, and its whole log was sent. */
export type ExecutionLogEndEvent = {
  /** The last event. */
  readonly event: "end";
  readonly data: ExecutionProgress;
};

/** A server-sent event of the log of an execution. `data` is JSON. */
export type ExecutionLogEvent = ExecutionLogLineEvent | ExecutionLogStatusEvent | ExecutionLogEndEvent | RefusedEvent;

/** A line of the log. */
export type ExecutionLogLineEvent = {
  /** A line was printed. */
  readonly event: "line";
  /** A cursor: pass it as `Last-Event-ID` or `cursor` to continue after this line. */
  readonly id?: string | undefined;
  readonly data: ServiceLogLine;
};

/** The execution's status: sent first, and whenever it changes. */
export type ExecutionLogStatusEvent = {
  /** The execution's status. */
  readonly event: "status";
  readonly data: ExecutionProgress;
};

/** Lines of an execution's log, and the cursor to continue from. */
export type ExecutionLogs = {
  /** The lines, in the order in which they were printed. */
  readonly lines: ReadonlyArray<ServiceLogLine>;
  /** Pass it as `cursor` to continue. It stays valid if there are no new lines yet. */
  readonly nextCursor: string;
};

/** The progress of the execution. */
export type ExecutionProgress = {
  readonly status: ExecutionStatus;
};

/** Waiting: `QUEUED`, `STARTING`. `RUNNING`. Ended: `SUCCEEDED` (exit code 0), `FAILED`, `TIMED_OUT`, `CANCELLED`. Never started: `SKIPPED` (another execution of the job was under way), `MISSED` (its time passed while nothing could start it). */
export type ExecutionStatus = "QUEUED" | "STARTING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "CANCELLED" | "SKIPPED" | "MISSED";

/** What started it. `run`: a one-off command. `request`: a request for a job. `schedule`: the job's schedule. `deploy`: the `postDeployCommand` of a release that went live. */
export type ExecutionTrigger = "run" | "request" | "schedule" | "deploy";

/** Where an existing data store is. Slipway never changes or deletes it. Each value is text, or a reference to a value in the cloud account; secrets are always references. Without it, Slipway creates the data store, if the cloud allows that. */
export type ExistingBucket = {
  readonly bucketName?: BucketName | undefined;
};

/** Where an existing data store is. Slipway never changes or deletes it. Each value is text, or a reference to a value in the cloud account; secrets are always references. Without it, Slipway creates the data store, if the cloud allows that. */
export type ExistingMysql = {
  readonly host?: DataStoreHost | undefined;
  readonly port?: DataStorePort | undefined;
  readonly dbName?: DatabaseName | undefined;
  readonly username?: DatabaseUsername | undefined;
  readonly password?: DatabasePassword | undefined;
  readonly dbConnectionString?: DatabaseConnectionString | undefined;
};

/** Where an existing data store is. Slipway never changes or deletes it. Each value is text, or a reference to a value in the cloud account; secrets are always references. Without it, Slipway creates the data store, if the cloud allows that. */
export type ExistingPostgres = {
  readonly host?: DataStoreHost | undefined;
  readonly port?: DataStorePort | undefined;
  readonly dbName?: DatabaseName | undefined;
  readonly username?: DatabaseUsername | undefined;
  readonly password?: DatabasePassword | undefined;
  readonly dbConnectionString?: DatabaseConnectionString | undefined;
};

/** Where an existing data store is. Slipway never changes or deletes it. Each value is text, or a reference to a value in the cloud account; secrets are always references. Without it, Slipway creates the data store, if the cloud allows that. */
export type ExistingRedis = {
  readonly host?: DataStoreHost | undefined;
  readonly port?: DataStorePort | undefined;
  /** Whether connections use TLS: the connection string begins with `rediss://`. */
  readonly tls?: boolean | undefined;
  readonly authToken?: RedisAuthToken | undefined;
  readonly connectionString?: RedisConnectionString | undefined;
};

/** Certificates by their expiry. */
export type ExpiryWeek = {
  /** The Monday that begins the week, in UTC. */
  readonly week: string;
  /** How many certificates expire in it, if they are not renewed before. */
  readonly count: number;
};

/** A service that runs elsewhere and gets custom domains from Slipway. */
export type ExternalServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A service that runs elsewhere and gets custom domains from Slipway. */
  readonly type: "external";
  /** The host name where it answers HTTPS, with a port if it is not 443. */
  readonly hostname: string;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** One fault of a request. */
export type Fault = {
  /** A JSON Pointer into the body, or `query/NAME` or `headers/NAME`. */
  readonly path: string;
  readonly code: FaultCode;
  /** The fault in a sentence, for people. */
  readonly message: string;
};

/** The kind of fault, for programs. */
export type FaultCode = "AFTER_THE_LAST" | "CANNOT_CHANGE" | "COMMENT" | "CONTINUATION" | "CYCLE" | "DATA_STORE_PROTECTED" | "DUPLICATE" | "HAS_DOMAINS" | "HEADER_NOT_ALLOWED" | "HEADING" | "INVALID" | "IP_ADDRESS" | "IS_LINKED" | "LABEL_TOO_LONG" | "LOGO_ANIMATED" | "LOGO_TOO_LARGE" | "NOT_ALLOWED" | "NOT_AN_IMAGE" | "NOT_A_DOMAIN" | "NOT_IN_GROUP" | "NOT_OF_KIND" | "NO_NAME" | "NO_ROOM" | "PROJECT_OF_ENVIRONMENT" | "PUBLIC_SUFFIX" | "QUOTE_NOT_CLOSED" | "REDIRECT_CHAIN" | "REDIRECT_TO_ITSELF" | "REDIRECT_WILDCARD" | "REQUIRED" | "SELF_REFERENCE" | "SINGLE_LABEL" | "SNAPSHOT_NOT_USABLE" | "SPECIAL_USE" | "TIMES_REVERSED" | "TOO_LARGE" | "TOO_LONG" | "TOO_SMALL" | "UNDERSCORE" | "UNKNOWN_EVENT_TYPE" | "UNKNOWN_FIELD" | "UNKNOWN_SERVICE" | "UNKNOWN_TOP_LEVEL_DOMAIN" | "UNKNOWN_VARIABLE" | "URL_NOT_HTTPS" | "URL_WITH_CREDENTIALS" | "WILDCARD_MISPLACED" | "WRONG_FORM" | "WRONG_TYPE";

/** What becomes of a flightcontrol.json. */
export type FlightcontrolImport = {
  /** A configuration, as `config` of a project or slipway.json has it; null if nothing can be imported. */
  readonly proposal: Readonly<Record<string, unknown>> | null;
  /** Whether a finding is blocking. */
  readonly isBlocked: boolean;
  /** In the order of the file. Each field of the file is covered by exactly one. */
  readonly findings: ReadonlyArray<ImportFinding>;
  /** Plain values that look like secrets. They are not in the proposal: set them as managed values. */
  readonly secrets: ReadonlyArray<SecretToMove>;
  /** Variables of Flightcontrol that code may read. Commands have the replacements. */
  readonly aliases: ReadonlyArray<VariableAlias>;
};

/** The `slipway.json` in the root of the branch; null if there is none. */
export type FoundConfigurationFile = {
  /** Its path in the repository. */
  readonly path: string;
  /** Whether a project can be created with it. */
  readonly isValid: boolean;
  /** Why not, in a sentence. */
  readonly problem: string | null;
  /** Every fault of a file that is JSON. */
  readonly faults: ReadonlyArray<ConfigurationFault>;
  /** What it says; null if it is not a JSON object. */
  readonly config: Readonly<Record<string, unknown>> | null;
};

/** The `flightcontrol.json` in the root of the branch, and what an import proposes; null if there is none, or a `slipway.json`. */
export type FoundFlightcontrolFile = {
  /** Its path in the repository. */
  readonly path: string;
  /** Why it cannot be imported, in a sentence. */
  readonly problem: string | null;
  /** Every fault of a file that is JSON. */
  readonly faults: ReadonlyArray<ConfigurationFault>;
  readonly imported: FlightcontrolImport | null;
};

/** The framework; null if none was recognized. */
export type Framework = {
  readonly id: FrameworkId;
  /** For people. */
  readonly name: string;
};

/** What the root of a branch shows. */
export type FrameworkDetection = {
  /** The commit that was read. */
  readonly commitHash: string;
  readonly framework: Framework | null;
  readonly service: DetectedService;
  /** What showed it. */
  readonly reasons: ReadonlyArray<string>;
  /** What a person has to check or do. */
  readonly hints: ReadonlyArray<string>;
  /** A configuration with that service, as `config` of a project takes it; null while a required setting is unknown. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly configFile: FoundConfigurationFile | null;
  readonly flightcontrolFile: FoundFlightcontrolFile | null;
};

/** For programs. There may be more of them later. */
export type FrameworkId = "dockerfile" | "next" | "nuxt" | "astro" | "sveltekit" | "remix" | "gatsby" | "docusaurus" | "eleventy" | "angular" | "create-react-app" | "vue-cli" | "vite" | "parcel" | "node" | "static" | "django" | "flask" | "fastapi" | "python" | "go" | "rust" | "ruby" | "php" | "java" | "dotnet";

/** A branch of a repository. */
export type GitBranch = {
  /** Its name. */
  readonly name: string;
  /** Its newest commit. */
  readonly commitHash: string;
};

/** The branches of a repository. */
export type GitBranches = {
  /** At most 100, by name; `main` and `master` first. */
  readonly branches: ReadonlyArray<GitBranch>;
  /** Whether there are more: use `search`. */
  readonly hasMore: boolean;
};

/** A delivery of a git host, and its outcome. */
export type GitHookDelivery = {
  /** Id of the delivery in Slipway. */
  readonly id: string;
  /** When it arrived. */
  readonly receivedAt: string;
  /** Its id at the git host. */
  readonly hostId: string | null;
  /** The repository that it is about. */
  readonly repositoryUrl: string;
  /** The branch that was pushed; null for other events. */
  readonly branch: string | null;
  /** The pushed commit. */
  readonly commitHash: string | null;
  readonly outcome: GitHookOutcome;
  /** Why it deployed nothing; null if it did. */
  readonly reason: string | null;
  /** With `FAILED`: the error code that the git host received. */
  readonly errorCode: string | null;
  /** The deployments that it started. */
  readonly deploymentIds: ReadonlyArray<string>;
};

/** One page of the list. */
export type GitHookDeliveryList = {
  /** At most `limit` items, in the order of the list. */
  readonly deliveries: ReadonlyArray<GitHookDelivery>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Its outcome: `STARTED`, or why it deployed nothing. */
export type GitHookOutcome = "STARTED" | "NO_PUSH" | "BRANCH_NOT_DEPLOYED" | "NOT_HEAD" | "REPEATED" | "ALREADY_DEPLOYED" | "SIGNATURE_WRONG" | "TOO_LARGE" | "FAILED";

/** The organization's access to a git provider. Its token is never shown. */
export type GitIntegration = {
  /** Id of the integration. */
  readonly id: string;
  readonly provider: GitProvider;
  /** The host of the self-hosted GitLab; only with `provider_b_self_hosted`. */
  readonly host: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When its token was last set. */
  readonly tokenSetAt: string;
  readonly tokenStatus: GitTokenStatus;
  /** When the git host was last asked about the token: when it was set, daily since, and by `POST …/check`. */
  readonly lastCheckAt: string;
  /** The error that the last check found; null if there is none. `GIT_TOKEN_REFUSED`: the host refuses the token. `GIT_HOST_UNAVAILABLE` and `GIT_HOST_REFUSED`: the host was not reached, so `tokenStatus` is unchanged. */
  readonly lastCheckError: GitTokenCheckError | null;
  /** Why the git host refuses Slipway's reports of deployments, as commit statuses, deployments or comments; null if it takes all of them. Deployments do not depend on it. */
  readonly reportError: GitTokenCheckError | null;
};

/** One page of the list. */
export type GitIntegrationList = {
  /** At most `limit` items, in the order of the list. */
  readonly gitIntegrations: ReadonlyArray<GitIntegration>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `provider_a` is GitHub, `provider_b` GitLab, `provider_b_self_hosted` GitLab at `host`. */
export type GitProvider = "provider_a" | "provider_b" | "provider_b_self_hosted";

/** A repository that the token of a git integration can read. */
export type GitRepository = {
  /** Its address, for the `repoUrl` of a project. */
  readonly url: string;
  /** Its path at the git host. */
  readonly name: string;
  /** Its default branch; null while it has no branch. */
  readonly defaultBranch: string | null;
  /** Whether reading it requires an account at the git host. */
  readonly isPrivate: boolean;
  /** When it was last pushed to; at GitLab, its last activity. Null if the host does not say. */
  readonly lastPushedAt: string | null;
};

/** One page of the list. */
export type GitRepositoryList = {
  /** At most `limit` items, in the order of the list. */
  readonly repositories: ReadonlyArray<GitRepository>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** What `order` is about: `created`, or `pushed` for the last push (at GitLab, the last activity). */
export type GitRepositorySort = "created" | "pushed";

/** Why a git host did not do what Slipway asked, and what to do. */
export type GitTokenCheckError = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
};

/** `WORKING` if the git host accepted the token when it last answered, `REFUSED` if it refused it: the token expired, was revoked, or lacks permissions. */
export type GitTokenStatus = "WORKING" | "REFUSED";

/** A reference of a service to another one. */
export type GraphEdge = {
  readonly kind: GraphEdgeKind;
  /** The service that refers; null for a variable of the environment, which all services get. */
  readonly fromServiceId: string | null;
  /** The service that is referred to. */
  readonly toServiceId: string;
  /** With `VARIABLE`: the variable's name. */
  readonly variable: string | null;
  /** With `VARIABLE`: the property that it takes from the service. */
  readonly property: string | null;
};

/** `DEPENDS_ON`: its release waits for the other's (`dependsOn`). `VARIABLE`: a variable has the other's address (`fromService`). */
export type GraphEdgeKind = "DEPENDS_ON" | "VARIABLE";

/** A service of the environment. */
export type GraphNode = {
  /** Id of the service. */
  readonly id: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  readonly type: ServiceType;
};

/** The role of the group. */
export type GroupRole = "viewer" | "developer" | "admin";

/** The role that a group has. */
export type GroupRule = {
  /** The group; `*` for everyone. */
  readonly group: string;
  readonly role: GroupRole;
  /** The organization in which it has the role; null for the provider's organization. */
  readonly organizationId: string | null;
};

/** The process is alive. */
export type Health = {
  /** The process is alive. */
  readonly status: "ok";
};

/** The result of one check. */
export type HealthCheck = {
  readonly code: CheckCode;
  readonly status: CheckStatus;
  /** The finding, for people. */
  readonly says: string;
  /** What the operator can do; null if nothing has to be done. */
  readonly fix: string | null;
};

/** The worst status of all checks. */
export type HealthStatus = "ok" | "warning" | "failed";

/** The address and the secret to enter at the git host, so that pushes deploy. */
export type HookSecret = {
  /** Where the git host has to deliver push events. */
  readonly url: string;
  /** The secret that the git host signs its deliveries with. Shown only once. */
  readonly secret: string;
};

/** The request body of `importConfiguration`. */
export type ImportConfigurationRequest = {
  /** The text of the file. */
  readonly flightcontrol: string;
};

/** The number of lines with each result. */
export type ImportCounts = {
  /** Lines with a new domain. */
  readonly accepted: number;
  /** Lines with a name that already exists. */
  readonly duplicate: number;
  /** Lines without a valid domain name. */
  readonly invalid: number;
  /** Lines with a name that another service has, or that is being deleted. */
  readonly taken: number;
  /** Lines with a name for which no group has room. */
  readonly quota: number;
  /** Headings, comments and the rest of quoted cells. */
  readonly skipped: number;
};

/** The request body of `importDomains`. */
export type ImportDomainsRequest = {
  /** Up to 10,000 names, such as `www.example.com`. Of a URL, only the host is used. Blank entries, and entries that begin with `#`, are skipped. */
  readonly domains?: ReadonlyArray<string> | undefined;
  /** Instead of `domains`: a CSV with up to 10,001 lines, as in a request with `Content-Type: text/csv`. */
  readonly csv?: string | undefined;
};

/** `accepted`: a new domain. `duplicate`: an earlier line or the service already has it. `invalid`: it is not a valid domain name. `taken`: another service of the organization has it, or it is being deleted. `quota`: no group has room for it. `skipped`: a heading, a comment, or the rest of a quoted cell. */
export type ImportFate = "accepted" | "duplicate" | "invalid" | "taken" | "quota" | "skipped";

/** What becomes of a field. */
export type ImportFinding = {
  /** A JSON Pointer in the file. The finding is about everything below it. A default of Flightcontrol that matters is not in the file. */
  readonly path: string;
  /** The id of the environment in the file; null for the file itself. */
  readonly environment: string | null;
  /** The id of the service in the file; null outside of services. */
  readonly service: string | null;
  /** The field, with dots; empty for the whole service or environment. */
  readonly field: string;
  readonly class: ImportFindingClass;
  /** Whether the services would not work as before until a person acts. */
  readonly isBlocking: boolean;
  /** Why, in sentences. */
  readonly reason: string;
  /** What to do, in sentences. */
  readonly action: string | null;
};

/** `mapped`: the proposal has it as it is. `mappedWithChange`: the proposal has it in another form. `ignoredSafely`: Slipway behaves so without it. `unsupported`: the proposal does not have it. */
export type ImportFindingClass = "mapped" | "mappedWithChange" | "ignoredSafely" | "unsupported";

/** `registrable-domain`: only names below one registrable domain, such as `example.com`, share a group, because they have one owner. `none`: names of several owners share new groups. This needs fewer distributions, but the owners share a certificate. `column`: names with the same text in the column `groupColumn` of the CSV share a group, which is called like the text. Names without a text are grouped as with `registrable-domain`. */
export type ImportGrouping = "registrable-domain" | "none" | "column";

/** The result of a line. */
export type ImportedLine = {
  /** Its number, from 1. */
  readonly line: number;
  /** The name as it is stored; for a line without a name, its text (at most 300 characters). */
  readonly name: string;
  readonly fate: ImportFate;
  /** Why it is not accepted, for programs. */
  readonly code: string | null;
  /** Why it is not accepted. */
  readonly message: string | null;
  /** The group of the service that has it; null in a dry run if the group does not exist yet. */
  readonly domainCertificateGroupId: string | null;
  /** The name of that group. A new group is named after its first domain, or the text of its column, so lines with the same group name share it. */
  readonly domainCertificateGroupName: string | null;
};

/** The health of the installation, without names and ids. */
export type InstallationHealth = {
  readonly status: HealthStatus;
  /** When it was checked. */
  readonly checkedAt: string;
  /** The version of the process that answers. */
  readonly release: string;
  /** One result for each check. */
  readonly checks: ReadonlyArray<HealthCheck>;
};

/** The request body of `invalidateService`. */
export type InvalidateServiceRequest = {
  /** Which responses: paths that begin with `/`, with the query if it is part of the cache key. `*` as the last character stands for any text; at most 15 may end so. Characters that URLs do not have are encoded. */
  readonly paths: ReadonlyArray<string>;
};

/** The removal of a service's responses from caches. */
export type Invalidation = {
  /** The invalidation. */
  readonly id: string;
  /** The service whose responses are removed from caches. */
  readonly serviceId: string;
  /** Which responses: paths, URL-encoded. `*` at the end stands for any text. */
  readonly paths: ReadonlyArray<string>;
  readonly status: InvalidationStatus;
  readonly error: InvalidationError | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it completed or failed; null before. */
  readonly endedAt: string | null;
};

/** Why it failed; null if it did not. */
export type InvalidationError = {
  /** The error, for programs. */
  readonly code: string;
  /** The error, and what to do. */
  readonly message: string;
};

/** `PENDING`: it is being requested from the cloud. `IN_PROGRESS`: the cloud removes the responses from its caches. `COMPLETED`: no cache has them; where nothing caches, at once. `ERROR`: `error` says why. */
export type InvalidationStatus = "PENDING" | "IN_PROGRESS" | "COMPLETED" | "ERROR";

/** An e-mail that says to a user how to sign in. */
export type Invitation = {
  /** Id of the invitation. The `Message-ID` of the e-mail begins with it. */
  readonly id: string;
  readonly status: InvitationStatus;
  /** The address that it was sent to. */
  readonly email: string;
  /** The user who requested it. */
  readonly invitedBy: string;
  /** How often Slipway tried to send it. */
  readonly attempts: number;
  readonly error: InvitationError | null;
  /** The mail server's reply to the last attempt. */
  readonly answer: string | null;
  /** When it was requested. */
  readonly requestedAt: string;
  /** When it was sent or failed; null before. */
  readonly endedAt: string | null;
};

/** Why the last attempt failed; null after a success. */
export type InvitationError = {
  readonly code: InvitationErrorCode;
  /** The error. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
};

/** The error code, for programs. */
export type InvitationErrorCode = "MAIL_UNREACHABLE" | "MAIL_CLOSED" | "MAIL_TLS_FAILED" | "MAIL_UNAUTHORIZED" | "MAIL_REFUSED" | "MAIL_NOT_CONFIGURED" | "NO_WAY_TO_SIGN_IN" | "ADDRESS_CHANGED";

/** What the user would be sent now, to copy; null if the user could not sign in. */
export type InvitationMessage = {
  /** The subject. */
  readonly subject: string;
  /** The text. It has no secret. */
  readonly text: string;
};

/** Why the user cannot be invited by e-mail now; null if that is possible. */
export type InvitationRefusal = {
  readonly code: InvitationRefusalCode;
  /** The reason, and what to do. */
  readonly message: string;
};

/** The error code of a request for an invitation. */
export type InvitationRefusalCode = "NO_EMAIL_ADDRESS" | "NO_WAY_TO_SIGN_IN" | "EMAIL_NOT_CONFIGURED";

/** `PENDING`: Slipway sends it, and retries for about 80 minutes. `SENT`: the mail server accepted it. `FAILED`: `error` says why. */
export type InvitationStatus = "PENDING" | "SENT" | "FAILED";

/** A command of a scheduler, and its schedule. */
export type Job = {
  /** The job's id in the configuration. */
  readonly id: string;
  /** The command. */
  readonly command: string;
  /** When it starts, in the five fields of cron. */
  readonly schedule: string;
  /** The time zone of the schedule. */
  readonly timezone: string;
  /** After this number of minutes, it is stopped. */
  readonly timeoutMinutes: number;
  /** How often a failed start of the schedule is repeated. */
  readonly retries: number;
  readonly overlap: JobOverlapRule;
  readonly missed: JobMissedRule;
  /** The next five. None before the first release, and in previews. */
  readonly nextRuns: ReadonlyArray<JobRun>;
  readonly lastExecution: LastExecution | null;
};

/** A command that runs on a schedule. */
export type JobConfiguration = {
  /** A line for a shell, run in `basePath` of the live release, with the service's variables. */
  readonly command: string;
  /** When it starts, in the five fields of cron: minute, hour, day, month, weekday (0 is Sunday). Numbers, `*`, lists, ranges and steps; no names. */
  readonly schedule: string;
  /** The time zone of the schedule. A start in an hour that is skipped happens once, at the next minute that exists; one in an hour that occurs twice happens once. With `*` as the hour, it follows elapsed time. */
  readonly timezone?: string | undefined;
  /** The number of minutes after which the command is stopped, and has failed. */
  readonly timeoutMinutes?: number | undefined;
  /** How often a scheduled start is repeated if it fails: after 30 seconds, and then each time after twice the time. */
  readonly retries?: number | undefined;
  readonly overlap?: JobOverlap | undefined;
  readonly missed?: JobMissed | undefined;
};

/** What happens to starts that were due while Slipway did not run. `skip`: they are recorded as missed. `runOnce`: the last of them runs later. */
export type JobMissed = "skip" | "runOnce";

/** What happens with starts that were missed. */
export type JobMissedRule = "skip" | "runOnce";

/** What happens if the job still runs at its next start. `forbid`: that start is skipped. `queue`: it waits until the job has ended; at most one start waits. `replace`: the running job is cancelled first. */
export type JobOverlap = "forbid" | "queue" | "replace";

/** What happens if it still runs when it should start. */
export type JobOverlapRule = "forbid" | "queue" | "replace";

/** A start that the schedule will make. */
export type JobRun = {
  /** When it is due. */
  readonly at: string;
  /** The same, on the clocks of the job's time zone. */
  readonly local: string;
};

/** The jobs of a service; none unless it is a scheduler. */
export type Jobs = {
  /** In the order of their ids. */
  readonly jobs: ReadonlyArray<Job>;
};

/** The jobs by their ids: letters, digits, `_` and `-`, at most 60 characters. At most 100. */
export type JobsConfiguration = Readonly<Record<string, JobConfiguration>>;

/** A service that was not built. */
export type KeptService = {
  /** The service. */
  readonly service: string;
  /** Its id. */
  readonly serviceId: string;
  /** The deployment whose release continues to run. */
  readonly deploymentId: string;
  /** The commit of that release. */
  readonly commitHash: string;
};

/** The newest deployment of an environment. */
export type LastDeployment = {
  /** Id of the deployment. */
  readonly id: string;
  /** Its status in this environment. */
  readonly status: DeploymentStatus;
  /** Explains the status in plain words, if needed. */
  readonly statusReason: string | null;
  /** The branch that is deployed. */
  readonly branch: string;
  /** The first 7 digits of its commit. */
  readonly commit: string;
  /** The commit's message, if it is known. */
  readonly commitMessage: string | null;
  /** The name of the commit's author, if it is known. */
  readonly commitAuthor: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it ended in this environment; null until then. */
  readonly endedAt: string | null;
};

/** The newest execution; null if there is none. */
export type LastExecution = {
  /** The execution. */
  readonly id: string;
  /** The project of the service. */
  readonly projectId: string;
  /** The environment of the service. */
  readonly environmentId: string;
  /** The service whose release the command runs in. */
  readonly serviceId: string;
  /** The deployment whose release the command runs in; null until it is chosen. */
  readonly deploymentId: string | null;
  /** The job's id in the configuration; null for a one-off run. */
  readonly jobId: string | null;
  readonly trigger: ExecutionTrigger;
  /** The minute of the job's schedule; null without one. */
  readonly scheduledFor: string | null;
  /** The attempt, from 1. A job with `retries` has more than one after a failure. */
  readonly attempt: number;
  /** The command. */
  readonly command: string;
  /** Virtual CPUs. */
  readonly cpu: number;
  /** Memory, in GiB. */
  readonly memoryGb: number;
  /** After this many seconds, the command is stopped. */
  readonly timeLimitSeconds: number;
  /** The user who asked for it; null for a schedule and a deployment. */
  readonly startedBy: string | null;
  readonly status: ExecutionStatus;
  /** The command's exit code; null while it runs, and if it was stopped. */
  readonly exitCode: number | null;
  readonly error: ExecutionError | null;
  /** Whether it is being cancelled. */
  readonly isCancelRequested: boolean;
  /** When it was created. */
  readonly createdAt: string;
  /** When the command started; null before. */
  readonly startedAt: string | null;
  /** When it ended; null before. */
  readonly endedAt: string | null;
};

/** The resources that stay in a cloud account that does not work; remove them there. Resources whose creation has an unknown outcome are not listed; everything that Slipway created has the tag `slipway:connection`. */
export type LeftInAccount = {
  /** The AWS account's number. */
  readonly connectedAwsAccountId: string | null;
  /** Distributions that still cost money. */
  readonly distributionIds: ReadonlyArray<string>;
  /** Certificates of domains. */
  readonly certificateIds: ReadonlyArray<string>;
  /** Domain names that may still be served from the account; remove their DNS records. */
  readonly domains: ReadonlyArray<string>;
  /** Managed values in Parameter Store. */
  readonly parameters: ReadonlyArray<NamedInRegion>;
  /** Managed values in Secrets Manager. */
  readonly secrets: ReadonlyArray<NamedInRegion>;
  /** Stacks of services and environments that were deployed. */
  readonly stacks: ReadonlyArray<NamedInRegion>;
};

/** `asc`: in order of creation. `desc`: newest first. */
export type ListOrder = "asc" | "desc";

/** A DNS record that the client must create, and its domain. */
export type ListedDnsRecord = {
  /** Id of the record. */
  readonly id: string;
  /** The domain that needs it. */
  readonly domainId: string;
  /** The domain's name. */
  readonly domain: string;
  readonly status: DnsRecordStatus;
  readonly purpose: DnsRecordPurpose;
  readonly type: DnsRecordType;
  /** The full name. */
  readonly name: string;
  /** The name without its zone, for DNS panels that append the zone. */
  readonly relativeName: string;
  /** The zone that the name is in. */
  readonly zone: string;
  /** The value to set. */
  readonly value: string;
  readonly setWhen: DnsRecordSetWhen;
  /** How to enter it in the panel of the zone's provider; null if `type`, `relativeName` and `value` can be entered as they are. */
  readonly panelForm: PanelForm | null;
  /** What Slipway did for it in a DNS zone of the cloud account, if the group has or had `autoDns`; null for nothing. */
  readonly accountZone: AccountZone | null;
  /** When the record was last checked. It may lag by a few seconds. Null before the first check. */
  readonly lastPropagationCheckAt: string | null;
  /** The value that the last check found. */
  readonly lastPropagationCheckValue: string | null;
  /** The error of the last check: null before the first check, empty if there was none. */
  readonly lastPropagationCheckError: PropagationCheckError | null;
};

/** One page of the list. */
export type ListedDnsRecordList = {
  /** At most `limit` items, in the order of the list. */
  readonly dnsRecords: ReadonlyArray<ListedDnsRecord>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The live release of a service. */
export type LiveRelease = {
  /** The deployment that released it. */
  readonly deploymentId: string;
  /** The deployed branch. */
  readonly branch: string;
  /** The first 7 digits of its commit. */
  readonly commit: string;
  /** Its commit. */
  readonly commitHash: string;
  /** The commit's message, if it is known. */
  readonly commitMessage: string | null;
  /** The name of the commit's author, if it is known. */
  readonly commitAuthor: string | null;
  /** When it went live. */
  readonly releasedAt: string | null;
};

/** The deployment has ended, and its whole log was sent. */
export type LogEndEvent = {
  /** The last event. */
  readonly event: "end";
  readonly data: DeploymentProgress;
};

/** A server-sent event of a live log. `data` is JSON. */
export type LogEvent = LogLineEvent | LogStatusEvent | LogEndEvent | RefusedEvent;

/** One line of a log. */
export type LogLine = {
  /** When it was printed. */
  readonly at: string;
  /** The service that it is about. */
  readonly serviceId: string;
  /** Its id in the configuration. */
  readonly service: string;
  readonly stream: LogStream;
  /** The line, without its line break. */
  readonly text: string;
};

/** A line of the log. */
export type LogLineEvent = {
  /** A line was printed. */
  readonly event: "line";
  /** A cursor: pass it as `Last-Event-ID` or `cursor` to continue after this line. */
  readonly id?: string | undefined;
  readonly data: LogLine;
};

/** For how many days the output of instances is kept; on AWS only. Elsewhere, logs are kept by size. */
export type LogRetentionDays = 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 120 | 150 | 180 | 365 | 400 | 545 | 731 | 1096 | 1827 | 2192 | 2557 | 2922 | 3288 | 3653;

/** The deployment's status: sent first, and whenever it changes. */
export type LogStatusEvent = {
  /** The deployment's status. */
  readonly event: "status";
  readonly data: DeploymentProgress;
};

/** Where the line is from: the build, the service's process, or the platform. */
export type LogStream = "build" | "stdout" | "stderr" | "platform";

/** The organization's own logo; null: it has none. */
export type Logo = {
  /** Its public address. A new logo has another address. */
  readonly url: string;
  readonly contentType: LogoType;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
};

/** What its bytes are. */
export type LogoType = "image/png" | "image/jpeg" | "image/webp";

/** The group that the variable was set with. */
export type ManagedEnvVariableKind = "parameterStore" | "secretsManager";

/** A MySQL or MariaDB database. */
export type MysqlServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A MySQL or MariaDB database. */
  readonly type: "mysql";
  readonly existing?: ExistingMysql | undefined;
  /** Whether Slipway refuses to delete a data store that it created. Apply `false` before its removal, which deletes its data after a last snapshot. Not in a template of previews, whose data stores are deleted with them. */
  readonly deletionProtection?: boolean | undefined;
  readonly version?: MysqlVersion | undefined;
  readonly size?: MysqlSize | undefined;
  /** The snapshot from which Slipway creates the data store, of the same type, cloud account and region. It has an effect only when the data store is created, and may be removed afterwards. By default, the data store is empty. */
  readonly snapshot?: string | undefined;
  /** The storage of a data store that Slipway creates, in GiB. It cannot decrease. On AWS only. */
  readonly storageGb?: number | undefined;
  /** For how many days daily backups of a data store that Slipway creates are kept. On AWS only. */
  readonly backupRetentionDays?: number | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** The memory of a data store that Slipway creates: 1, 2, 4, 8 or 16 GiB; `micro` by default. On AWS only. */
export type MysqlSize = "micro" | "small" | "medium" | "large" | "xlarge";

/** The major version of a data store that Slipway creates; by default, the platform chooses it. It cannot change after the data store is created. */
export type MysqlVersion = "8.0" | "8.4";

/** A resource in a region of a cloud account. */
export type NamedInRegion = {
  /** The provider's region. */
  readonly region: string;
  /** The name at the provider. */
  readonly name: string;
};

/** The role that is required, if the role or the protection refuses the operation. */
export type NeededRole = "viewer" | "developer" | "admin";

/** The scope that is required, if the scopes refuse the operation. */
export type NeededScope = "read" | "deploy" | "domains" | "variables" | "admin";

/** A new API key, with the key itself. */
export type NewApiKey = {
  /** Id of the API key. */
  readonly id: string;
  /** The key's user. */
  readonly userId: string;
  /** The user who created it; null if the operator or an earlier release did. */
  readonly createdBy: string | null;
  /** Its purpose. */
  readonly name: string;
  /** The first characters of the key, to recognize it. */
  readonly prefix: string;
  /** Its scopes; null for everything that its user may do. */
  readonly scopes: ReadonlyArray<Scope> | null;
  /** The projects that it is limited to; null for all. */
  readonly projectIds: ReadonlyArray<string> | null;
  /** When it expires; null for never. */
  readonly expiresAt: string | null;
  /** When it was last used, to about a minute; null if it was not used yet. */
  readonly lastUsedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** The key. It is shown only once. */
  readonly key: string;
};

/** A cloud account connection, and the stack that completes it. */
export type NewAwsAccount = {
  /** Id of the connection, and the external id that its role requires. Until the connection belongs to an account, only admins see it; others see the `givenId` here. */
  readonly id: string;
  /** Your own identifier. */
  readonly givenId: string;
  /** Display name. */
  readonly name: string;
  readonly status: AwsAccountStatus;
  /** The only AWS account that may connect (12 digits). Null: any. */
  readonly expectedAwsAccountId: string | null;
  /** The AWS account's number; null until the role is verified. */
  readonly connectedAwsAccountId: string | null;
  /** The role that Slipway assumes in the account; null until it is verified. */
  readonly roleArn: string | null;
  /** When the role was last verified. */
  readonly lastCheckAt: string | null;
  /** The problem that the last check found. `PERMISSIONS_MISSING` on a `CONNECTED` account names the missing permissions. `REPORT_REFUSED` appears for a week, if nothing else is wrong, after a stack in another account asked to be connected; `POST …/check` marks it as seen. */
  readonly lastCheckError: AwsAccountCheckError | null;
  /** When it was created. */
  readonly createdAt: string;
  readonly cloudStack: CloudStack;
};

/** The location of the repository. */
export type NewCodeSource = {
  readonly provider: GitProvider;
  /** The host of the self-hosted GitLab. Required with `provider_b_self_hosted`, refused otherwise. */
  readonly host?: string | undefined;
};

/** A group and the domains created with it. */
export type NewDomainCertificateGroup = {
  /** Id of the group. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** The service of the domains. */
  readonly serviceId: string;
  readonly status: DomainCertificateGroupStatus;
  /** How many of its domains are in `ERROR_ATTACHING` or `ERROR_DETACHING`; their `lastAttachmentError` says why. The other domains are not affected. */
  readonly domainsInError: number;
  /** Whether it uses the default distribution of the service. */
  readonly isDefaultCdn: boolean;
  /** Whether Slipway sets the records of its domains itself, in DNS zones of the cloud account whose owner allows it. */
  readonly autoDns: boolean;
  /** The provider's id of the distribution. */
  readonly cdnDistributionId: string | null;
  /** Its host name, which SERVICE_CONNECTION records point to. */
  readonly cdnDomainName: string | null;
  /** Null until a certificate is requested. */
  readonly certificate: Certificate | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The created domains. */
  readonly createdDomains: ReadonlyArray<CreatedDomain>;
};

/** A new session, with its page key. */
export type NewSession = {
  /** Id of the session. */
  readonly id: string;
  /** The user who signed in. */
  readonly userId: string;
  /** The API key that was exchanged for it; null after a sign-in at an identity provider. */
  readonly apiKeyId: string | null;
  /** The identity provider; null after an exchange of a key. */
  readonly provider: string | null;
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean;
  /** The address that the sign-in came from. */
  readonly sourceAddress: string | null;
  /** The browser's user agent. */
  readonly userAgent: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last made a request, to about a minute. */
  readonly lastSeenAt: string;
  /** When it ends if it makes no further request. */
  readonly endsAt: string;
  /** The half of the session that is not in its cookie, for the header `slipway-page-key`. It is shown only once. */
  readonly pageKey: string;
};

/** A share link with its address. */
export type NewShareLink = {
  /** Id of the link. */
  readonly id: string;
  /** The group whose DNS records it shows. */
  readonly domainCertificateGroupId: string;
  /** The names that it shows. Names that the group gets later are shown only after they are added to the link. */
  readonly domains: ReadonlyArray<string>;
  /** The user who created it. */
  readonly createdBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. */
  readonly expiresAt: string;
  /** When it was opened for the first time, by a person or by a program that previews links; null before that. */
  readonly openedAt: string | null;
  /** The address of the page. It is shown only once. Anyone with the link can open the page until it expires. */
  readonly url: string;
};

/** An endpoint, and the secret that signs its deliveries. */
export type NewWebhookEndpoint = {
  /** Id of the endpoint. */
  readonly id: string;
  /** Where the events are sent. */
  readonly url: string;
  /** The event types that it receives. */
  readonly types: ReadonlyArray<string>;
  /** Only events of this project; null for all projects. */
  readonly projectId: string | null;
  /** Only events of this environment; null for all environments. */
  readonly environmentId: string | null;
  /** Display name. */
  readonly description: string;
  /** The maximum number of deliveries per second; null for no limit. */
  readonly maxPerSecond: number | null;
  /** The additional headers. Their values are never shown. */
  readonly headerNames: ReadonlyArray<string>;
  readonly status: WebhookEndpointStatus;
  /** Why it is disabled. `USER`: a user disabled it. `GONE`: it answered 410. `FAILING`: five days passed without a success. */
  readonly disabledReason: string | null;
  /** When the first failure after the last success occurred; null after a success. */
  readonly failingSince: string | null;
  /** Until when the previous secret also signs; null if there is none. */
  readonly previousSecretUntil: string | null;
  /** Whether a replay is running. */
  readonly isReplaying: boolean;
  /** Whether an event or a test was sent to it yet. If-Match is not compared with it. */
  readonly isUsed: boolean;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  /** The secret that signs the deliveries (Standard Webhooks). Shown only once. */
  readonly secret: string;
};

/** The newest commit of the branch, as the git host reports it now. */
export type NewestCommit = {
  /** The first 7 digits of the commit. */
  readonly commit: string;
  /** The commit. */
  readonly commitHash: string;
  /** Its message; null if the git host does not give it. */
  readonly commitMessage: string | null;
  /** The name of its author; null if the git host does not give it. */
  readonly commitAuthor: string | null;
};

/** Where people receive messages about events. */
export type NotificationChannel = {
  /** Id of the channel. */
  readonly id: string;
  readonly kind: NotificationChannelKind;
  /** Display name. */
  readonly name: string;
  /** The host of its URL; null for e-mail. The URL is never shown. */
  readonly host: string | null;
  /** The email addresses; null for other kinds. */
  readonly recipients: ReadonlyArray<string> | null;
  /** The event types that it reports; null for the default set. */
  readonly types: ReadonlyArray<string> | null;
  /** Only events of this project; null for all projects. */
  readonly projectId: string | null;
  /** Only events of this environment; null for all environments. */
  readonly environmentId: string | null;
  readonly status: NotificationChannelStatus;
  /** Why it is disabled. `USER`: a user disabled it. `GONE`: its receiver answered 410. `FAILING`: five days passed without a success. */
  readonly disabledReason: string | null;
  /** When the first failure after the last success occurred; null after a success. */
  readonly failingSince: string | null;
  /** When its receiver last accepted a message; null if it did not yet. If-Match is not compared with it. */
  readonly lastSentAt: string | null;
  readonly lastError: NotificationError | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** The kind of the receiver: `slack`, `discord`, `teams` (a webhook of Workflows) or `email`. */
export type NotificationChannelKind = "slack" | "discord" | "teams" | "email";

/** One page of the list. */
export type NotificationChannelList = {
  /** At most `limit` items, in the order of the list. */
  readonly notificationChannels: ReadonlyArray<NotificationChannel>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `FAILING` after five failures in a row; Slipway retries at least every 15 minutes. `DISABLED` channels receive nothing. */
export type NotificationChannelStatus = "HEALTHY" | "FAILING" | "DISABLED";

/** Why the last attempt failed; null after a success. */
export type NotificationError = {
  readonly code: NotificationErrorCode;
  /** The error. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
  /** The beginning of the receiver's answer, or the reply of the mail server. */
  readonly answer: string | null;
};

/** The error code, for programs. */
export type NotificationErrorCode = "ADDRESS_REFUSED" | "CONNECT_TIMEOUT" | "CONNECTION_REFUSED" | "TLS_FAILED" | "CONNECTION_CLOSED" | "ANSWER_TIMEOUT" | "REDIRECTED" | "GONE" | "REFUSED" | "NOT_FOUND" | "TOO_LARGE" | "RATE_LIMITED" | "SERVER_ERROR" | "UNEXPECTED_STATUS" | "MAIL_UNREACHABLE" | "MAIL_CLOSED" | "MAIL_TLS_FAILED" | "MAIL_UNAUTHORIZED" | "MAIL_REFUSED" | "MAIL_NOT_CONFIGURED";

/** What the receiver answered to a test. */
export type NotificationTest = {
  /** Whether the receiver accepted the message. */
  readonly isAccepted: boolean;
  /** The HTTP status of the answer; null for e-mail, and without an answer. */
  readonly status: number | null;
  /** The beginning of the receiver's answer, or the reply of the mail server. */
  readonly answer: string | null;
  readonly error: NotificationTestError | null;
};

/** Why it was not accepted. */
export type NotificationTestError = {
  readonly code: NotificationErrorCode;
  /** The error. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
};

/** An identity provider, as it is configured. */
export type OidcProvider = {
  /** Its name in URLs, such as `/auth/oidc/corp/start`. */
  readonly name: string;
  /** Display name. */
  readonly label: string;
  /** The provider's issuer. */
  readonly issuer: string;
  /** Slipway's client id at the provider. */
  readonly clientId: string;
  /** The redirect URI to allow at the provider. */
  readonly callbackUrl: string;
  /** The scopes that Slipway requests. */
  readonly scopes: string;
  /** The claim that has the groups, or the path to it. */
  readonly groupsClaim: string;
  /** Whether a first sign-in is linked to the user with the same verified address. */
  readonly linksByEmail: boolean;
  /** The rules, in their order. */
  readonly rules: ReadonlyArray<GroupRule>;
  /** Why it cannot be used now, or what was missing at its last sign-in; null if nothing is wrong. */
  readonly problem: string | null;
};

/** The identity providers of this installation, and whether they work. */
export type OidcSettings = {
  /** In the order of their names. */
  readonly providers: ReadonlyArray<OidcProvider>;
};

/** The owner of all resources. Other organizations do not see them. */
export type Organization = {
  /** Id of the organization. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** When it was created. */
  readonly createdAt: string;
  readonly retention: Retention;
};

/** A resource that a deleted preview has, or may have, in a cloud account. */
export type Orphan = {
  readonly kind: OrphanKind;
  /** Its name or id at the provider. */
  readonly name: string;
  /** Its region; null for a distribution. */
  readonly region: string | null;
  /** The connection to the account that it is in. */
  readonly awsAccountId: string;
  /** The project. */
  readonly projectId: string;
  /** The deleted environment that it belonged to. */
  readonly environmentId: string;
  /** The preview that had the environment. It may have another one by now, or be deleted. */
  readonly previewId: string;
  /** The key of the preview. */
  readonly key: string;
  /** When its removal began. */
  readonly removedSince: string;
  /** Why the account refuses its removal; null if it does not. */
  readonly errorCode: string | null;
  /** What keeps the removal from completing; null while it only takes its time. */
  readonly reason: string | null;
  readonly waitsFor: OrphanActor;
};

/** Who acts next: an admin of the cloud account, or Slipway, which tries again until it is removed. */
export type OrphanActor = "developer" | "admin" | "slipway";

/** `service`, `environment`: the stack of one; `distribution`; `parameter`, `secret`: a managed value. */
export type OrphanKind = "service" | "environment" | "distribution" | "parameter" | "secret";

/** One page of the list. */
export type OrphanList = {
  /** At most `limit` items, in the order of the list. */
  readonly orphans: ReadonlyArray<Orphan>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** E-mail to the caller about events. It is only about projects that the caller sees, and events that the caller's role reads. */
export type OwnNotifications = {
  /** Whether e-mail is sent to you. Without `mailServer` nothing is sent. */
  readonly enabled: boolean;
  /** The address of your account, which an admin or the identity provider sets. */
  readonly email: string | null;
  /** Whether this installation has a mail server. */
  readonly mailServer: boolean;
  /** The event types that it reports; null for the default set. */
  readonly types: ReadonlyArray<string> | null;
  /** Only events of these projects; null for all that you see. */
  readonly projectIds: ReadonlyArray<string> | null;
  /** Why it is disabled. `USER`: a user disabled it. `GONE`: its receiver answered 410. `FAILING`: five days passed without a success. */
  readonly disabledReason: string | null;
  /** When its receiver last accepted a message; null if it did not yet. If-Match is not compared with it. */
  readonly lastSentAt: string | null;
  readonly lastError: NotificationError | null;
};

/** The state of the server that Slipway runs on. */
export type OwnServer = {
  /** When this was read. */
  readonly checkedAt: string;
  /** What customers' records lead to. */
  readonly hostname: string;
  /** The edge of this server, then the others by id. */
  readonly edges: ReadonlyArray<ServerEdge>;
  readonly challengeZone: ChallengeZone;
  readonly valueStore: ValueStore | null;
  /** The first CA, then the second. */
  readonly authorities: ReadonlyArray<CertificateAuthority>;
  readonly orders: CertificateOrders;
  readonly certificates: ServerCertificates;
};

/** `server` is null if Slipway does not run on an own server (`SLIPWAY_CLOUD=host`). */
export type OwnServerAnswer = {
  readonly server: OwnServer | null;
};

/** A DNS record as it is entered in the panel of a DNS provider. */
export type PanelForm = {
  /** The type to choose, as the panel names it. */
  readonly type: string;
  /** The name to enter. `@` is the zone itself; empty: leave the field empty. */
  readonly host: string;
  /** The value to enter, with a final dot where the panel needs one. */
  readonly value: string;
};

/** A newer managed value that takes effect when it is stored. */
export type PendingEnvVariable = {
  readonly kind: ManagedEnvVariableKind;
  /** The run that stores it. */
  readonly runId: string;
};

/** The variables that the running release of a service does not have yet. */
export type PendingRedeploy = {
  /** When the running release was given its variables. */
  readonly since: string;
  /** The variables that are newer than the release, ordered by name. */
  readonly variables: ReadonlyArray<PendingVariable>;
};

/** A variable that changed since the release. */
export type PendingVariable = {
  /** The variable's name. */
  readonly name: string;
  readonly from: EnvVariableOwner;
  /** When it took effect, or was deleted. */
  readonly changedAt: string;
  /** Whether the service has no variable of this name any longer. */
  readonly isDeleted: boolean;
};

/** Whether the caller may call an operation. */
export type Permission = {
  /** Whether the caller may do it. */
  readonly allowed: boolean;
  readonly refusedBy: RefusedBy | null;
  readonly neededRole: NeededRole | null;
  readonly neededScope: NeededScope | null;
};

/** The operations that the caller may call in the organization, or in the project or environment of the query. Slipway checks each request by the same rules. */
export type Permissions = {
  readonly role: Role;
  /** The scopes of the credential; null for all. */
  readonly scopes: ReadonlyArray<Scope> | null;
  /** The project that they are about; null for the organization. */
  readonly projectId: string | null;
  /** The environment that they are about; null for the project or the organization. */
  readonly environmentId: string | null;
  /** Each operation of this document, by its `operationId`. */
  readonly operations: Readonly<Record<string, Permission>>;
  /** Admins whom the caller can ask, at most 10. */
  readonly admins: ReadonlyArray<Admin>;
};

/** The resources that contain a resource, and the resource itself if it is a service or an environment. An environment is in no service, and a deployment may run in several environments. */
export type Place = {
  readonly project: Project;
  readonly environment: Environment | null;
  readonly service: Service | null;
};

/** `CHANGE`: environments and services change together with the project. `DEPLOYMENT`: they change with the next deployment of their branch. */
export type PlanAppliesWith = "CHANGE" | "DEPLOYMENT";

/** A reason why the change would be refused now. */
export type PlanRefusal = {
  /** JSON Pointer into the body; empty if no single field is the cause. */
  readonly path: string;
  /** A stable code. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** The change of an environment or service. */
export type PlannedChange = "CREATED" | "CHANGED" | "REMOVED" | "UNCHANGED";

/** A variable of a planned write. */
export type PlannedEnvVariable = {
  /** The variable's name. */
  readonly name: string;
  /** The group of the request that has it. */
  readonly kind: EnvVariableKind;
};

/** The change of an environment. */
export type PlannedEnvironment = {
  /** Its id in the configuration. */
  readonly configId: string;
  /** Its id; null if it will be created. */
  readonly id: string | null;
  readonly change: PlannedChange;
  /** The fields that change. */
  readonly fields: ReadonlyArray<string>;
  /** The variables that change. All variables of something that is created are new; all of something that is removed are removed. */
  readonly variables: ReadonlyArray<PlannedVariable>;
  /** What the change means for data stores. */
  readonly notes: ReadonlyArray<string>;
  /** Its services; removed ones come last. */
  readonly services: ReadonlyArray<PlannedService>;
};

/** The change of a service. */
export type PlannedService = {
  /** Its id in the configuration. */
  readonly configId: string;
  /** Its id; null if it will be created. */
  readonly id: string | null;
  readonly change: PlannedChange;
  /** The fields that change. */
  readonly fields: ReadonlyArray<string>;
  /** The variables that change. All variables of something that is created are new; all of something that is removed are removed. */
  readonly variables: ReadonlyArray<PlannedVariable>;
  /** What the change means for data stores. */
  readonly notes: ReadonlyArray<string>;
};

/** A variable that changes. */
export type PlannedVariable = {
  /** Name of the variable. Its value is never shown. */
  readonly name: string;
  readonly change: PlannedVariableChange;
};

/** The change of the variable. */
export type PlannedVariableChange = "CREATED" | "CHANGED" | "REMOVED";

/** The run of `postDeployCommand`. */
export type PostDeploy = {
  /** The execution, which Slipway keeps for 30 days. */
  readonly executionId: string;
  readonly status: PostDeployStatus;
  /** Why it failed; null otherwise. */
  readonly error: DeploymentError | null;
};

/** `RUNNING` until it ends; `FAILED` also if it was cancelled. The execution has more. */
export type PostDeployStatus = "RUNNING" | "SUCCEEDED" | "FAILED";

/** A PostgreSQL database. */
export type PostgresServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A PostgreSQL database. */
  readonly type: "postgres";
  readonly existing?: ExistingPostgres | undefined;
  /** Whether Slipway refuses to delete a data store that it created. Apply `false` before its removal, which deletes its data after a last snapshot. Not in a template of previews, whose data stores are deleted with them. */
  readonly deletionProtection?: boolean | undefined;
  readonly version?: PostgresVersion | undefined;
  readonly size?: PostgresSize | undefined;
  /** The snapshot from which Slipway creates the data store, of the same type, cloud account and region. It has an effect only when the data store is created, and may be removed afterwards. By default, the data store is empty. */
  readonly snapshot?: string | undefined;
  /** The storage of a data store that Slipway creates, in GiB. It cannot decrease. On AWS only. */
  readonly storageGb?: number | undefined;
  /** For how many days daily backups of a data store that Slipway creates are kept. On AWS only. */
  readonly backupRetentionDays?: number | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** The memory of a data store that Slipway creates: 1, 2, 4, 8 or 16 GiB; `micro` by default. On AWS only. */
export type PostgresSize = "micro" | "small" | "medium" | "large" | "xlarge";

/** The major version of a data store that Slipway creates; by default, the platform chooses it. It cannot change after the data store is created. */
export type PostgresVersion = "14" | "15" | "16" | "17" | "18";

/** An environment of its own for a pull request, or for a key of a client. */
export type Preview = {
  /** Id of the preview. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The environment that it is made from. */
  readonly templateId: string;
  /** Its own environment; null while it has none. */
  readonly environmentId: string | null;
  /** `pr-12` for a pull request; otherwise as a client named it. */
  readonly key: string;
  readonly pullRequest: PullRequest | null;
  /** The branch of its commits. */
  readonly branch: string;
  /** The commit that it is to show. */
  readonly commitHash: string;
  /** The commit that was last deployed to it. */
  readonly deployedCommitHash: string | null;
  /** Whether its commits come from another repository. Each commit needs an approval then, and gets no secret. */
  readonly isFork: boolean;
  readonly state: PreviewState;
  /** When its processes were stopped; null unless it is `SLEEPING`. After a request wakes it, this may take a minute to change. */
  readonly sleepingSince: string | null;
  /** Why it is in this state; null if the state says all. */
  readonly reason: string | null;
  readonly waitsFor: PreviewActor | null;
  /** The user who approved the present commit. */
  readonly approvedBy: string | null;
  /** When it is deleted if no commit comes. */
  readonly expiresAt: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** Who acts next: a member of the project, an admin, who approves the commit or corrects the cloud account, or Slipway; null if nothing waits. */
export type PreviewActor = "developer" | "admin" | "slipway";

/** The visitors of previews. `protected`: users of Slipway who see the project, and tests with the bypass secret. `public`: everyone who has the address. */
export type PreviewAudience = "protected" | "public";

/** With it, tests pass the protection of a template's previews. */
export type PreviewBypass = {
  /** The header to send it in. */
  readonly header: string;
  /** The secret. Shown only once. */
  readonly secret: string;
};

/** The domain below which the previews of a template are. */
export type PreviewDomain = {
  /** The template, whose configuration has `source.previews.domain`. */
  readonly templateId: string;
  /** The domain; previews have names one label below it. */
  readonly domain: string;
  /** The service that has the domain; null until Slipway has made it. */
  readonly serviceId: string | null;
  /** The group of the wildcard domain; null until it is added. */
  readonly domainCertificateGroupId: string | null;
  /** The wildcard domain, with the records to set; null until it is added. */
  readonly domainId: string | null;
  /** The status of the wildcard domain; null until it is added. */
  readonly status: DomainStatus | null;
  readonly waitsFor: PreviewDomainActor | null;
  /** Why previews are not served below the domain yet; null if they are. */
  readonly reason: string | null;
};

/** Who acts next: a person, who sets records or corrects what `reason` names, or Slipway; null if previews are served below the domain. */
export type PreviewDomainActor = "user" | "slipway";

/** The domains of a project's previews. */
export type PreviewDomains = {
  /** One for each template that has a domain, ordered by the templates' ids. */
  readonly previewDomains: ReadonlyArray<PreviewDomain>;
};

/** The way of a browser into a protected preview. */
export type PreviewEntry = {
  /** Where the browser goes next. */
  readonly url: string;
};

/** The pull requests that get a preview, or with `watchPaths` only, the pushes that are deployed. All given lists must match; `*` and `**` stand for any text, as in file names. */
export type PreviewFilter = {
  /** The pull request has one of these labels. */
  readonly labels?: ReadonlyArray<string> | undefined;
  /** The pull request is to be merged into one of these branches; by default, into `branch`. */
  readonly toBranches?: ReadonlyArray<string> | undefined;
  /** The branch of the pull request is one of these. */
  readonly fromBranches?: ReadonlyArray<string> | undefined;
  /** The pull request changes one of these files. With `trigger: push`: a push builds a service only if it changes one of them since the commit that the service runs. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
};

/** How many previews there are, for how long, with which names, and who may open them. */
export type PreviewLimits = {
  /** The maximum number of previews at the same time. Others wait. */
  readonly max?: number | undefined;
  /** A preview is deleted this many days after its last commit. */
  readonly lifetimeDays?: number | undefined;
  /** The processes of a preview are stopped when its web services got no request for this many minutes. The next request starts them again, and is answered by them. By default, they are never stopped. */
  readonly sleepAfterMinutes?: number | undefined;
  readonly access?: PreviewAudience | undefined;
  /** Each HTTP service of a preview gets the name `<service>-<key>.<domain>`, such as `site-pr-12.preview.example.com`. All previews of the template share one distribution and one certificate for `*.<domain>`. By default, each service has a distribution and a name of its own. */
  readonly domain?: string | undefined;
};

/** One page of the list. */
export type PreviewList = {
  /** At most `limit` items, in the order of the list. */
  readonly previews: ReadonlyArray<Preview>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `WAITING_FOR_APPROVAL`: the commit is from another repository, and a member has to approve it. `WAITING_FOR_CAPACITY`: there are as many previews as the template allows. `ACTIVE`: it has an environment. `SLEEPING`: likewise, and its processes are stopped until the next request, because it got none for a while. `ENDED`: it expired or was deleted, until the next commit. `DELETING`: what it has in the cloud account is being removed. */
export type PreviewState = "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";

/** A problem document (RFC 9457). */
export type Problem = {
  /** Address of the page that explains the code. */
  readonly type: string;
  /** A short summary of the problem. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** The fault of this request, and what to do. */
  readonly detail: string;
  /** The path of the request. */
  readonly instance: string;
  readonly code: ErrorCode;
  /** The id of the request, as in the X-Request-Id header and in the log. */
  readonly requestId: string;
  /** Only with `RESOURCES_WOULD_STAY`: what would stay in the cloud account. */
  readonly leftInAccount?: LeftInAccount | undefined;
  /** Only with `EVENTS_EXPIRED`: the number of the oldest event that is kept. */
  readonly oldest?: number | undefined;
  /** Every fault of an invalid request. */
  readonly errors?: ReadonlyArray<Fault> | undefined;
};

/** A repository that is deployed to one cloud account. */
export type Project = {
  /** Id of the project. */
  readonly id: string;
  /** The organization that it belongs to. */
  readonly organizationId: string;
  /** Display name. */
  readonly name: string;
  readonly status: ProjectStatus;
  /** Its git repository. */
  readonly repoUrl: string;
  /** The cloud account connection that it is deployed to. */
  readonly awsAccountId: string;
  readonly codeSource: CodeSource;
  readonly configType: ConfigType;
  /** The configuration as it was sent, following the schema at /schema.json; only with `gui`. */
  readonly config: Readonly<Record<string, unknown>> | null;
  /** Path of the configuration in the repository; only with `iac`. */
  readonly configFilePath: string | null;
  /** Branch that holds the file; only with `iac`. */
  readonly configFileBranch: string | null;
  readonly access: ProjectAccess;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** `organization`: every user sees it, with the role of the organization or a higher one as a member. `members`: only its members see it, with their roles as members. Admins of the organization are admins of every project. */
export type ProjectAccess = "organization" | "members";

/** The branches of a project's repository. */
export type ProjectBranches = {
  /** At most 100, by name; `main` and `master` first. */
  readonly branches: ReadonlyArray<Branch>;
  /** Whether there are more: use `search`. */
  readonly hasMore: boolean;
  /** Why the git host's answer is missing; null if it answered. */
  readonly problem: string | null;
};

/** The fields of a project to change. Omitted fields stay as they are. */
export type ProjectChange = {
  /** Display name. */
  readonly name?: string | undefined;
  /** The new address of the repository, at the same provider and host. */
  readonly repoUrl?: string | undefined;
  /** Moves the configuration from `config` to a file in the repository, or back. */
  readonly configType?: ConfigType | undefined;
  /** With `gui`: the whole new configuration. */
  readonly config?: ProjectConfiguration | undefined;
  /** With `iac`: path of the configuration file, relative to the repository's root. */
  readonly configFilePath?: string | undefined;
  /** With `iac`: the branch that holds the file. */
  readonly configFileBranch?: string | undefined;
};

/** The recent commits of a branch. */
export type ProjectCommits = {
  /** The branch. */
  readonly branch: string;
  /** The newest first. */
  readonly commits: ReadonlyArray<BranchCommit>;
  /** Why the git host's answer is missing; null if it answered. */
  readonly problem: string | null;
};

/** The environments and services of a project. */
export type ProjectConfiguration = {
  /** The address of this schema, for editors. */
  readonly $schema?: string | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
  /** The environments of the project. */
  readonly environments: ReadonlyArray<EnvironmentConfiguration>;
};

/** One page of the list. */
export type ProjectList = {
  /** At most `limit` items, in the order of the list. */
  readonly projects: ReadonlyArray<Project>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The role of a user in a project. */
export type ProjectMember = {
  /** The project. */
  readonly projectId: string;
  /** The user. */
  readonly userId: string;
  readonly role: Role;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** One page of the list. */
export type ProjectMemberList = {
  /** At most `limit` items, in the order of the list. */
  readonly projectMembers: ReadonlyArray<ProjectMember>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The effects of a change of a project. */
export type ProjectPlan = {
  /** Whether the change would be accepted: `refusals` is empty. */
  readonly isApplicable: boolean;
  /** Fields of the project that change. */
  readonly fields: ReadonlyArray<string>;
  readonly appliesWith: PlanAppliesWith;
  /** The environments of the configuration. With `iac`, environments of branches other than `configFileBranch` are left out. */
  readonly environments: ReadonlyArray<PlannedEnvironment>;
  /** Why the change would be refused now. Empty if it would be accepted. */
  readonly refusals: ReadonlyArray<PlanRefusal>;
};

/** A project with the fields that a list of projects shows. */
export type ProjectRow = {
  /** Id of the project. */
  readonly id: string;
  /** The organization that it belongs to. */
  readonly organizationId: string;
  /** Display name. */
  readonly name: string;
  readonly status: ProjectStatus;
  /** Its git repository. */
  readonly repoUrl: string;
  /** The cloud account connection that it is deployed to. */
  readonly awsAccountId: string;
  readonly codeSource: CodeSource;
  readonly configType: ConfigType;
  /** The configuration as it was sent, following the schema at /schema.json; only with `gui`. */
  readonly config: Readonly<Record<string, unknown>> | null;
  /** Path of the configuration in the repository; only with `iac`. */
  readonly configFilePath: string | null;
  /** Branch that holds the file; only with `iac`. */
  readonly configFileBranch: string | null;
  readonly access: ProjectAccess;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
  readonly awsAccount: AccountOfProject | null;
  /** All of its environments. */
  readonly environments: ReadonlyArray<EnvironmentRow>;
  /** What needs attention, the most urgent first. */
  readonly attention: ReadonlyArray<Attention>;
};

/** One page of the list. */
export type ProjectRowList = {
  /** At most `limit` items, in the order of the list. */
  readonly projects: ReadonlyArray<ProjectRow>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `DELETING` while the project's resources in the cloud account are being removed; after that, reads of the project return 404. A project that is being deleted has no environments and cannot be changed. */
export type ProjectStatus = "ACTIVE" | "DELETING";

/** The error that a check of a DNS record found. */
export type PropagationCheckError = {
  /** The problem's code. */
  readonly code?: string | undefined;
  /** The finding, and what to do. */
  readonly message?: string | undefined;
};

/** The roles that may change an environment's deployments, variables and domains. */
export type Protection = {
  /** The lowest role in the project that may deploy to the environment, and set its variables and domains. */
  readonly deployers: Deployers;
  readonly approval: ApprovalRule | null;
};

/** The roles that may change the environment's deployments, variables and domains. Omitted fields stay as they are. */
export type ProtectionChange = {
  /** The lowest role in the project that may deploy to the environment, and set its variables and domains. */
  readonly deployers?: Deployers | undefined;
  readonly approval?: ApprovalRuleChange | null | undefined;
};

/** A pull request as the git host last described it. */
export type PullRequest = {
  /** Its number at the git host. */
  readonly number: number;
  /** Its title. */
  readonly title: string;
  /** Its address, for people. */
  readonly url: string;
  /** The login of its author; null if the account was deleted. */
  readonly author: string | null;
  /** The branch that it is to be merged into. */
  readonly base: string;
  /** The repository of its commits; null if that was deleted or is hidden. */
  readonly headRepository: string | null;
};

/** How Slipway last read the pull requests of a project. */
export type PullRequestRead = {
  /** When all open pull requests were last listed; null before that. Until the next list, the host said that nothing changed. */
  readonly listedAt: string | null;
  /** Why the last read failed: the git host, the git integration, or the configuration file on the branch of a template. Previews stay as they are, and Slipway tries again. Null if it succeeded. */
  readonly error: GitTokenCheckError | null;
};

/** The request body of `putPreview`. */
export type PutPreviewRequest = {
  /** The template, if the project has several. */
  readonly environmentId?: string | undefined;
  /** By default, the branch of the template. */
  readonly branch?: string | undefined;
  /** By default, the newest commit of the branch. */
  readonly commit?: string | undefined;
  /** When it is deleted; by default, after the template's lifetime. */
  readonly expiresAt?: string | undefined;
};

/** Requests can be served. */
export type Readiness = {
  /** Requests are served. */
  readonly status: "ready";
  /** `postgres` or `pglite`. */
  readonly database: string;
  /** The last migration that ran. */
  readonly migration: string;
};

/** Why a domain does not redirect as configured. */
export type RedirectProblem = {
  readonly code: RedirectProblemCode;
  /** A description of the problem. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
  /** Since when the problem exists. */
  readonly since: string;
};

/** The error code, for programs. */
export type RedirectProblemCode = "ACCESS_DENIED" | "TOO_MANY_REDIRECTS" | "REDIRECTS_REFUSED";

/** `SERVED`: the edge redirects everywhere. `PENDING`: it does not redirect everywhere yet, or one of the two domains is not `ATTACHED`. `ENDING`: it may still redirect in some places. `FAILED`: see `redirectProblem`. Null: the domain has no redirect, or is being deleted. */
export type RedirectStatus = "PENDING" | "SERVED" | "ENDING" | "FAILED";

/** Where the password of the cache is. */
export type RedisAuthToken = ValueFromParameterStore | ValueFromSecretsManager;

/** Where the whole connection string is; by default, it is put together from the other values. AWS cannot put together one with a password. */
export type RedisConnectionString = ValueFromParameterStore | ValueFromSecretsManager;

/** A Redis or Valkey cache. */
export type RedisServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A Redis or Valkey cache. */
  readonly type: "redis";
  readonly existing?: ExistingRedis | undefined;
  /** Whether Slipway refuses to delete a data store that it created. Apply `false` before its removal, which deletes its data after a last snapshot. Not in a template of previews, whose data stores are deleted with them. */
  readonly deletionProtection?: boolean | undefined;
  readonly version?: RedisVersion | undefined;
  readonly size?: RedisSize | undefined;
  /** The snapshot from which Slipway creates the data store, of the same type, cloud account and region. It has an effect only when the data store is created, and may be removed afterwards. By default, the data store is empty. */
  readonly snapshot?: string | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** The memory of a data store that Slipway creates: 1, 2, 4, 8 or 16 GiB; `micro` by default. On AWS only. */
export type RedisSize = "micro" | "small" | "medium" | "large" | "xlarge";

/** The major version of a data store that Slipway creates; by default, the platform chooses it. It cannot change after the data store is created. */
export type RedisVersion = "7" | "8";

/** The reason: the role, the key's scopes, the key's projects, or the protection of the environment; null if it is allowed. */
export type RefusedBy = "role" | "scope" | "projects" | "protection";

/** A variable for which a planned write would be refused. */
export type RefusedEnvVariable = {
  /** The variable's name. */
  readonly name: string;
  /** The group of the request that has it. */
  readonly kind: EnvVariableKind;
  /** The reason, for programs: an error code or the code of a fault. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** The key may no longer read the stream. This is the last event. */
export type RefusedEvent = {
  /** The stream ends here. */
  readonly event: "refused";
  readonly data: Problem;
};

/** The request body of `rejectDeployment`. */
export type RejectDeploymentRequest = {
  /** Decides only in this environment; by default, in every environment where the deployment waits for an approval. */
  readonly environmentId?: string | undefined;
  /** Shown with the deployment, in events and in audit entries. */
  readonly comment?: string | undefined;
};

/** Variables, grouped by how they are stored. A name may be in one group only. */
export type ReplaceEnvVariablesRequest = {
  /** Stored by Slipway as plain text, at most 32 KiB each. */
  readonly plainText?: Readonly<Record<string, string>> | undefined;
  /** Secrets, at most 4 KiB each. Slipway stores them in Parameter Store of the cloud account. */
  readonly parameterStore?: Readonly<Record<string, string>> | undefined;
  /** Secrets, at most 64 KiB each. Slipway stores them in Secrets Manager of the cloud account. */
  readonly secretsManager?: Readonly<Record<string, string>> | undefined;
  /** Paths of parameters that you manage. */
  readonly fromParameterStore?: Readonly<Record<string, string>> | undefined;
  /** Names or ARNs of secrets that you manage. */
  readonly fromSecretsManager?: Readonly<Record<string, string>> | undefined;
  /** Values of other services of the environment. */
  readonly fromService?: Readonly<Record<string, ServiceLink>> | undefined;
  /** The scope of the request's values of `parameterStore` and `secretsManager`; `true` is for a template only. `true`: previews of the repository's own pull requests get them, and so does the code of these pull requests; previews of forks never do. `false`: no preview gets them. If it is missing, values keep their scope, and new ones are for no preview. To change the scope of a value, delete the variable first. */
  readonly availableInPreviews?: boolean | undefined;
};

/** The request body of `replayWebhooks`. */
export type ReplayWebhooksRequest = {
  /** Only events at this time or later; by default, from the oldest event that is kept. */
  readonly from?: string | undefined;
  /** Only events before this time; by default, all that the endpoint was sent. */
  readonly until?: string | undefined;
  /** The event types that the endpoint receives: `domain.*` for all types of a subject, `*` for all events. */
  readonly types?: ReadonlyArray<string> | undefined;
  readonly only?: ReplayedDeliveries | undefined;
};

/** `failed`: events whose delivery has failed. `all`: all that match the endpoint's filter. */
export type ReplayedDeliveries = "failed" | "all";

/** The version to restore. */
export type RestoreEnvVariableRequest = {
  /** A `version` of the variable's history. */
  readonly version: string;
};

/** For how long this installation keeps records. */
export type Retention = {
  /** Days for which audit entries are kept; null for ever. */
  readonly auditEntryDays: number | null;
  /** Days for which replaced and deleted versions of variables are kept; null for ever. */
  readonly variableVersionDays: number | null;
  /** Days for which the results of storing variables in the account are kept. */
  readonly variableRunDays: number;
  /** Days for which events are kept. */
  readonly eventDays: number;
  /** Days for which deliveries of webhooks and their attempts are kept. */
  readonly webhookAttemptDays: number;
  /** Days for which the bodies of the receivers' responses are kept. */
  readonly webhookBodyDays: number;
  /** Days for which deliveries of git hosts are shown. */
  readonly gitDeliveryDays: number;
  /** Days for which the daily counts of domains are kept. */
  readonly domainCountDays: number;
  /** Hours for which the first response to an `Idempotency-Key` is repeated. */
  readonly idempotencyHours: number;
};

/** `viewer` reads, `developer` also writes, `admin` also manages users, keys, cloud accounts and git integrations. */
export type Role = "viewer" | "developer" | "admin";

/** The deployment that rolls back to an earlier one. */
export type Rollback = {
  readonly deployment: Deployment;
  /** What a rollback does not change, in plain words. */
  readonly notRestored: ReadonlyArray<string>;
};

/** What a rollback to a deployment changes, and what it does not. */
export type RollbackPlan = {
  /** The environments that are rolled back: all that it ran in and that still exist. */
  readonly environments: ReadonlyArray<EnvironmentRollback>;
  /** Parts that are not rolled back, in plain words. */
  readonly notRestored: ReadonlyArray<string>;
};

/** The request body of `rotateWebhookSecret`. */
export type RotateWebhookSecretRequest = {
  /** The number of hours for which the previous secret also signs. With 0, for example after a leak, it ends now. */
  readonly overlapHours?: number | undefined;
  /** Rotates even if the previous secret is still valid, and ends that secret now. */
  readonly force?: boolean | undefined;
};

/** The request body of `runCommand`. */
export type RunCommandRequest = {
  /** The command, for the shell of the release. */
  readonly command: string;
  /** After this many minutes, the command is stopped. */
  readonly timeoutMinutes?: number | undefined;
  /** Virtual CPUs; by default, those of an instance of the service. */
  readonly cpu?: number | undefined;
  /** Memory in GiB; by default, that of an instance of the service. */
  readonly memoryGb?: number | undefined;
};

/** The request body of `runJob`. */
export type RunJobRequest = {
  /** The command; by default, the job's own. */
  readonly startCommand?: string | undefined;
};

/** The request body of `scaleService`. */
export type ScaleServiceRequest = {
  readonly operation: ScalingOperation;
  /** A number of instances. */
  readonly count: number;
};

/** Whether `count` is the new number, or how many to `add` or `remove`. */
export type ScalingOperation = "set" | "add" | "remove";

/** Commands that run on schedules, in the files of one build. */
export type SchedulerServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** Commands that run on schedules, in the files of one build. */
  readonly type: "scheduler";
  /** A container image that runs instead of a build of the repository, with its own command unless there is a `startCommand`. It is public, or in ECR of the account. Each release runs the digest that a tag (default `latest`) had when it was deployed. On AWS only. */
  readonly image?: string | undefined;
  /** The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default. */
  readonly basePath?: string | undefined;
  /** A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
  /** The Dockerfile that builds the service, relative to `basePath`; by default `Dockerfile`, if there is one. On AWS only: other clouds build no Dockerfiles. */
  readonly dockerfilePath?: string | undefined;
  /** The folder whose files the build of the Dockerfile sees, relative to the root of the repository; `.` for the root. By default, `basePath`. The Dockerfile may be outside of it. On AWS only. */
  readonly dockerContext?: string | undefined;
  /** A command that runs in `basePath` before `buildCommand`, such as an installation of packages. */
  readonly installCommand?: string | undefined;
  /** The build command, run in `basePath`. */
  readonly buildCommand?: string | undefined;
  readonly logRetentionDays?: LogRetentionDays | undefined;
  readonly jobs: JobsConfiguration;
  /** Virtual CPUs of an instance. */
  readonly cpu?: number | undefined;
  /** Memory of an instance, in GiB. */
  readonly memoryGb?: number | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** The operations that a key may be used for, if its user may do them. `read`: read what viewers read; every scope includes it. `deploy`: deployments. `domains`: custom domains. `variables`: variables. `admin`: everything else, such as projects, cloud accounts, users, keys and webhooks. */
export type Scope = "read" | "deploy" | "domains" | "variables" | "admin";

/** A found resource, and where it belongs. Fields that its type does not have are null. */
export type SearchHit = {
  readonly type: SearchHitType;
  /** Id of the resource. */
  readonly id: string;
  /** Its name; of a deployment, the first line of its commit's message, null if that is not known. */
  readonly name: string | null;
  /** Of a project, domain, domain group, deployment or account: its `status`. */
  readonly status: string | null;
  /** The project that it belongs to, or is. */
  readonly projectId: string | null;
  /** The project's name. */
  readonly projectName: string | null;
  /** The environment that it belongs to, or is. */
  readonly environmentId: string | null;
  /** The environment's name. */
  readonly environmentName: string | null;
  /** The service that it belongs to, or is. */
  readonly serviceId: string | null;
  /** The service's name. */
  readonly serviceName: string | null;
  /** The group that it belongs to, or is. */
  readonly domainCertificateGroupId: string | null;
  /** Of a deployment: its branch. */
  readonly branch: string | null;
  /** Of a deployment: the first 7 digits of its commit. */
  readonly commit: string | null;
  /** When it was created. */
  readonly createdAt: string;
};

/** The kind of resource. */
export type SearchHitType = "project" | "environment" | "service" | "domain" | "domain_group" | "deployment" | "aws_account";

/** The resources that were found. */
export type SearchResult = {
  /** At most `limit` of each type, in the order of the types. */
  readonly hits: ReadonlyArray<SearchHit>;
  /** Types with more than `limit` hits. */
  readonly more: ReadonlyArray<SearchHitType>;
};

/** A plain value that looks like a secret. */
export type SecretToMove = {
  /** The id of the environment in the file; null for all environments. */
  readonly environment: string | null;
  /** The id of the service in the file; null for all services of the environment. */
  readonly service: string | null;
  /** The variable. */
  readonly name: string;
};

/** A certificate that is in use. */
export type ServerCertificate = {
  /** The name of the certificate. */
  readonly name: string;
  /** The organization of the name; null for a name of this server. */
  readonly organizationId: string | null;
  /** The CA that issued it. */
  readonly directory: string;
  /** When it was issued. */
  readonly issuedAt: string;
  /** When it expires. */
  readonly expiresAt: string;
  /** When Slipway renews it, or has been trying to since. */
  readonly renewAt: string;
  readonly problem: CertificateProblem | null;
};

/** The certificates in use. */
export type ServerCertificates = {
  /** Certificates in use. */
  readonly total: number;
  /** Certificates with less than a fifth of their life left, whose renewal does not wait for the owner. */
  readonly late: number;
  /** The smallest share of its life that one of them has left, from 0 to 1; null without certificates. A renewal is due at a third. */
  readonly leastLifeLeft: number | null;
  /** The first to expire, at most 100. */
  readonly first: ReadonlyArray<ServerCertificate>;
};

/** An edge that serves customers' domains. */
export type ServerEdge = {
  /** The edge's id; `main` for the edge of this server. */
  readonly id: string;
  /** Its public addresses, as its operator set them. */
  readonly addresses: ReadonlyArray<string>;
  /** Its release of Slipway. */
  readonly version: string;
  /** How many names it serves; null for the edge of this server. */
  readonly names: number | null;
  /** When it started. */
  readonly startedAt: string;
  /** When it last reported. */
  readonly reportedAt: string;
  readonly state: EdgeState;
  /** Its addresses and ports that accept no connection from the main machine. */
  readonly unreachable: ReadonlyArray<string>;
};

/** One part of an environment. */
export type Service = {
  /** Id of the service. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The environment that it belongs to. */
  readonly environmentId: string;
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  readonly type: ServiceType;
  /** The service's fields in the configuration that depend on its type, and `dependsOn`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The host name of its default distribution, or of a preview's service its name below `source.previews.domain`; null until the distribution exists, and for services that have none. */
  readonly cdnDomainName: string | null;
  /** The variables that are newer than the running release, which gets them with the next deployment or restart; null if there are none, or nothing runs. */
  readonly pendingRedeploy: PendingRedeploy | null;
  readonly dataStore: DataStore | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** The changes of a service. */
export type ServiceChange = {
  /** The service. */
  readonly service: string;
  /** Its fields that change. */
  readonly fields: ReadonlyArray<string>;
};

/** A service. Its `type` determines its fields. */
export type ServiceConfiguration = StaticServiceConfiguration | WebServiceConfiguration | WebPrivateServiceConfiguration | WorkerServiceConfiguration | SchedulerServiceConfiguration | ExternalServiceConfiguration | PostgresServiceConfiguration | MysqlServiceConfiguration | RedisServiceConfiguration | BucketServiceConfiguration;

/** How a service of the configuration differs. */
export type ServiceDifference = {
  /** Its id in the configuration. */
  readonly configId: string;
  /** Display name. */
  readonly name: string;
  readonly difference: ConfigurationDifference;
  /** Its fields that differ. */
  readonly fields: ReadonlyArray<string>;
  readonly variables: VariableDifferences;
};

/** The commit that runs as a service, compared with the branch. */
export type ServiceDrift = {
  /** The service. */
  readonly serviceId: string;
  /** Display name. */
  readonly name: string;
  /** The commit that runs; null if nothing was released yet. */
  readonly liveCommit: string | null;
  readonly state: DriftState;
};

/** The present health of a service. */
export type ServiceHealth = {
  /** The service. */
  readonly serviceId: string;
  readonly health: ServiceHealthState;
  /** Why it fails, or why its health is not known. */
  readonly problem: string | null;
  /** Its public addresses, once something is live: some of its domains, otherwise the host of its distribution. */
  readonly urls: ReadonlyArray<string>;
  /** Its address for other services of its environment; null for a worker. */
  readonly internalUrl: string | null;
  readonly live: LiveRelease | null;
};

/** `RUNNING`: the platform says that the live release runs and passes its health check. `FAILING`: the platform says that it does not. `SLEEPING`: it is stopped because its preview got no request for a while; the next one starts it. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: the platform does not report it, such as AWS, or could not be asked. */
export type ServiceHealthState = "RUNNING" | "FAILING" | "SLEEPING" | "NOT_DEPLOYED" | "UNKNOWN";

/** The instances of a service. */
export type ServiceInstances = {
  /** The service. */
  readonly serviceId: string;
  /** Instances that run or start. */
  readonly currentInstances: number | null;
  /** Instances that the service is to have. */
  readonly desiredInstances: number | null;
  /** Instances that run. */
  readonly runningInstances: number | null;
  /** Instances that start. */
  readonly pendingInstances: number | null;
  /** Whether the cloud changes the number itself, between the two limits: `maxInstances` is above `minInstances`. */
  readonly autoscalingEnabled: boolean;
  /** The lower limit, as the live release was configured. */
  readonly minInstances: number | null;
  /** The upper limit. */
  readonly maxInstances: number | null;
  /** Why the numbers are null, because the cloud does not report them; or why the last requested number was not set. Otherwise null. */
  readonly problem: string | null;
};

/** A property of another service of the environment. */
export type ServiceLink = {
  /** Id of another service of the environment. */
  readonly id: string;
  /** Its property: `url`, `host` or `port`; of a database `dbConnectionString`, `username`, `password`, `dbName`, `host` or `port`; of a cache `connectionString`, `host`, `port` or `authToken`; of a bucket `bucketName`. */
  readonly value: string;
};

/** One page of the list. */
export type ServiceList = {
  /** At most `limit` items, in the order of the list. */
  readonly services: ReadonlyArray<Service>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** A server-sent event of a service's log. `data` is JSON. */
export type ServiceLogEvent = ServiceLogLineEvent | ServiceLogReleaseEvent | RefusedEvent;

/** One line that a service printed. */
export type ServiceLogLine = {
  /** When it was printed. */
  readonly at: string;
  readonly stream: LogStream;
  /** The line, without its line break. */
  readonly text: string;
};

/** A line of the log. */
export type ServiceLogLineEvent = {
  /** A line was printed. */
  readonly event: "line";
  /** A cursor: pass it as `Last-Event-ID` or `cursor` to continue after this line. */
  readonly id?: string | undefined;
  readonly data: ServiceLogLine;
};

/** The release that printed the lines that follow. */
export type ServiceLogRelease = {
  /** The deployment whose release printed them. */
  readonly deploymentId: string;
};

/** The live release: sent first, and when another one went live. */
export type ServiceLogReleaseEvent = {
  /** Another release is live. */
  readonly event: "release";
  readonly data: ServiceLogRelease;
};

/** Lines that a service printed, and the cursor to continue from. */
export type ServiceLogs = {
  /** The deployment whose release printed them; null before the first release. */
  readonly deploymentId: string | null;
  /** The lines, in the order in which they were printed. */
  readonly lines: ReadonlyArray<ServiceLogLine>;
  /** Pass it as `cursor` to continue. It stays valid if there are no new lines yet. */
  readonly nextCursor: string;
};

/** `url` or `host`, or `port` of a `web` or `web-private` service. Workers and schedulers have none. Of a database `dbConnectionString`, `username`, `password`, `dbName`, `host` or `port`; of a cache `connectionString`, `host`, `port` or `authToken`; of a bucket `bucketName`. */
export type ServiceProperty = "url" | "host" | "port" | "dbConnectionString" | "username" | "password" | "dbName" | "connectionString" | "authToken" | "bucketName";

/** A change of the number of instances of a service. */
export type ServiceScaling = {
  /** The service. */
  readonly serviceId: string;
  /** The number of instances that the service was to have. */
  readonly previousDesiredCount: number;
  /** The number that it is to have now. */
  readonly newDesiredCount: number;
  /** Whether the cloud changes the number itself, between the two limits: `maxInstances` is above `minInstances`. */
  readonly autoscalingEnabled: boolean;
};

/** Requests to a service, as its cloud counted them. */
export type ServiceTraffic = {
  /** The service. */
  readonly serviceId: string;
  readonly source: TrafficSource | null;
  /** Why there are no counts; null if there are. */
  readonly problem: string | null;
  /** The length of a step, in seconds. */
  readonly stepSeconds: number;
  /** The beginning of the counted time. */
  readonly from: string | null;
  /** The end of the counted time. Later requests are not counted yet. */
  readonly until: string | null;
  /** Every step from `from` to `until`, oldest first, including steps without requests. */
  readonly points: ReadonlyArray<TrafficPoint>;
};

/** `static`: files. `web`: a server that answers HTTP. `web-private`: a server for other services of its environment only. `worker`: a background process that takes no requests. `scheduler`: commands that run on schedules. `external`: a host of your own. `postgres`, `mysql`, `redis`, `bucket`: data stores. `previews`: made by Slipway, it has the domain below which the previews of a template are. */
export type ServiceType = "static" | "web" | "web-private" | "worker" | "scheduler" | "external" | "postgres" | "mysql" | "redis" | "bucket" | "previews";

/** A sign-in of a user in one browser. */
export type Session = {
  /** Id of the session. */
  readonly id: string;
  /** The user who signed in. */
  readonly userId: string;
  /** The API key that was exchanged for it; null after a sign-in at an identity provider. */
  readonly apiKeyId: string | null;
  /** The identity provider; null after an exchange of a key. */
  readonly provider: string | null;
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean;
  /** The address that the sign-in came from. */
  readonly sourceAddress: string | null;
  /** The browser's user agent. */
  readonly userAgent: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last made a request, to about a minute. */
  readonly lastSeenAt: string;
  /** When it ends if it makes no further request. */
  readonly endsAt: string;
};

/** One page of the list. */
export type SessionList = {
  /** At most `limit` items, in the order of the list. */
  readonly sessions: ReadonlyArray<Session>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** Variables, grouped by how they are stored, and names of others to delete. A name may be in one place only. */
export type SetEnvVariablesRequest = {
  /** Stored by Slipway as plain text, at most 32 KiB each. */
  readonly plainText?: Readonly<Record<string, string>> | undefined;
  /** Secrets, at most 4 KiB each. Slipway stores them in Parameter Store of the cloud account. */
  readonly parameterStore?: Readonly<Record<string, string>> | undefined;
  /** Secrets, at most 64 KiB each. Slipway stores them in Secrets Manager of the cloud account. */
  readonly secretsManager?: Readonly<Record<string, string>> | undefined;
  /** Paths of parameters that you manage. */
  readonly fromParameterStore?: Readonly<Record<string, string>> | undefined;
  /** Names or ARNs of secrets that you manage. */
  readonly fromSecretsManager?: Readonly<Record<string, string>> | undefined;
  /** Values of other services of the environment. */
  readonly fromService?: Readonly<Record<string, ServiceLink>> | undefined;
  /** The scope of the request's values of `parameterStore` and `secretsManager`; `true` is for a template only. `true`: previews of the repository's own pull requests get them, and so does the code of these pull requests; previews of forks never do. `false`: no preview gets them. If it is missing, values keep their scope, and new ones are for no preview. To change the scope of a value, delete the variable first. */
  readonly availableInPreviews?: boolean | undefined;
  /** Names of variables to delete in the same transaction. All of them must have been set with the API. */
  readonly delete?: ReadonlyArray<string> | undefined;
};

/** The request body of `setProjectAccess`. */
export type SetProjectAccessRequest = {
  readonly access: ProjectAccess;
};

/** The request body of `setProjectMember`. */
export type SetProjectMemberRequest = {
  readonly role: Role;
};

/** How the pages look, with the installation's settings for what the organization did not set. */
export type ShareAppearance = {
  /** The name that the pages show. */
  readonly name: string;
  /** The colour that they show. */
  readonly accentColor: string;
  /** The colour of text on it, white or black, for enough contrast. */
  readonly textColor: string;
  /** The colour of links in the light theme. */
  readonly linkColorLight: string;
  /** The colour of links in the dark theme. */
  readonly linkColorDark: string;
  /** The address of the logo; null: none is shown. */
  readonly logoUrl: string | null;
};

/** A page without sign-in that shows the DNS records of domains of a group. */
export type ShareLink = {
  /** Id of the link. */
  readonly id: string;
  /** The group whose DNS records it shows. */
  readonly domainCertificateGroupId: string;
  /** The names that it shows. Names that the group gets later are shown only after they are added to the link. */
  readonly domains: ReadonlyArray<string>;
  /** The user who created it. */
  readonly createdBy: string;
  /** When it was created. */
  readonly createdAt: string;
  /** When it expires. */
  readonly expiresAt: string;
  /** When it was opened for the first time, by a person or by a program that previews links; null before that. */
  readonly openedAt: string | null;
};

/** One page of the list. */
export type ShareLinkList = {
  /** At most `limit` items, in the order of the list. */
  readonly shareLinks: ReadonlyArray<ShareLink>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** An account at an `identity-provider` that was used here, an `api-key` that has not expired, or a trusted `workload`. */
export type SignInKind = "identity-provider" | "api-key" | "workload";

/** A way in which a user signs in or is authenticated. */
export type SignInMethod = {
  readonly kind: SignInKind;
  /** The issuer: the provider, or the workload's platform; null for a key. */
  readonly issuer: string | null;
  /** The name of the provider that people know; null for other methods, and for a provider that is no longer configured. */
  readonly label: string | null;
};

/** An identity provider to sign in at. */
export type SignInProvider = {
  /** Its name in URLs, such as `/auth/oidc/corp/start`. */
  readonly name: string;
  /** Display name. */
  readonly label: string;
  /** Whether it answered the last request of Slipway. */
  readonly isReachable: boolean;
  /** Where a sign-in begins; takes `?returnTo=/path`. */
  readonly startUrl: string;
  /** Where to send the browser after its session has ended, to sign out there too; null if the provider has no such address. */
  readonly signOutUrl: string | null;
};

/** The identity providers of this installation. */
export type SignInProviders = {
  /** In the order of their names. */
  readonly providers: ReadonlyArray<SignInProvider>;
};

/** A copy of the data of a data store that Slipway created. */
export type Snapshot = {
  /** The snapshot. A data store with this `snapshot` is created from it. */
  readonly id: string;
  /** The data store whose data it has; it may be deleted. */
  readonly serviceId: string;
  /** The data store's id in the configuration. */
  readonly serviceConfigId: string;
  /** The data store's environment; it may be deleted. */
  readonly environmentId: string;
  /** The environment's id in the configuration. */
  readonly environmentConfigId: string;
  /** The data store's project; it may be deleted. */
  readonly projectId: string;
  /** The connection to the cloud account that has it. */
  readonly awsAccountId: string;
  /** The region that has it. */
  readonly region: string;
  readonly type: SnapshotType;
  /** The version of the data store; null until it is known. */
  readonly version: string | null;
  readonly reason: SnapshotReason;
  /** The user who asked for it; null for a `final` one, and if it is not known. */
  readonly requestedBy: string | null;
  readonly status: SnapshotStatus;
  readonly failure: SnapshotFailure | null;
  /** Its size, if the cloud reports it. On AWS, the storage of the database: a database that is restored from it has at least this storage. */
  readonly sizeBytes: number | null;
  /** When it was created. */
  readonly createdAt: string;
};

/** With `FAILED`, why it has no data. With `DELETING`, why the cloud refuses to delete it; with `CREATING`, why its removed data store cannot be deleted: Slipway retries both. Otherwise null. */
export type SnapshotFailure = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** One page of the list. */
export type SnapshotList = {
  /** At most `limit` items, in the order of the list. */
  readonly snapshots: ReadonlyArray<Snapshot>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `manual`: a user asked for it. `final`: it was taken before its data store was deleted. */
export type SnapshotReason = "manual" | "final";

/** `CREATING`: being taken. `AVAILABLE`: a data store can be created from it. `FAILED`: `failure` says why it has no data. `DELETING`: being deleted; then a read returns 404. */
export type SnapshotStatus = "CREATING" | "AVAILABLE" | "FAILED" | "DELETING";

/** The type of the data store, and of each that is created from it. */
export type SnapshotType = "postgres" | "mysql" | "redis";

/** Only domains with this warning; `ANY` for any, `RENEWAL_UNSAFE` for those with which a renewal of the certificate would fail today. */
export type SoughtDomainWarning = "ANY" | "RENEWAL_UNSAFE" | "VERIFICATION_RECORD_MISSING" | "CONNECTION_RECORD_MISSING" | "CAA_REFUSES_RENEWAL" | "CAA_REFUSES_CERTIFICATE" | "APEX_NOT_SUPPORTED" | "DNS_RECORD_CONFLICT" | "DNS_WILDCARD_IN_USE" | "DNS_ZONE_NOT_FOUND" | "DNS_ZONE_AMBIGUOUS" | "DNS_ZONE_NOT_ALLOWED";

/** The branch that is deployed, and when. */
export type SourceConfiguration = {
  /** The branch that is deployed. */
  readonly branch: string;
  readonly trigger?: ConfiguredTrigger | undefined;
  readonly report?: ConfiguredReport | undefined;
  /** The environment is a template: each pull request gets an environment with its services, a preview. The template itself is not deployed. */
  readonly pr?: boolean | undefined;
  readonly filter?: PreviewFilter | undefined;
  readonly previews?: PreviewLimits | undefined;
};

/** The request body of `startDomainConnect`. */
export type StartDomainConnectRequest = {
  /** True: the provider sets only the record for the certificate, and the name keeps its present target. False: the provider also sets the record that leads the name to the service, which answers once the certificate is issued. */
  readonly verificationOnly?: boolean | undefined;
};

/** The deployments that a delivery started. */
export type StartedDeployments = {
  /** The deployments that were started; empty for none. */
  readonly deploymentIds: ReadonlyArray<string>;
};

/** An invalidation that was requested. */
export type StartedInvalidation = {
  /** What happens now. */
  readonly message: string;
  /** The invalidation. */
  readonly invalidationId: string;
};

/** An execution of a job that was requested. */
export type StartedJob = {
  /** The execution. */
  readonly jobExecutionId: string;
};

/** Files that are served as they are. */
export type StaticServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** Files that are served as they are. */
  readonly type: "static";
  /** The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default. */
  readonly basePath?: string | undefined;
  /** A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
  /** A command that runs in `basePath` before `buildCommand`, such as an installation of packages. */
  readonly installCommand?: string | undefined;
  /** The build command, run in `basePath`. */
  readonly buildCommand?: string | undefined;
  /** The folder with the files, relative to `basePath`; `.` for that folder itself. */
  readonly outputDirectory: string;
  /** Whether the files are a single-page app: each address whose last part has no dot is answered with `index.html` and 200, except below `/.well-known/`. */
  readonly singlePageApp?: boolean | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** Counts of domains, certificates and deployments. */
export type Statistics = {
  readonly domains: DomainCounts;
  /** Counted every hour. Days without domains are left out. Empty for one project, and for callers who do not see all projects. */
  readonly domainDays: ReadonlyArray<DomainDay>;
  /** Past weeks, and the next 400 days. Weeks without an expiry are left out. */
  readonly certificateExpiry: ReadonlyArray<ExpiryWeek>;
  /** Days without deployments are left out. */
  readonly deploymentDays: ReadonlyArray<DeploymentDay>;
};

/** Why the last attempt failed; null while none did. Slipway tries again until it is deleted. */
export type StoreDeletionFailure = {
  /** The cause, for programs. */
  readonly code: string;
  /** The cause, and what to do. */
  readonly message: string;
};

/** Its type. */
export type StoreType = "postgres" | "mysql" | "redis" | "bucket";

/** Where a managed value is stored: exactly one of the two fields. */
export type StoredEnvVariable = {
  /** The path of its parameter. */
  readonly fromParameterStore?: string | undefined;
  /** The ARN of its secret. */
  readonly fromSecretsManager?: string | undefined;
};

/** Requests in one step of time. */
export type TrafficPoint = {
  /** When the step began. */
  readonly at: string;
  /** Requests to all distributions of the service. */
  readonly requests: number;
  /** Requests answered with a status of 400 to 499. */
  readonly clientErrors: number;
  /** Requests answered with a status of 500 or more. */
  readonly serverErrors: number;
};

/** The source of the counts. `SANDBOX` and `EDGE`: the edge of the sandbox, or of the own server, since it started. `CLOUDFRONT`: the metrics of CloudFront, which are some minutes late. Null: there are no counts, and requests may have been made. */
export type TrafficSource = "SANDBOX" | "EDGE" | "CLOUDFRONT";

/** The request body of `updateAwsAccount`. */
export type UpdateAwsAccountRequest = {
  /** Display name. */
  readonly name?: string | undefined;
  /** Your own identifier, unique within the organization. */
  readonly givenId?: string | undefined;
  /** The only AWS account that may connect (12 digits); a stack in any other account is refused. Null or omitted: any account whose role trusts this connection. */
  readonly expectedAwsAccountId?: string | null | undefined;
};

/** The request body of `updateBranding`. */
export type UpdateBrandingRequest = {
  /** The name at the top of the pages. */
  readonly name?: string | null | undefined;
  /** The colour of the top, the buttons and the links, as `#rrggbb`. */
  readonly accentColor?: string | null | undefined;
  /** The bytes of a PNG, JPEG or WebP image, in base64: at most 64 KiB, and 1,024 pixels on each side. */
  readonly logo?: string | null | undefined;
};

/** The request body of `updateDomainCertificateGroup`. */
export type UpdateDomainCertificateGroupRequest = {
  /** True: Slipway sets the domains' records itself where the DNS delegates their zone to a DNS zone of the cloud account, and its owner allows it. It only creates records, and removes them with the domain. If it cannot, the domains have warnings. */
  readonly autoDns: boolean;
};

/** The request body of `updateDomain`. */
export type UpdateDomainRequest = {
  /** The name of another domain of the group; null for no redirect. */
  readonly redirectTo: string | null;
};

/** The request body of `updateEnvironment`. */
export type UpdateEnvironmentRequest = {
  readonly protection: ProtectionChange;
};

/** The request body of `updateGitIntegration`. */
export type UpdateGitIntegrationRequest = {
  /** An access token of the provider. It must be able to read repositories and their members. */
  readonly token: string;
};

/** The request body of `updateNotificationChannel`. */
export type UpdateNotificationChannelRequest = {
  /** Display name. */
  readonly name?: string | undefined;
  /** The incoming webhook of Slack, Discord or Teams: https://, at a public address. It is a secret: it is stored encrypted and never shown. */
  readonly url?: string | undefined;
  /** The addresses that an e-mail is sent to. */
  readonly recipients?: ReadonlyArray<string> | undefined;
  /** The event types that it reports, such as `domain.*`; null for the default set. With a type that reports a problem, its recovery is reported too. */
  readonly types?: ReadonlyArray<string> | null | undefined;
  /** Only events of this project. */
  readonly projectId?: string | null | undefined;
  /** Only events of this environment. */
  readonly environmentId?: string | null | undefined;
  /** False: nothing is sent. True: reports the events from now on. */
  readonly enabled?: boolean | undefined;
};

/** The request body of `updateOrganization`. */
export type UpdateOrganizationRequest = {
  /** Display name. */
  readonly name?: string | undefined;
};

/** The request body of `updateOwnNotifications`. */
export type UpdateOwnNotificationsRequest = {
  /** True: reports the events from now on. False: nothing is sent. */
  readonly enabled?: boolean | undefined;
  /** The event types that it reports, such as `domain.*`; null for the default set. With a type that reports a problem, its recovery is reported too. */
  readonly types?: ReadonlyArray<string> | null | undefined;
  /** Only events of these projects; null for all that you see. */
  readonly projectIds?: ReadonlyArray<string> | null | undefined;
};

/** The request body of `updateShareLink`. */
export type UpdateShareLinkRequest = {
  /** All names of the group that the link shows from now on. */
  readonly domains: ReadonlyArray<string>;
};

/** The request body of `updateUser`. */
export type UpdateUserRequest = {
  /** Unique within the organization. */
  readonly email?: string | undefined;
  /** Display name; the email address by default. */
  readonly name?: string | undefined;
  /** The user's login at the git provider. */
  readonly gitLogin?: string | null | undefined;
  readonly role?: Role | undefined;
};

/** The request body of `updateWebhookEndpoint`. */
export type UpdateWebhookEndpointRequest = {
  /** Where the events are sent: https://, without user name and password, at public addresses. Redirects are not followed. */
  readonly url?: string | undefined;
  /** The event types that the endpoint receives: `domain.*` for all types of a subject, `*` for all events. */
  readonly types?: ReadonlyArray<string> | undefined;
  /** Display name. */
  readonly description?: string | undefined;
  /** Only events of this project. */
  readonly projectId?: string | null | undefined;
  /** Only events of this environment. */
  readonly environmentId?: string | null | undefined;
  /** The maximum number of deliveries per second; null for no limit. */
  readonly maxPerSecond?: number | null | undefined;
  /** Additional headers, such as `Authorization`. Their values are stored encrypted and never shown. In a change, they replace all earlier ones. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
};

/** A user of the organization. */
export type User = {
  /** Id of the user. */
  readonly id: string;
  readonly kind: UserKind;
  /** Unique within the organization; null for a service account, and if the identity provider gives none. */
  readonly email: string | null;
  /** Display name. */
  readonly name: string;
  readonly role: Role;
  /** The user's login at the git provider. */
  readonly gitLogin: string | null;
  /** When a key, a session or a workload of the user last made a request, to about a minute; null if none did yet. If-Match is not compared with it. */
  readonly lastSeenAt: string | null;
  /** How the user signs in or is authenticated: identity providers first, then keys, then workloads. */
  readonly signInMethods: ReadonlyArray<SignInMethod>;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** How a user is invited, and the last invitation; null if there was none in the last 30 days. */
export type UserInvitation = {
  /** The address of the page to sign in. */
  readonly signInUrl: string;
  readonly message: InvitationMessage | null;
  readonly refusal: InvitationRefusal | null;
  readonly last: Invitation | null;
};

/** A `person`, or a program: a `service` account, which does not sign in. */
export type UserKind = "person" | "service";

/** One page of the list. */
export type UserList = {
  /** At most `limit` items, in the order of the list. */
  readonly users: ReadonlyArray<User>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** A parameter in Parameter Store that you manage. */
export type ValueFromParameterStore = {
  /** The parameter's path. */
  readonly fromParameterStore: string;
};

/** A secret in Secrets Manager that you manage. */
export type ValueFromSecretsManager = {
  /** The secret's name or ARN; an ARN may end with `:KEY::` of a JSON secret. */
  readonly fromSecretsManager: string;
};

/** Where managed values are kept. Null if the server's own folder has them. */
export type ValueStore = {
  /** The address of OpenBao or Vault. */
  readonly address: string;
  /** Why it cannot be used, and what to do; null if it answers, and lets Slipway read. */
  readonly problem: string | null;
};

/** A variable that Flightcontrol sets in services. */
export type VariableAlias = {
  /** The variable that Flightcontrol sets. */
  readonly name: string;
  /** The variable that Slipway sets; null if none. */
  readonly replacement: string | null;
  /** What to do if the code reads it. */
  readonly says: string;
};

/** The value of an environment variable, or where to read it. */
export type VariableConfiguration = string | VariableWithPreviewValue | VariableFromService | VariableFromParameterStore | VariableFromSecretsManager;

/** Names of variables of the configuration that differ. Those of the API are not part of it. */
export type VariableDifferences = {
  /** Names only in the newer configuration. */
  readonly added: ReadonlyArray<string>;
  /** Names in both, with different values, which are not shown. */
  readonly changed: ReadonlyArray<string>;
  /** Names only in the older configuration. */
  readonly removed: ReadonlyArray<string>;
};

/** A parameter in Parameter Store that you manage. */
export type VariableFromParameterStore = {
  /** The parameter's path. */
  readonly fromParameterStore: string;
  /** The value in previews instead, stored as plain text. */
  readonly previewValue?: string | undefined;
};

/** A secret in Secrets Manager that you manage. */
export type VariableFromSecretsManager = {
  /** The secret's name or ARN. */
  readonly fromSecretsManager: string;
  /** The value in previews instead, stored as plain text. */
  readonly previewValue?: string | undefined;
};

/** A property of another service of the same environment. */
export type VariableFromService = {
  readonly fromService: ConfiguredServiceProperty;
};

/** A value, and another one in previews. */
export type VariableWithPreviewValue = {
  /** The value itself, stored as plain text. */
  readonly value: string;
  /** The value in previews instead, stored as plain text. */
  readonly previewValue: string;
};

/** By name: letters, digits and `_`, not beginning with a digit, at most 255 characters. A value is text of at most 32 KiB, or says where to read it. Never put a secret here; set it with the API as `parameterStore` or `secretsManager`. */
export type VariablesConfiguration = Readonly<Record<string, VariableConfiguration>>;

/** The party that acts next: the `CUSTOMER`, who sets a record or solves the `problem`, or `SLIPWAY`. */
export type WaitedFor = "CUSTOMER" | "SLIPWAY";

/** A server without a public address, for other services of its environment. */
export type WebPrivateServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A server without a public address, for other services of its environment. */
  readonly type: "web-private";
  /** A container image that runs instead of a build of the repository, with its own command unless there is a `startCommand`. It is public, or in ECR of the account. Each release runs the digest that a tag (default `latest`) had when it was deployed. On AWS only. */
  readonly image?: string | undefined;
  /** The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default. */
  readonly basePath?: string | undefined;
  /** A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
  /** The Dockerfile that builds the service, relative to `basePath`; by default `Dockerfile`, if there is one. On AWS only: other clouds build no Dockerfiles. */
  readonly dockerfilePath?: string | undefined;
  /** The folder whose files the build of the Dockerfile sees, relative to the root of the repository; `.` for the root. By default, `basePath`. The Dockerfile may be outside of it. On AWS only. */
  readonly dockerContext?: string | undefined;
  /** A command that runs in `basePath` before `buildCommand`, such as an installation of packages. */
  readonly installCommand?: string | undefined;
  /** The build command, run in `basePath`. */
  readonly buildCommand?: string | undefined;
  /** The command that starts the service; only with `image`, it may be left out. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly startCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, before it replaces the running one. If it fails or takes more than 30 minutes, the release fails. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly preDeployCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, after it went live. If it fails or takes more than 60 minutes, the deployment says so, and the release stays live. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly postDeployCommand?: string | ReadonlyArray<string> | undefined;
  /** The port where the server listens. */
  readonly port: number;
  /** Seconds from one health check to the next; on AWS 10 by default, elsewhere at most 1. */
  readonly healthCheckIntervalSeconds?: number | undefined;
  /** Seconds within which the server must answer a health check; less than `healthCheckIntervalSeconds`. */
  readonly healthCheckTimeoutSeconds?: number | undefined;
  /** Seconds that a server may take to become healthy after its start. */
  readonly healthCheckGracePeriodSeconds?: number | undefined;
  readonly logRetentionDays?: LogRetentionDays | undefined;
  readonly autoscaling?: Autoscaling | undefined;
  /** Virtual CPUs of an instance. */
  readonly cpu?: number | undefined;
  /** Memory of an instance, in GiB. */
  readonly memoryGb?: number | undefined;
  /** The minimum number of instances. */
  readonly minInstances?: number | undefined;
  /** The maximum number of instances under load; `minInstances` by default. */
  readonly maxInstances?: number | undefined;
  /** A path that answers 2xx or 3xx while the server is healthy. */
  readonly healthCheckPath?: string | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** A server that answers HTTP. */
export type WebServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A server that answers HTTP. */
  readonly type: "web";
  /** A container image that runs instead of a build of the repository, with its own command unless there is a `startCommand`. It is public, or in ECR of the account. Each release runs the digest that a tag (default `latest`) had when it was deployed. On AWS only. */
  readonly image?: string | undefined;
  /** The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default. */
  readonly basePath?: string | undefined;
  /** A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
  /** The Dockerfile that builds the service, relative to `basePath`; by default `Dockerfile`, if there is one. On AWS only: other clouds build no Dockerfiles. */
  readonly dockerfilePath?: string | undefined;
  /** The folder whose files the build of the Dockerfile sees, relative to the root of the repository; `.` for the root. By default, `basePath`. The Dockerfile may be outside of it. On AWS only. */
  readonly dockerContext?: string | undefined;
  /** A command that runs in `basePath` before `buildCommand`, such as an installation of packages. */
  readonly installCommand?: string | undefined;
  /** The build command, run in `basePath`. */
  readonly buildCommand?: string | undefined;
  /** The command that starts the service; only with `image`, it may be left out. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly startCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, before it replaces the running one. If it fails or takes more than 30 minutes, the release fails. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly preDeployCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, after it went live. If it fails or takes more than 60 minutes, the deployment says so, and the release stays live. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly postDeployCommand?: string | ReadonlyArray<string> | undefined;
  /** The port where the server listens. */
  readonly port: number;
  /** Seconds from one health check to the next; on AWS 10 by default, elsewhere at most 1. */
  readonly healthCheckIntervalSeconds?: number | undefined;
  /** Seconds within which the server must answer a health check; less than `healthCheckIntervalSeconds`. */
  readonly healthCheckTimeoutSeconds?: number | undefined;
  /** Seconds that a server may take to become healthy after its start. */
  readonly healthCheckGracePeriodSeconds?: number | undefined;
  readonly logRetentionDays?: LogRetentionDays | undefined;
  readonly autoscaling?: Autoscaling | undefined;
  /** Virtual CPUs of an instance. */
  readonly cpu?: number | undefined;
  /** Memory of an instance, in GiB. */
  readonly memoryGb?: number | undefined;
  /** The minimum number of instances. */
  readonly minInstances?: number | undefined;
  /** The maximum number of instances under load; `minInstances` by default. */
  readonly maxInstances?: number | undefined;
  /** A path that answers 2xx or 3xx while the server is healthy. */
  readonly healthCheckPath?: string | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** One attempt of a delivery. */
export type WebhookAttempt = {
  /** The number of the attempt, as in the header `Slipway-Attempt`. */
  readonly number: number;
  readonly trigger: WebhookTrigger;
  /** Where it was sent. */
  readonly url: string;
  /** When it was sent. */
  readonly startedAt: string;
  /** When it ended. Null while it runs, and if its outcome is unknown; it was repeated then. */
  readonly endedAt: string | null;
  /** The IP address that the connection was made to. */
  readonly address: string | null;
  /** The time of the DNS lookup, in ms; null if the attempt did not get that far. */
  readonly dnsMs: number | null;
  /** The time to connect, in ms; null if the attempt did not get that far. */
  readonly connectMs: number | null;
  /** The time of the TLS handshake, in ms; null if the attempt did not get that far. */
  readonly tlsMs: number | null;
  /** The time until the response began, in ms; null if the attempt did not get that far. */
  readonly firstByteMs: number | null;
  /** The time of the whole attempt, in ms; null if the attempt did not get that far. */
  readonly totalMs: number | null;
  /** The status of the response. */
  readonly status: number | null;
  /** The headers of the response. */
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The first 16 KiB of the response; null without a response, and after seven days. */
  readonly responseBody: string | null;
  /** Whether the response was longer than `responseBody`. */
  readonly isCut: boolean | null;
  /** Why it failed; null if it did not, or its outcome is unknown. */
  readonly error: WebhookAttemptError | null;
  /** When the next attempt was due after this one; null if none was. */
  readonly nextAttemptAt: string | null;
};

/** Why an attempt failed. */
export type WebhookAttemptError = {
  readonly code: WebhookAttemptErrorCode;
  /** The error. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
};

/** The error code, for programs. */
export type WebhookAttemptErrorCode = "ADDRESS_REFUSED" | "CONNECT_TIMEOUT" | "CONNECTION_REFUSED" | "TLS_FAILED" | "CONNECTION_CLOSED" | "ANSWER_TIMEOUT" | "REDIRECTED" | "GONE" | "REFUSED" | "NOT_FOUND" | "TOO_LARGE" | "RATE_LIMITED" | "SERVER_ERROR" | "UNEXPECTED_STATUS";

/** The delivery of one event to an endpoint. */
export type WebhookDelivery = {
  /** Id of the delivery. */
  readonly id: string;
  /** The event's id, which is the `webhook-id`. Null until a ping has its number. */
  readonly eventId: string | null;
  /** The event's type. */
  readonly eventType: string;
  /** The event's number. */
  readonly sequence: number | null;
  /** The subject of the event. */
  readonly subjectId: string;
  readonly trigger: WebhookTrigger;
  readonly status: WebhookDeliveryStatus;
  /** The number of attempts. */
  readonly attempts: number;
  /** When it was last sent. */
  readonly lastAttemptAt: string | null;
  /** The status of the response. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null if it did not, or its outcome is unknown. */
  readonly lastError: WebhookAttemptError | null;
  /** When it is sent next, if the endpoint is not failing; null if no attempt is due. */
  readonly nextAttemptAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
};

/** One page of the list. */
export type WebhookDeliveryList = {
  /** At most `limit` items, in the order of the list. */
  readonly deliveries: ReadonlyArray<WebhookDelivery>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `PENDING` while it is sent or waits for its next attempt; `FAILED` after all attempts, until it is sent again. */
export type WebhookDeliveryStatus = "PENDING" | "DELIVERED" | "FAILED";

/** A delivery and its attempts. */
export type WebhookDeliveryWithLog = {
  /** Id of the delivery. */
  readonly id: string;
  /** The event's id, which is the `webhook-id`. Null until a ping has its number. */
  readonly eventId: string | null;
  /** The event's type. */
  readonly eventType: string;
  /** The event's number. */
  readonly sequence: number | null;
  /** The subject of the event. */
  readonly subjectId: string;
  readonly trigger: WebhookTrigger;
  readonly status: WebhookDeliveryStatus;
  /** The number of attempts. */
  readonly attempts: number;
  /** When it was last sent. */
  readonly lastAttemptAt: string | null;
  /** The status of the response. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null if it did not, or its outcome is unknown. */
  readonly lastError: WebhookAttemptError | null;
  /** When it is sent next, if the endpoint is not failing; null if no attempt is due. */
  readonly nextAttemptAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** Its attempts, the newest first, 50 at most. */
  readonly log: ReadonlyArray<WebhookAttempt>;
};

/** An address that events are sent to. */
export type WebhookEndpoint = {
  /** Id of the endpoint. */
  readonly id: string;
  /** Where the events are sent. */
  readonly url: string;
  /** The event types that it receives. */
  readonly types: ReadonlyArray<string>;
  /** Only events of this project; null for all projects. */
  readonly projectId: string | null;
  /** Only events of this environment; null for all environments. */
  readonly environmentId: string | null;
  /** Display name. */
  readonly description: string;
  /** The maximum number of deliveries per second; null for no limit. */
  readonly maxPerSecond: number | null;
  /** The additional headers. Their values are never shown. */
  readonly headerNames: ReadonlyArray<string>;
  readonly status: WebhookEndpointStatus;
  /** Why it is disabled. `USER`: a user disabled it. `GONE`: it answered 410. `FAILING`: five days passed without a success. */
  readonly disabledReason: string | null;
  /** When the first failure after the last success occurred; null after a success. */
  readonly failingSince: string | null;
  /** Until when the previous secret also signs; null if there is none. */
  readonly previousSecretUntil: string | null;
  /** Whether a replay is running. */
  readonly isReplaying: boolean;
  /** Whether an event or a test was sent to it yet. If-Match is not compared with it. */
  readonly isUsed: boolean;
  /** When it was created. */
  readonly createdAt: string;
  /** When it last changed. */
  readonly updatedAt: string;
};

/** One page of the list. */
export type WebhookEndpointList = {
  /** At most `limit` items, in the order of the list. */
  readonly webhookEndpoints: ReadonlyArray<WebhookEndpoint>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** `FAILING` after five failures in a row: one event at a time is tried, the others wait. `DISABLED` endpoints receive nothing. */
export type WebhookEndpointStatus = "HEALTHY" | "FAILING" | "DISABLED";

/** A replay that has begun. */
export type WebhookReplay = {
  /** How many events are sent again, counted up to 100,000. */
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly isMore: boolean;
};

/** The new secret of an endpoint. */
export type WebhookSecret = {
  /** The secret that signs the deliveries (Standard Webhooks). Shown only once. */
  readonly secret: string;
  /** Until when the previous secret also signs; null if there is none. */
  readonly previousSecretUntil: string | null;
};

/** Why it is sent: automatically (`auto`), by a `replay`, by a redelivery (`manual`), or as a `ping`. */
export type WebhookTrigger = "auto" | "replay" | "manual" | "ping";

/** When instances are added, up to `maxInstances`: when one of these values is exceeded. They are removed, down to `minInstances`, when all allow it. By default, `cpuThreshold` is 70. On AWS only. */
export type WorkerAutoscaling = {
  /** The average CPU usage of the instances, in percent. */
  readonly cpuThreshold?: number | undefined;
  /** The average memory usage of the instances, in percent. */
  readonly memoryThreshold?: number | undefined;
};

/** A background process that takes no requests. */
export type WorkerServiceConfiguration = {
  /** Unique in the environment. Other services refer to it by this id. */
  readonly id: string;
  /** Display name; `id` by default. */
  readonly name?: string | undefined;
  /** A background process that takes no requests. */
  readonly type: "worker";
  /** A container image that runs instead of a build of the repository, with its own command unless there is a `startCommand`. It is public, or in ECR of the account. Each release runs the digest that a tag (default `latest`) had when it was deployed. On AWS only. */
  readonly image?: string | undefined;
  /** The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default. */
  readonly basePath?: string | undefined;
  /** A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names. */
  readonly watchPaths?: ReadonlyArray<string> | undefined;
  /** The Dockerfile that builds the service, relative to `basePath`; by default `Dockerfile`, if there is one. On AWS only: other clouds build no Dockerfiles. */
  readonly dockerfilePath?: string | undefined;
  /** The folder whose files the build of the Dockerfile sees, relative to the root of the repository; `.` for the root. By default, `basePath`. The Dockerfile may be outside of it. On AWS only. */
  readonly dockerContext?: string | undefined;
  /** A command that runs in `basePath` before `buildCommand`, such as an installation of packages. */
  readonly installCommand?: string | undefined;
  /** The build command, run in `basePath`. */
  readonly buildCommand?: string | undefined;
  /** The command that starts the service; only with `image`, it may be left out. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly startCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, before it replaces the running one. If it fails or takes more than 30 minutes, the release fails. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly preDeployCommand?: string | ReadonlyArray<string> | undefined;
  /** A command that runs once in `basePath` of the new release, with its variables, after it went live. If it fails or takes more than 60 minutes, the deployment says so, and the release stays live. On AWS, the image needs `sh`. A line for a shell, or a list of a program and its arguments, which are passed on as they are. */
  readonly postDeployCommand?: string | ReadonlyArray<string> | undefined;
  readonly logRetentionDays?: LogRetentionDays | undefined;
  readonly autoscaling?: WorkerAutoscaling | undefined;
  /** Virtual CPUs of an instance. */
  readonly cpu?: number | undefined;
  /** Memory of an instance, in GiB. */
  readonly memoryGb?: number | undefined;
  /** The minimum number of instances. */
  readonly minInstances?: number | undefined;
  /** The maximum number of instances under load; `minInstances` by default. */
  readonly maxInstances?: number | undefined;
  /** Services of the environment that are released before this one. */
  readonly dependsOn?: ReadonlyArray<string> | undefined;
  readonly envVariables?: VariablesConfiguration | undefined;
};

/** A program that runs elsewhere, such as a CI job. */
export type Workload = {
  /** The trust that it used. */
  readonly trustId: string;
  /** The name of the trust. */
  readonly name: string;
  /** Its subject at its platform (`sub`). */
  readonly subject: string;
  /** Its repository, if its platform names it. */
  readonly repository: string | null;
  /** Its branch or tag, if its platform names it. */
  readonly ref: string | null;
  /** Its run or job, if its platform names it. */
  readonly runId: string | null;
};

/** A short-lived token of Slipway for a workload. */
export type WorkloadToken = {
  /** Send it as `Authorization: Bearer`. It is shown only once. */
  readonly token: string;
  /** When it expires: 15 minutes after the exchange. */
  readonly expiresAt: string;
};

/** A rule that lets external programs, such as CI jobs, act as a service account without a key. */
export type WorkloadTrust = {
  /** Id of the trust. */
  readonly id: string;
  /** Its purpose. Audit entries show it. */
  readonly name: string;
  /** The service account that the workloads act as. */
  readonly userId: string;
  /** The issuer of their tokens: the claim `iss`, an `https` URL. */
  readonly issuer: string;
  /** The audience of their tokens: the claim `aud`. Use the address of this Slipway, so that tokens for other services are refused. */
  readonly audience: string;
  /** The required values of claims, each exact; a `*` at the end stands for any ending. GitHub, GitLab.com, Buildkite, Terraform Cloud and Google give tokens to every user, so a condition there must name the owner of the workload (`acme/*`). */
  readonly conditions: Readonly<Record<string, string>>;
  /** The scopes of their tokens. The role of the service account also limits them. */
  readonly scopes: ReadonlyArray<Scope>;
  /** The projects that they are limited to; all by default. */
  readonly projectIds: ReadonlyArray<string> | null;
  /** When it was created. */
  readonly createdAt: string;
  /** When a token was last exchanged; null if none was yet. */
  readonly lastUsedAt: string | null;
};

/** One page of the list. */
export type WorkloadTrustList = {
  /** At most `limit` items, in the order of the list. */
  readonly workloadTrusts: ReadonlyArray<WorkloadTrust>;
  /** Pass it as `cursor` to get the next page. Null on the last page. */
  readonly nextCursor: string | null;
};

/** The parameters of `awsAccounts.list`. */
export type AwsAccountsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `gitIntegrations.list`. */
export type GitIntegrationsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `gitIntegrations.listRepositories`. */
export type GitIntegrationsListRepositoriesQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** What `order` is about: `created`, or `pushed` for the last push (at GitLab, the last activity). */
  readonly sort?: GitRepositorySort | undefined;
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
};

/** The parameters of `gitIntegrations.listDeliveries`. */
export type GitIntegrationsListDeliveriesQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `projects.list`. */
export type ProjectsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `gitIntegrations.listBranches`. */
export type GitIntegrationsListBranchesQuery = {
  /** The repository's address, at the host of the integration. */
  readonly repoUrl: string;
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
};

/** The parameters of `gitIntegrations.detectFramework`. */
export type GitIntegrationsDetectFrameworkQuery = {
  /** The repository's address, at the host of the integration. */
  readonly repoUrl: string;
  /** The branch to read. */
  readonly branch: string;
  /** The AWS region of the environment in `config`. */
  readonly region?: string | undefined;
};

/** The parameters of `environments.list`. */
export type EnvironmentsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `projects.listMembers`. */
export type ProjectsListMembersQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `services.listAll`. */
export type ServicesListAllQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** `static`: files. `web`: a server that answers HTTP. `web-private`: a server for other services of its environment only. `worker`: a background process that takes no requests. `scheduler`: commands that run on schedules. `external`: a host of your own. `postgres`, `mysql`, `redis`, `bucket`: data stores. `previews`: made by Slipway, it has the domain below which the previews of a template are. */
  readonly type?: ServiceType | undefined;
  /** `preview`: made from a template for a pull request or a key. `standard`: all other environments. Example: `standard`. */
  readonly environmentType?: EnvironmentType | undefined;
};

/** The parameters of `services.list`. */
export type ServicesListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `services.listOfProject`. */
export type ServicesListOfProjectQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `deployments.list`. */
export type DeploymentsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only deployments of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** Only deployments that run in this environment. Example: `env_01kahxv3n0w4g7q1b6k9d3f5yz`. */
  readonly environmentId?: string | undefined;
  /** Only deployments that build or release this service. Example: `svc_01kahxv3n8r5m2t9x7c4p6a1je`. */
  readonly serviceId?: string | undefined;
  /** Only deployments of this branch. Example: `main`. */
  readonly branch?: string | undefined;
  /** Only deployments with this status. Example: `SUCCESS`. */
  readonly status?: DeploymentStatus | undefined;
};

/** The parameters of `previews.open`. */
export type PreviewsOpenQuery = {
  /** The address of the preview that the browser asked for. */
  readonly url: string;
  /** What the preview gave the browser. */
  readonly state: string;
};

/** The parameters of `previews.list`. */
export type PreviewsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** `WAITING_FOR_APPROVAL`: the commit is from another repository, and a member has to approve it. `WAITING_FOR_CAPACITY`: there are as many previews as the template allows. `ACTIVE`: it has an environment. `SLEEPING`: likewise, and its processes are stopped until the next request, because it got none for a while. `ENDED`: it expired or was deleted, until the next commit. `DELETING`: what it has in the cloud account is being removed. Example: `ACTIVE`. */
  readonly state?: PreviewState | undefined;
};

/** The parameters of `previews.listOrphans`. */
export type PreviewsListOrphansQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
};

/** The parameters of `deployments.getLogs`. */
export type DeploymentsGetLogsQuery = {
  /** Only lines about this service. Example: `svc_01kahxv3n8r5m2t9x7c4p6a1je`. */
  readonly serviceId?: string | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
};

/** The parameters of `services.getLogs`. */
export type ServicesGetLogsQuery = {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
};

/** The parameters of `domainGroups.list`. */
export type DomainGroupsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `domainGroups.listDomains`. */
export type DomainGroupsListDomainsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `domains.list`. */
export type DomainsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** A full name, or `*.example.com` for that wildcard and every name below `example.com`, at any depth. Example: `*.example.com`. */
  readonly name?: string | undefined;
  /** Only names that begin with this text, in its A-label form. Example: `shop.`. */
  readonly namePrefix?: string | undefined;
  /** `AWAITING_VERIFICATION_RECORDS_TO_BE_SET` until the client has set its verification record; `ATTACHED` when it is served. In `ERROR_ATTACHING` and `ERROR_DETACHING`, `lastAttachmentError` says why. Example: `ATTACHED`. */
  readonly status?: DomainStatus | undefined;
  /** Only domains with this warning; `ANY` for any, `RENEWAL_UNSAFE` for those with which a renewal of the certificate would fail today. Example: `ANY`. */
  readonly warning?: SoughtDomainWarning | undefined;
  /** Only domains of this service. Example: `svc_01kahxv3n8r5m2t9x7c4p6a1je`. */
  readonly serviceId?: string | undefined;
  /** Only domains of this environment's services. Example: `env_01kahxv3n0w4g7q1b6k9d3f5yz`. */
  readonly environmentId?: string | undefined;
  /** Only domains of this project's services. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
};

/** The parameters of `domains.timeline`. */
export type DomainsTimelineQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `domains.import`. */
export type DomainsImportQuery = {
  /** `registrable-domain`: only names below one registrable domain, such as `example.com`, share a group, because they have one owner. `none`: names of several owners share new groups. This needs fewer distributions, but the owners share a certificate. `column`: names with the same text in the column `groupColumn` of the CSV share a group, which is called like the text. Names without a text are grouped as with `registrable-domain`. Example: `registrable-domain`. */
  readonly groupBy?: ImportGrouping | undefined;
  /** The heading of the column by which names are grouped, such as `Customer`. Required by `groupBy=column`. Case, spaces, dashes and underscores are ignored. Example: `Customer`. */
  readonly groupColumn?: string | undefined;
  /** Whether Slipway sets the records. Names are added to groups with the same `autoDns`; new groups get this value. */
  readonly autoDns?: boolean | undefined;
  /** `true` returns what the request would do, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The maximum number of names in a group, including existing ones. A group has one certificate. The default quota of an AWS account is 10 names for each certificate. */
  readonly namesPerGroup?: number | undefined;
  /** The maximum number of distributions in the account, including existing ones. Each new group has its own distribution. */
  readonly distributionQuota?: number | undefined;
};

/** The parameters of `projects.listDnsRecords`. */
export type ProjectsListDnsRecordsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** `json`: a page of the list. `csv` and `zone` (a zone file): all records from the cursor on. `Accept: text/csv` and `Accept: text/dns` have the same effect. Example: `csv`. */
  readonly format?: DnsRecordsFormat | undefined;
};

/** The parameters of `domainGroups.listShareLinks`. */
export type DomainGroupsListShareLinksQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `variables.set`. */
export type VariablesSetQuery = {
  /** `true` returns the effects of the request, and changes nothing. */
  readonly dryRun?: boolean | undefined;
};

/** The parameters of `variables.replace`. */
export type VariablesReplaceQuery = {
  /** `true` returns the effects of the request, and changes nothing. */
  readonly dryRun?: boolean | undefined;
};

/** The parameters of `variables.deleteMany`. */
export type VariablesDeleteManyQuery = {
  /** Names of variables that were set with the API, separated by commas. The `delete` of a POST takes more names. */
  readonly names: string;
};

/** The parameters of `variables.list`. */
export type VariablesListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `variables.getRun`. */
export type VariablesGetRunQuery = {
  /** The `runId` of the 202 response. */
  readonly runId: string;
};

/** The parameters of `variables.listEffective`. */
export type VariablesListEffectiveQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `variables.listVersions`. */
export type VariablesListVersionsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `events.list`. */
export type EventsListQuery = {
  /** The number of an event: the events after it are returned. By default, a list begins with the oldest kept event, and a stream with the next event. Example: `57`. */
  readonly after?: string | undefined;
  /** Begins this number of seconds ago: for a reader that knows how old its data are, but no event. If `after` is given too, the later of both counts. */
  readonly withinSeconds?: number | undefined;
  /** Only these types, separated by commas. `domain.*` means all types of that subject. Example: `domain.*,deployment.failed`. */
  readonly types?: string | undefined;
  /** Only events about this resource. */
  readonly subjectId?: string | undefined;
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
};

/** The parameters of `webhookEndpoints.list`. */
export type WebhookEndpointsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `webhookEndpoints.listDeliveries`. */
export type WebhookEndpointsListDeliveriesQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only deliveries with this status. Example: `PENDING`. */
  readonly status?: WebhookDeliveryStatus | undefined;
  /** Only deliveries of events of this type. Example: `domain.attached`. */
  readonly type?: string | undefined;
};

/** The parameters of `notificationChannels.list`. */
export type NotificationChannelsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `search.find`. */
export type SearchFindQuery = {
  /** The text to search for. */
  readonly q: string;
  /** The maximum number of resources of each type. */
  readonly limit?: number | undefined;
};

/** The parameters of `overview.listProjects`. */
export type OverviewListProjectsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `overview.listDeployments`. */
export type OverviewListDeploymentsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only deployments of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** Only deployments that run in this environment. Example: `env_01kahxv3n0w4g7q1b6k9d3f5yz`. */
  readonly environmentId?: string | undefined;
  /** Only deployments that build or release this service. Example: `svc_01kahxv3n8r5m2t9x7c4p6a1je`. */
  readonly serviceId?: string | undefined;
  /** Only deployments of this branch. Example: `main`. */
  readonly branch?: string | undefined;
  /** Only deployments with this status. Example: `SUCCESS`. */
  readonly status?: DeploymentStatus | undefined;
};

/** The parameters of `overview.listDomains`. */
export type OverviewListDomainsQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** A full name, or `*.example.com` for that wildcard and every name below `example.com`, at any depth. Example: `*.example.com`. */
  readonly name?: string | undefined;
  /** Only names that begin with this text, in its A-label form. Example: `shop.`. */
  readonly namePrefix?: string | undefined;
  /** `AWAITING_VERIFICATION_RECORDS_TO_BE_SET` until the client has set its verification record; `ATTACHED` when it is served. In `ERROR_ATTACHING` and `ERROR_DETACHING`, `lastAttachmentError` says why. Example: `ATTACHED`. */
  readonly status?: DomainStatus | undefined;
  /** Only domains with this warning; `ANY` for any, `RENEWAL_UNSAFE` for those with which a renewal of the certificate would fail today. Example: `ANY`. */
  readonly warning?: SoughtDomainWarning | undefined;
  /** Only domains of this service. Example: `svc_01kahxv3n8r5m2t9x7c4p6a1je`. */
  readonly serviceId?: string | undefined;
  /** Only domains of this environment's services. Example: `env_01kahxv3n0w4g7q1b6k9d3f5yz`. */
  readonly environmentId?: string | undefined;
  /** Only domains of this project's services. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
};

/** The parameters of `overview.getStatistics`. */
export type OverviewGetStatisticsQuery = {
  /** Only this project. Domains on past days are counted only for all projects together. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** How many days of domains and deployments, up to today. */
  readonly days?: number | undefined;
};

/** The parameters of `deployments.compare`. */
export type DeploymentsCompareQuery = {
  /** The deployment to compare with. Example: `depl_01kahy9f5h3x6b2s8e4v7w1qzt`. */
  readonly with?: string | undefined;
};

/** The parameters of `projects.listBranches`. */
export type ProjectsListBranchesQuery = {
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
};

/** The parameters of `projects.listCommits`. */
export type ProjectsListCommitsQuery = {
  /** The branch. */
  readonly branch: string;
};

/** The parameters of `services.getTraffic`. */
export type ServicesGetTrafficQuery = {
  /** The number of hours up to now. A day has steps of 15 minutes, an hour has steps of one minute. */
  readonly hours?: number | undefined;
};

/** The parameters of `executions.list`. */
export type ExecutionsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only executions of this job. Example: `nightly`. */
  readonly jobId?: string | undefined;
  /** Only executions with this status. Example: `FAILED`. */
  readonly status?: ExecutionStatus | undefined;
  /** Only executions that this started. Example: `schedule`. */
  readonly trigger?: ExecutionTrigger | undefined;
};

/** The parameters of `executions.getLogs`. */
export type ExecutionsGetLogsQuery = {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
};

/** The parameters of `snapshots.list`. */
export type SnapshotsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `snapshots.listAll`. */
export type SnapshotsListAllQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only of this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
};

/** The parameters of `me.getPermissions`. */
export type MeGetPermissionsQuery = {
  /** Permissions in this project. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly projectId?: string | undefined;
  /** Permissions in this environment. Example: `env_01kahxv3n0w4g7q1b6k9d3f5yz`. */
  readonly environmentId?: string | undefined;
};

/** The parameters of `users.list`. */
export type UsersListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only users of this kind. Example: `person`. */
  readonly kind?: UserKind | undefined;
};

/** The parameters of `apiKeys.list`. */
export type ApiKeysListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `sessions.list`. */
export type SessionsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only sessions of this user; by default, your own. Example: `user_01kahxq2t1e8r4k7c5m9z3g6hs`. */
  readonly userId?: string | undefined;
};

/** The parameters of `workloadTrusts.list`. */
export type WorkloadTrustsListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
};

/** The parameters of `auditEntries.list`. */
export type AuditEntriesListQuery = {
  /** The maximum number of items to return. */
  readonly limit?: number | undefined;
  /** `asc`: in order of creation. `desc`: newest first. */
  readonly order?: ListOrder | undefined;
  /** The `nextCursor` of the previous page. Keep all other parameters except `limit`. */
  readonly cursor?: string | undefined;
  /** Only entries about this resource. Example: `proj_01kahxv3m6t2c9s5n8h4r7e1xb`. */
  readonly resourceId?: string | undefined;
  /** Only changes by this user; or by a git integration, `operator` or `slipway`. Example: `user_01kahxq2t1e8r4k7c5m9z3g6hs`. */
  readonly userId?: string | undefined;
  /** Only entries of this action. Example: `domain.deleted`. */
  readonly action?: string | undefined;
  /** Only entries at this time or later. Example: `2026-11-01T00:00:00Z`. */
  readonly from?: string | undefined;
  /** Only entries before this time. Example: `2026-12-01T00:00:00Z`. */
  readonly to?: string | undefined;
};

/** The fields of `data`, by type of event. */
export type EventData = {
  /** The organization's name changed. */
  readonly "organization.updated": {
    /** The new name. */
    readonly name: string;
  };
  /** The name, colour or logo of the organization's share links changed. */
  readonly "organization.branding_updated": {
    /** The name; null: the installation's. */
    readonly name: string | null;
    /** The colour; null: the installation's. */
    readonly accentColor: string | null;
    /** Whether it has a logo of its own. */
    readonly hasLogo: boolean;
  };
  /** A user was created. */
  readonly "user.created": {
    /** Display name. */
    readonly name: string;
    /** The user's role, which determines what its keys may do. */
    readonly role: "viewer" | "developer" | "admin";
  };
  /** A user's name, address, role or git login changed. */
  readonly "user.updated": {
    /** Display name. */
    readonly name: string;
    /** The user's role, which determines what its keys may do. */
    readonly role: "viewer" | "developer" | "admin";
  };
  /** A user and all its keys were deleted. */
  readonly "user.deleted": {
    /** Display name. */
    readonly name: string;
    /** The user's role, which determines what its keys may do. */
    readonly role: "viewer" | "developer" | "admin";
  };
  /** The mail server accepted the invitation of a user. */
  readonly "user.invited": {
    /** The invitation. */
    readonly invitationId: string;
    /** The user's display name. */
    readonly name: string;
  };
  /** The mail server refused the invitation of a user, or did not accept it within about 80 minutes. */
  readonly "user.invitation_failed": {
    /** The invitation. */
    readonly invitationId: string;
    /** The user's display name. */
    readonly name: string;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A user signed in. */
  readonly "session.created": {
    /** The user who signed in. */
    readonly userId: string;
    /** The identity provider; null after an exchange of an API key. */
    readonly provider: string | null;
  };
  /** A session was signed out or revoked. No event is sent when the session expires, or when its user or key is deleted. */
  readonly "session.ended": {
    /** The user who signed in. */
    readonly userId: string;
    /** The identity provider; null after an exchange of an API key. */
    readonly provider: string | null;
  };
  /** An API key was created. */
  readonly "api_key.created": {
    /** The purpose of the key. */
    readonly name: string;
    /** The key's first characters, for recognizing it. */
    readonly prefix: string;
    /** The key's user. */
    readonly userId: string;
  };
  /** An API key was deleted. It stops working everywhere within 5 s. */
  readonly "api_key.deleted": {
    /** The purpose of the key. */
    readonly name: string;
    /** The key's first characters, for recognizing it. */
    readonly prefix: string;
    /** The key's user. */
    readonly userId: string;
  };
  /** A workload trust was created. */
  readonly "workload_trust.created": {
    /** The purpose of the trust. */
    readonly name: string;
    /** The issuer of its workloads' tokens. */
    readonly issuer: string;
    /** The service account that the workloads act as. */
    readonly userId: string;
  };
  /** A workload trust was deleted. Its tokens stop working everywhere within 5 s. */
  readonly "workload_trust.deleted": {
    /** The purpose of the trust. */
    readonly name: string;
    /** The issuer of its workloads' tokens. */
    readonly issuer: string;
    /** The service account that the workloads act as. */
    readonly userId: string;
  };
  /** A cloud account connection was created, or got a new id because it was unbound from its account. */
  readonly "aws_account.created": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
    /** The id that it had before it was unbound. */
    readonly replaces: string | null;
  };
  /** The name, the `givenId` or the expected account of a connection was changed. */
  readonly "aws_account.updated": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
  };
  /** A connection works: its role was verified, again or for the first time, or it has another role. */
  readonly "aws_account.connected": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
    /** The previous status. */
    readonly previousStatus: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
  };
  /** The role of a connection works but lacks permissions, or lacks others than before. */
  readonly "aws_account.permissions_missing": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** The role has all permissions again. */
  readonly "aws_account.permissions_restored": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
  };
  /** The role no longer works, or an admin unbound the connection from its account. */
  readonly "aws_account.disconnected": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
    /** The previous status. */
    readonly previousStatus: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** `ROLE_FAILED`: a check failed, and `error` says why. `UNBOUND`: an admin unbound the connection. */
    readonly reason: "ROLE_FAILED" | "UNBOUND";
    /** The error. */
    readonly error?: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    } | undefined;
  };
  /** A connection was deleted or abandoned. */
  readonly "aws_account.deleted": {
    /** Your own identifier of the connection. */
    readonly givenId: string;
    /** The connection's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "AWAITING_CONNECTION" | "CONNECTED" | "DISCONNECTED";
    /** The AWS account's number, if it has one. */
    readonly connectedAwsAccountId: string | null;
    /** Whether it was abandoned, so that resources may be left in the account. */
    readonly isAbandoned: boolean;
  };
  /** A git integration was created. */
  readonly "git_integration.created": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
  };
  /** The token or the hook secret of a git integration was replaced. */
  readonly "git_integration.updated": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
    /** The part that was replaced. */
    readonly updated: "token" | "hookSecret";
  };
  /** A check found that the git host no longer accepts the token. Deployments fail until it is replaced (`git_integration.updated`) or accepted again. A host that does not answer causes no event. */
  readonly "git_integration.token_refused": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A check found that the git host accepts a token again that it had refused. */
  readonly "git_integration.token_accepted": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
  };
  /** The git host refuses reports of deployments, because the token lacks a permission. Emitted once, until the token is replaced or the host takes all reports again. Deployments do not depend on it. */
  readonly "git_integration.report_refused": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A git integration was deleted. */
  readonly "git_integration.deleted": {
    /** The git provider. */
    readonly provider: "provider_a" | "provider_b" | "provider_b_self_hosted";
    /** The host of a self-hosted provider. */
    readonly host: string | null;
  };
  /** A project was created. Its environments and services have their own events. */
  readonly "project.created": {
    /** The project's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "ACTIVE" | "DELETING";
    /** Its repository. */
    readonly repoUrl: string;
  };
  /** A project was changed, or its deletion began. */
  readonly "project.changed": {
    /** The project's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "ACTIVE" | "DELETING";
    /** Its repository. */
    readonly repoUrl: string;
    /** The previous status. */
    readonly previousStatus: "ACTIVE" | "DELETING";
    /** The names of the fields that changed. */
    readonly fields: ReadonlyArray<string>;
  };
  /** A user became a member of a project, got another role in it, or is no longer a member. */
  readonly "project.member_changed": {
    /** The project's name. */
    readonly name: string;
    /** The user. */
    readonly userId: string;
    /** The role in the project; null if the user is no longer a member. */
    readonly role: "viewer" | "developer" | "admin";
  };
  /** A project was deleted with all its resources in the cloud account, or was abandoned. */
  readonly "project.deleted": {
    /** The project's name. */
    readonly name: string;
    /** The present status. */
    readonly status: "ACTIVE" | "DELETING";
    /** Its repository. */
    readonly repoUrl: string;
    /** Whether it was abandoned, so that resources may be left in the account. */
    readonly isAbandoned: boolean;
  };
  /** An environment was created. */
  readonly "environment.created": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The environment's name. */
    readonly name: string;
    /** Its region. */
    readonly region: string;
    /** The branch that is deployed to it. */
    readonly branch: string;
    /** Whether a push to the branch deploys it. */
    readonly deployTrigger: "manual" | "push";
  };
  /** The name, the branch, the trigger or the protection of an environment changed. */
  readonly "environment.changed": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The environment's name. */
    readonly name: string;
    /** Its region. */
    readonly region: string;
    /** The branch that is deployed to it. */
    readonly branch: string;
    /** Whether a push to the branch deploys it. */
    readonly deployTrigger: "manual" | "push";
    /** The names of the fields that changed. */
    readonly fields: ReadonlyArray<string>;
  };
  /** An environment was deleted. Its resources in the cloud account are removed in the background. */
  readonly "environment.deleted": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The environment's name. */
    readonly name: string;
    /** Its region. */
    readonly region: string;
    /** The branch that is deployed to it. */
    readonly branch: string;
    /** Whether a push to the branch deploys it. */
    readonly deployTrigger: "manual" | "push";
  };
  /** A service was created. */
  readonly "service.created": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The service's name. */
    readonly name: string;
    /** Its type. */
    readonly type: "static" | "web" | "web-private" | "worker" | "scheduler" | "external" | "postgres" | "mysql" | "redis" | "bucket" | "previews";
  };
  /** The name or the settings of a service changed. They take effect with its next deployment. */
  readonly "service.changed": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The service's name. */
    readonly name: string;
    /** Its type. */
    readonly type: "static" | "web" | "web-private" | "worker" | "scheduler" | "external" | "postgres" | "mysql" | "redis" | "bucket" | "previews";
    /** The names of the fields that changed. */
    readonly fields: ReadonlyArray<string>;
  };
  /** A service was deleted. Its resources in the cloud account are removed in the background. */
  readonly "service.deleted": {
    /** Its id in the configuration. */
    readonly configId: string;
    /** The service's name. */
    readonly name: string;
    /** Its type. */
    readonly type: "static" | "web" | "web-private" | "worker" | "scheduler" | "external" | "postgres" | "mysql" | "redis" | "bucket" | "previews";
  };
  /** A data store that Slipway created is available. */
  readonly "data_store.created": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
  };
  /** A data store could not be created. Slipway tries again. */
  readonly "data_store.failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** An available data store does not work any longer. Slipway checks it again. */
  readonly "data_store.stopped": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A data store that had stopped works again. */
  readonly "data_store.recovered": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
  };
  /** A removed data store is deleted. Nothing of it is left in the cloud account except its snapshots. */
  readonly "data_store.deleted": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
  };
  /** A removed data store could not be deleted. Slipway tries again. */
  readonly "data_store.deletion_failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A snapshot of a data store is complete. A new data store can be created from it. */
  readonly "snapshot.created": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
    /** The snapshot. */
    readonly snapshotId: string;
    /** `final`: it was taken before its data store was deleted. */
    readonly reason: "manual" | "final";
  };
  /** A snapshot of a data store could not be taken. */
  readonly "snapshot.failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** Its type. */
    readonly type: "postgres" | "mysql" | "redis" | "bucket";
    /** The snapshot. */
    readonly snapshotId: string;
    /** `final`: it was taken before its data store was deleted. */
    readonly reason: "manual" | "final";
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** Managed values were accepted. They take effect when the cloud account has stored them. */
  readonly "env_variables.accepted": {
    /** Whether they were set with the API or are in the configuration. */
    readonly source: "api" | "config";
    /** The variables, ordered by name. */
    readonly variables: ReadonlyArray<{
      /** The variable's name. */
      readonly name: string;
      /** Its kind. */
      readonly kind: "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";
      /** The run that stores it in the cloud account; null for other kinds. */
      readonly runId: string | null;
    }>;
    /** The number of further variables. An event lists about 18,000 bytes of them at most. */
    readonly namesOmitted: number;
  };
  /** Variables of an environment or a service are in effect: plain values, references and links at once, managed values when they are stored, and those of a configuration when it is applied. */
  readonly "env_variables.stored": {
    /** Whether they were set with the API or are in the configuration. */
    readonly source: "api" | "config";
    /** The variables, ordered by name. */
    readonly variables: ReadonlyArray<{
      /** The variable's name. */
      readonly name: string;
      /** Its kind. */
      readonly kind: "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";
      /** The run that stores it in the cloud account; null for other kinds. */
      readonly runId: string | null;
    }>;
    /** The number of further variables. An event lists about 18,000 bytes of them at most. */
    readonly namesOmitted: number;
  };
  /** Managed values will not be stored, because of an error or a newer write (`SUPERSEDED`). */
  readonly "env_variables.failed": {
    /** Whether they were set with the API or are in the configuration. */
    readonly source: "api" | "config";
    /** The variables, ordered by name. */
    readonly variables: ReadonlyArray<{
      /** The variable's name. */
      readonly name: string;
      /** Its kind. */
      readonly kind: "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";
      /** The run that stores it in the cloud account; null for other kinds. */
      readonly runId: string | null;
    }>;
    /** The number of further variables. An event lists about 18,000 bytes of them at most. */
    readonly namesOmitted: number;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** Variables were deleted, or a configuration no longer has them. Managed values are removed from the cloud account in the background. */
  readonly "env_variables.deleted": {
    /** Whether they were set with the API or are in the configuration. */
    readonly source: "api" | "config";
    /** The variables, ordered by name. */
    readonly variables: ReadonlyArray<{
      /** The variable's name. */
      readonly name: string;
      /** Its kind. */
      readonly kind: "plainText" | "parameterStore" | "secretsManager" | "fromParameterStore" | "fromSecretsManager" | "fromService";
      /** The run that stores it in the cloud account; null for other kinds. */
      readonly runId: string | null;
    }>;
    /** The number of further variables. An event lists about 18,000 bytes of them at most. */
    readonly namesOmitted: number;
  };
  /** A domain was added to a group. */
  readonly "domain.created": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The domain's present status. */
    readonly status: "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";
  };
  /** A DNS record that the domain needs is new or has another value, or Slipway found it set or missing. */
  readonly "domain.records_changed": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The record. */
    readonly record: {
      /** Its purpose. */
      readonly purpose: "CERTIFICATE_DOMAIN_VERIFICATION" | "SERVICE_CONNECTION" | "CERTIFICATE_AUTHORITY_AUTHORIZATION";
      /** `CNAME`, `ALIAS` or `CAA`. */
      readonly type: string;
      /** The record's name. */
      readonly name: string;
      /** The record's value. */
      readonly value: string;
      /** Whether Slipway finds the record. */
      readonly status: "PENDING" | "OK";
      /** Whether Slipway found it before; missing if the record or its value is new. */
      readonly previousStatus?: "PENDING" | "OK" | undefined;
    };
  };
  /** Slipway found something else in place of a DNS record that the domain needs. It is sent once for each kind of problem, not for each check. */
  readonly "domain.record_wrong": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The record. */
    readonly record: {
      /** Its purpose. */
      readonly purpose: "CERTIFICATE_DOMAIN_VERIFICATION" | "SERVICE_CONNECTION" | "CERTIFICATE_AUTHORITY_AUTHORIZATION";
      /** `CNAME`, `ALIAS` or `CAA`. */
      readonly type: string;
      /** The record's name. */
      readonly name: string;
      /** The record's value. */
      readonly value: string;
      /** The record that is set in its place. */
      readonly found: string | null;
      /** The problem. */
      readonly problem: {
        /** The problem's code, for programs. */
        readonly code: string;
        /** The problem, and what to do. */
        readonly message: string;
      };
    };
  };
  /** The domain is served over HTTPS. */
  readonly "domain.attached": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The domain's present status. */
    readonly status: "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";
  };
  /** The domain could not be attached, or detached. It stays in error until it is retried or deleted. */
  readonly "domain.attachment_failed": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The domain's present status. */
    readonly status: "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "CREATING" | "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" | "ATTACHING" | "ATTACHED" | "DETACHING" | "ERROR_ATTACHING" | "ERROR_DETACHING";
    /** The error. */
    readonly error: {
      /** The error code, for programs. */
      readonly code: string;
      /** A description of the error. */
      readonly message: string;
      /** What to do. */
      readonly action: string;
      /** Whether a retry can succeed without another change first. */
      readonly retryable: boolean;
    };
  };
  /** A domain has a problem that prevents its certificate or its service now or later. */
  readonly "domain.warning_raised": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The warning. */
    readonly warning: {
      /** The code of the warning, for programs. */
      readonly code: string;
      /** A description of the problem. */
      readonly message: string;
      /** What to do. */
      readonly action: string;
    };
  };
  /** The problem of the domain no longer exists. */
  readonly "domain.warning_resolved": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The warning. */
    readonly warning: {
      /** The code of the warning, for programs. */
      readonly code: string;
      /** A description of the problem. */
      readonly message: string;
      /** What to do. */
      readonly action: string;
    };
  };
  /** The domain's zone is delegated to other name servers than before, or the domain is in another zone. Records that were set at the previous ones may be missing now. */
  readonly "domain.dns_moved": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The present zone and name servers. */
    readonly dns: {
      /** The zone that the domain is in. */
      readonly zone: string;
      /** The name servers that the zone is delegated to. */
      readonly nameServers: ReadonlyArray<string>;
      /** The DNS provider, as in `dnsProvider.name`; null if it is not known. */
      readonly provider: string | null;
    };
    /** The previous zone and name servers. */
    readonly previousDns: {
      /** The zone that the domain is in. */
      readonly zone: string;
      /** The name servers that the zone is delegated to. */
      readonly nameServers: ReadonlyArray<string>;
      /** The DNS provider, as in `dnsProvider.name`; null if it is not known. */
      readonly provider: string | null;
    };
  };
  /** Slipway created records of the domain in a DNS zone of the cloud account. */
  readonly "domain.dns_records_set": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The created records. */
    readonly records: ReadonlyArray<{
      /** The account's id of the zone. */
      readonly zoneId: string;
      /** `CNAME` or `ALIAS`. */
      readonly type: string;
      /** The record's name. */
      readonly name: string;
      /** The record's value. */
      readonly value: string;
    }>;
  };
  /** The domain is being deleted, and Slipway removed the records that it had created for it. */
  readonly "domain.dns_records_removed": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The removed records. */
    readonly records: ReadonlyArray<{
      /** The account's id of the zone. */
      readonly zoneId: string;
      /** `CNAME` or `ALIAS`. */
      readonly type: string;
      /** The record's name. */
      readonly name: string;
      /** The record's value. */
      readonly value: string;
    }>;
    /** The records that stay, because they were changed since or the account does not allow the removal. */
    readonly left: ReadonlyArray<{
      /** The account's id of the zone. */
      readonly zoneId: string;
      /** `CNAME` or `ALIAS`. */
      readonly type: string;
      /** The record's name. */
      readonly name: string;
      /** The record's value. */
      readonly value: string;
    }>;
  };
  /** The domain's redirect was changed. `domain.redirect_served` follows when the edge serves it. */
  readonly "domain.redirect_changed": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The name to redirect to; null for no redirect. */
    readonly redirectTo: string | null;
    /** The previous target. */
    readonly previousRedirectTo: string | null;
  };
  /** The edge redirects the domain everywhere as configured, or no longer redirects it. */
  readonly "domain.redirect_served": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The name that it redirects to; null for no redirect. */
    readonly redirectTo: string | null;
  };
  /** The cloud refused to redirect the domain as configured. Slipway retries every ten minutes. */
  readonly "domain.redirect_failed": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The name to redirect to; null for no redirect. */
    readonly redirectTo: string | null;
    /** The error. */
    readonly error: {
      /** The error code, for programs. */
      readonly code: string;
      /** A description of the error. */
      readonly message: string;
    };
  };
  /** The domain was deleted, in Slipway and in the cloud. */
  readonly "domain.deleted": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
  };
  /** The provider issued a certificate. */
  readonly "certificate.issued": {
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider's id of the certificate, which the group shows as `certificate.id`. */
    readonly providerId: string | null;
    /** The names that it covers. */
    readonly names: ReadonlyArray<string>;
    /** When it expires, if that is known. */
    readonly expiresAt: string | null;
  };
  /** The provider renewed a certificate. */
  readonly "certificate.renewed": {
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider's id of the certificate, which the group shows as `certificate.id`. */
    readonly providerId: string | null;
    /** The names that it covers. */
    readonly names: ReadonlyArray<string>;
    /** When it expires, if that is known. */
    readonly expiresAt: string | null;
  };
  /** A certificate was refused, timed out, or could not be renewed. */
  readonly "certificate.failed": {
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider's id of the certificate, which the group shows as `certificate.id`. */
    readonly providerId: string | null;
    /** The names that it covers. */
    readonly names: ReadonlyArray<string>;
    /** When it expires, if that is known. */
    readonly expiresAt: string | null;
    /** Whether its request or its renewal failed. */
    readonly reason: "request" | "renewal";
  };
  /** A certificate in use was not renewed and expires in 30, 14, 7 or 1 days. Less than a fifth of its life is left. */
  readonly "certificate.expiring": {
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider's id of the certificate, which the group shows as `certificate.id`. */
    readonly providerId: string | null;
    /** The names that it covers. */
    readonly names: ReadonlyArray<string>;
    /** When it expires, if that is known. */
    readonly expiresAt: string | null;
    /** The maximum number of days until it expires: 30, 14, 7 or 1. */
    readonly days: number;
    /** The known reasons why it cannot be renewed. Empty if only the provider knows them. */
    readonly reasons: ReadonlyArray<{
      /** `VERIFICATION_RECORD_MISSING` and `CAA_REFUSES_RENEWAL` are as in the domain's warnings. `NOT_IN_USE`: none of its names is served. */
      readonly code: "VERIFICATION_RECORD_MISSING" | "CAA_REFUSES_RENEWAL" | "NOT_IN_USE";
      /** The name that has the problem; null if no name has it. */
      readonly domain: string | null;
    }>;
  };
  /** The group's `autoDns` was changed, its failed domains are retried, or the deletion of the group or of one of its domains began. */
  readonly "domain_group.updated": {
    /** The group's name. */
    readonly name: string;
    /** The present status; for a deleted group, its last status. */
    readonly status: "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";
    /** Whether Slipway sets the records of the group's domains. */
    readonly autoDns: boolean;
  };
  /** All domains of the group that can be served are served. */
  readonly "domain_group.activated": {
    /** The group's name. */
    readonly name: string;
    /** The present status; for a deleted group, its last status. */
    readonly status: "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";
  };
  /** None of the group's domains is served, and one is in error. */
  readonly "domain_group.failed": {
    /** The group's name. */
    readonly name: string;
    /** The present status; for a deleted group, its last status. */
    readonly status: "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";
  };
  /** The group was deleted without access to its cloud account, where some of its resources may be left. */
  readonly "domain_group.abandoned": {
    /** The group's name. */
    readonly name: string;
    /** The present status; for a deleted group, its last status. */
    readonly status: "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";
  };
  /** The group was deleted, in Slipway and in the cloud. */
  readonly "domain_group.deleted": {
    /** The group's name. */
    readonly name: string;
    /** The present status; for a deleted group, its last status. */
    readonly status: "DRAFT" | "PROVISIONING" | "ACTIVE" | "ERROR" | "DELETING";
  };
  /** An owner was sent to the DNS provider, to agree that it sets the domain's records. */
  readonly "domain.connect_started": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider, as its settings name it. */
    readonly provider: string;
  };
  /** The owner returned from the DNS provider. `domain.records_changed` says whether the records are set. */
  readonly "domain.connect_returned": {
    /** The domain's name, in A-labels. */
    readonly name: string;
    /** The domain certificate group. */
    readonly groupId: string;
    /** The provider, as its settings name it. */
    readonly provider: string;
    /** The result that the provider reported. `FAILED`: another error occurred at the provider. */
    readonly outcome: "AGREED" | "DECLINED" | "FAILED";
  };
  /** Domains were imported into a service. Each has a `domain.created` event, and later events report its progress. */
  readonly "service.domains_imported": {
    /** Lines with a new domain. */
    readonly accepted: number;
    /** Lines with a name that already existed. */
    readonly duplicate: number;
    /** Lines without a valid domain name. */
    readonly invalid: number;
    /** Lines with a name that another service has, or that is being deleted. */
    readonly taken: number;
    /** Lines with a name for which no group has room. */
    readonly quota: number;
    /** The number of created groups. */
    readonly createdGroups: number;
  };
  /** A share link was created, which shows the group's DNS records to people without an account. */
  readonly "domain_group.share_link_created": {
    /** The group's name. */
    readonly name: string;
    /** The link. */
    readonly shareLinkId: string;
    /** When it expires. */
    readonly expiresAt: string;
  };
  /** A share link was opened for the first time, by a person or by a program that previews links. */
  readonly "domain_group.share_link_opened": {
    /** The group's name. */
    readonly name: string;
    /** The link. */
    readonly shareLinkId: string;
    /** When it expires. */
    readonly expiresAt: string;
  };
  /** The domains that a share link shows were changed. */
  readonly "domain_group.share_link_updated": {
    /** The group's name. */
    readonly name: string;
    /** The link. */
    readonly shareLinkId: string;
    /** When it expires. */
    readonly expiresAt: string;
  };
  /** A share link was revoked before it expired. */
  readonly "domain_group.share_link_revoked": {
    /** The group's name. */
    readonly name: string;
    /** The link. */
    readonly shareLinkId: string;
    /** When it expires. */
    readonly expiresAt: string;
  };
  /** A deployment was accepted: by request, by a push, as a rollback, or as the restart of a service, which `serviceId` names. */
  readonly "deployment.created": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The deployment that it rolls back to. */
    readonly rollbackOf: string | null;
  };
  /** The deployment waits in one environment until a second person approves it. */
  readonly "deployment.approval_requested": {
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The user who started the deployment, or the git integration. */
    readonly startedBy: string | null;
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The lowest role in the project that may approve it. */
    readonly approvers: "developer" | "admin";
    /** When the deployment is cancelled if it was not decided. */
    readonly expiresAt: string;
  };
  /** A person approved the deployment in one environment, or bypassed the approval. `actor` says who. */
  readonly "deployment.approved": {
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The user who started the deployment, or the git integration. */
    readonly startedBy: string | null;
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The comment of the person who decided. */
    readonly comment: string | null;
    /** Whether an admin of the project bypassed the approval in an emergency. */
    readonly isBypass: boolean;
  };
  /** A person rejected the deployment in one environment, where it is cancelled. `actor` says who. */
  readonly "deployment.rejected": {
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The user who started the deployment, or the git integration. */
    readonly startedBy: string | null;
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The comment of the person who decided. */
    readonly comment: string | null;
  };
  /** Services are being built. */
  readonly "deployment.building": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
  };
  /** Services are being released. */
  readonly "deployment.deploying": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
  };
  /** The commit is live in all of its environments, except in environments where a newer deployment replaced it. */
  readonly "deployment.succeeded": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The result in each environment; empty if the deployment ended before its environments were known. */
    readonly environments: ReadonlyArray<{
      /** The environment. */
      readonly id: string;
      /** Its id in the configuration. */
      readonly environment: string;
      /** How it ended there. */
      readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
      /** The error. */
      readonly error: {
        /** The error, for programs. */
        readonly code: string;
        /** The error, and how to solve it. */
        readonly message: string;
        /** What to do, if it is not part of the message. */
        readonly action?: string | undefined;
        /** Whether a retry can succeed without another change first. */
        readonly retryable?: boolean | undefined;
      } | null;
    }>;
  };
  /** A deployment failed, in at least one environment. */
  readonly "deployment.failed": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The result in each environment; empty if the deployment ended before its environments were known. */
    readonly environments: ReadonlyArray<{
      /** The environment. */
      readonly id: string;
      /** Its id in the configuration. */
      readonly environment: string;
      /** How it ended there. */
      readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
      /** The error. */
      readonly error: {
        /** The error, for programs. */
        readonly code: string;
        /** The error, and how to solve it. */
        readonly message: string;
        /** What to do, if it is not part of the message. */
        readonly action?: string | undefined;
        /** Whether a retry can succeed without another change first. */
        readonly retryable?: boolean | undefined;
      } | null;
    }>;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A deployment was cancelled, rejected, or not approved in time; or its project was deleted before it ended. */
  readonly "deployment.cancelled": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The result in each environment; empty if the deployment ended before its environments were known. */
    readonly environments: ReadonlyArray<{
      /** The environment. */
      readonly id: string;
      /** Its id in the configuration. */
      readonly environment: string;
      /** How it ended there. */
      readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
      /** The error. */
      readonly error: {
        /** The error, for programs. */
        readonly code: string;
        /** The error, and how to solve it. */
        readonly message: string;
        /** What to do, if it is not part of the message. */
        readonly action?: string | undefined;
        /** Whether a retry can succeed without another change first. */
        readonly retryable?: boolean | undefined;
      } | null;
    }>;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A newer deployment replaced this one while it waited. */
  readonly "deployment.superseded": {
    /** The deployment's present status. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The result in each environment; empty if the deployment ended before its environments were known. */
    readonly environments: ReadonlyArray<{
      /** The environment. */
      readonly id: string;
      /** Its id in the configuration. */
      readonly environment: string;
      /** How it ended there. */
      readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
      /** The error. */
      readonly error: {
        /** The error, for programs. */
        readonly code: string;
        /** The error, and how to solve it. */
        readonly message: string;
        /** What to do, if it is not part of the message. */
        readonly action?: string | undefined;
        /** Whether a retry can succeed without another change first. */
        readonly retryable?: boolean | undefined;
      } | null;
    }>;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** The commit is live in one environment. */
  readonly "deployment.environment_succeeded": {
    /** The status in this environment. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The environment's id in the configuration. */
    readonly environment: string;
  };
  /** The deployment failed in one environment. */
  readonly "deployment.environment_failed": {
    /** The status in this environment. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
    /** The services that failed, at most ten; the deployment lists all of them. */
    readonly services: ReadonlyArray<{
      /** The service. */
      readonly id: string;
      /** Its id in the configuration. */
      readonly service: string;
      /** How it ended. */
      readonly status: "PENDING" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED";
      /** The error. */
      readonly error: {
        /** The error, for programs. */
        readonly code: string;
        /** The error, and how to solve it. */
        readonly message: string;
        /** What to do, if it is not part of the message. */
        readonly action?: string | undefined;
        /** Whether a retry can succeed without another change first. */
        readonly retryable?: boolean | undefined;
      } | null;
    }>;
  };
  /** The deployment was cancelled in one environment; `error.code` says whether it was rejected there, or not approved in time. */
  readonly "deployment.environment_cancelled": {
    /** The status in this environment. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A newer deployment replaced it in one environment. */
  readonly "deployment.environment_superseded": {
    /** The status in this environment. */
    readonly status: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The branch that is deployed. */
    readonly branch: string;
    /** The commit. */
    readonly commit: string;
    /** The trigger of the deployment. */
    readonly trigger: "api" | "push" | "rollback" | "restart";
    /** The previous status. */
    readonly previousStatus: "PENDING" | "PENDING_APPROVAL" | "INPROGRESS" | "BUILDING" | "DEPLOYING" | "SUCCESS" | "ERROR" | "BUILD_ERROR" | "CANCELLED" | "SUPERSEDED";
    /** The environment's id in the configuration. */
    readonly environment: string;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A new release of a service is live. */
  readonly "service.released": {
    /** The deployment that released it. */
    readonly deploymentId: string;
    /** Its id in the configuration. */
    readonly service: string;
    /** The commit. */
    readonly commit: string;
    /** Its address for other services of its environment; null if it has none. */
    readonly url: string | null;
  };
  /** A command is to run in a service's live release. */
  readonly "execution.created": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The execution. */
    readonly executionId: string;
    /** The job's id in the configuration; null for a one-off run. */
    readonly jobId: string | null;
    /** What started it. */
    readonly trigger: "run" | "request" | "schedule" | "deploy";
    /** The minute of the schedule; null without one. */
    readonly scheduledFor: string | null;
    /** The attempt, from 1. */
    readonly attempt: number;
  };
  /** A command ended with exit code 0. */
  readonly "execution.succeeded": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The execution. */
    readonly executionId: string;
    /** The job's id in the configuration; null for a one-off run. */
    readonly jobId: string | null;
    /** What started it. */
    readonly trigger: "run" | "request" | "schedule" | "deploy";
    /** The minute of the schedule; null without one. */
    readonly scheduledFor: string | null;
    /** The attempt, from 1. */
    readonly attempt: number;
  };
  /** A command failed, reached its time limit, or could not start. */
  readonly "execution.failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The execution. */
    readonly executionId: string;
    /** The job's id in the configuration; null for a one-off run. */
    readonly jobId: string | null;
    /** What started it. */
    readonly trigger: "run" | "request" | "schedule" | "deploy";
    /** The minute of the schedule; null without one. */
    readonly scheduledFor: string | null;
    /** The attempt, from 1. */
    readonly attempt: number;
    /** The command's exit code; null if it was stopped or did not start. */
    readonly exitCode: number | null;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A start of a job failed or reached its time limit, and is not repeated. */
  readonly "job.failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The execution. */
    readonly executionId: string;
    /** The job's id in the configuration; null for a one-off run. */
    readonly jobId: string | null;
    /** What started it. */
    readonly trigger: "run" | "request" | "schedule" | "deploy";
    /** The minute of the schedule; null without one. */
    readonly scheduledFor: string | null;
    /** The attempt, from 1. */
    readonly attempt: number;
    /** The command's exit code; null if it was stopped or did not start. */
    readonly exitCode: number | null;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A command was cancelled. */
  readonly "execution.cancelled": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The execution. */
    readonly executionId: string;
    /** The job's id in the configuration; null for a one-off run. */
    readonly jobId: string | null;
    /** What started it. */
    readonly trigger: "run" | "request" | "schedule" | "deploy";
    /** The minute of the schedule; null without one. */
    readonly scheduledFor: string | null;
    /** The attempt, from 1. */
    readonly attempt: number;
  };
  /** Starts of a job were due while Slipway could not start them. */
  readonly "job.missed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The job's id in the configuration. */
    readonly jobId: string;
    /** The last missed start. */
    readonly scheduledFor: string;
    /** How many were missed; null for more than 10,000. */
    readonly missed: number | null;
  };
  /** The cloud took the number of instances that a client asked for. */
  readonly "service.scaled": {
    /** Its id in the configuration. */
    readonly service: string;
    /** The number of instances that a client asked for. */
    readonly desiredCount: number;
  };
  /** The number of instances that a client asked for could not be set. The number is unchanged. */
  readonly "service.scaling_failed": {
    /** Its id in the configuration. */
    readonly service: string;
    /** The number of instances that a client asked for. */
    readonly desiredCount: number;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** An invalidation is complete: no cache of the service's distributions has its responses any longer. */
  readonly "service.invalidated": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The invalidation. */
    readonly invalidationId: string;
    /** The number of its paths. */
    readonly paths: number;
  };
  /** The cloud refused an invalidation, or did not complete it. */
  readonly "service.invalidation_failed": {
    /** The service's id in the configuration. */
    readonly service: string;
    /** The invalidation. */
    readonly invalidationId: string;
    /** The number of its paths. */
    readonly paths: number;
    /** The error. */
    readonly error: {
      /** The error, for programs. */
      readonly code: string;
      /** The error, and how to solve it. */
      readonly message: string;
      /** What to do, if it is not part of the message. */
      readonly action?: string | undefined;
      /** Whether a retry can succeed without another change first. */
      readonly retryable?: boolean | undefined;
    };
  };
  /** A pull request, or a key of a client, got a preview. */
  readonly "preview.created": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** A commit of another repository waits until a member approves it. */
  readonly "preview.approval_requested": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** A member approved a commit of another repository. */
  readonly "preview.approved": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
    /** The user. */
    readonly approvedBy: string;
  };
  /** A deleted preview still has resources in the cloud account that cannot be removed. Slipway tries again until they are removed. */
  readonly "preview.cleanup_failed": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The cause: `HAS_DOMAINS`, `ACCOUNT_NOT_CONNECTED`, `LATE`, or the account's refusal. */
    readonly code: string;
    /** The cause, and what to do. */
    readonly message: string;
    /** Who must act. */
    readonly waitsFor: "developer" | "admin" | "slipway";
  };
  /** A preview got no request for the time that its template says. Its processes are stopped until the next request. */
  readonly "preview.slept": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** The processes of a preview that slept run again, after a request or a new release. */
  readonly "preview.woke": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** A preview of an open pull request ended, because a user deleted it or it reached its lifetime, and nothing of it is left in the cloud account. The next commit creates it again. */
  readonly "preview.ended": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** A preview ended, and nothing of it is left in the cloud account. */
  readonly "preview.deleted": {
    /** `pr-12` for a pull request; otherwise as a client named it. */
    readonly key: string;
    /** The branch of the pull request. */
    readonly branch: string;
    /** The commit that it is to show. */
    readonly commit: string;
    /** Whether the commit comes from another repository. */
    readonly isFork: boolean;
    /** The present state. */
    readonly state: "WAITING_FOR_APPROVAL" | "WAITING_FOR_CAPACITY" | "ACTIVE" | "SLEEPING" | "ENDED" | "DELETING";
    /** The pull request, for people. */
    readonly url: string | null;
  };
  /** A webhook endpoint was created. */
  readonly "webhook_endpoint.created": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A webhook endpoint's settings changed. */
  readonly "webhook_endpoint.updated": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A webhook endpoint was deleted. */
  readonly "webhook_endpoint.deleted": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A user requested a ping. It is sent only to that endpoint, regardless of its filter. */
  readonly "webhook_endpoint.ping": {
    /** The delivery that sends it. */
    readonly deliveryId: string;
  };
  /** Five deliveries in a row failed. Events wait until one succeeds. */
  readonly "webhook_endpoint.failing": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A delivery to a failing endpoint succeeded. The events that waited are sent now. */
  readonly "webhook_endpoint.recovered": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** Nothing is sent to the endpoint until a user enables it. */
  readonly "webhook_endpoint.disabled": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
    /** `USER`: a user disabled it. `GONE`: it answered 410. `FAILING`: five days passed without a success. */
    readonly reason: "USER" | "GONE" | "FAILING";
  };
  /** A user enabled the endpoint. */
  readonly "webhook_endpoint.enabled": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** The endpoint has a new secret. */
  readonly "webhook_endpoint.secret_rotated": {
    /** The host of the endpoint's URL. The rest of a URL is often secret. */
    readonly host: string;
    /** The endpoint's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A notification channel was created. */
  readonly "notification_channel.created": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A notification channel's settings changed. */
  readonly "notification_channel.updated": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A notification channel was deleted. */
  readonly "notification_channel.deleted": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A user enabled the channel. */
  readonly "notification_channel.enabled": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** Five attempts in a row failed. Slipway retries, and sends the states of the time when an attempt succeeds. */
  readonly "notification_channel.failing": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** A failing channel accepted a message. */
  readonly "notification_channel.recovered": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
  };
  /** Nothing is sent to the channel until a user enables it. */
  readonly "notification_channel.disabled": {
    /** The kind of its receiver. */
    readonly kind: "slack" | "discord" | "teams" | "email";
    /** The channel's name. */
    readonly name: string;
    /** The channel's status. */
    readonly status: "HEALTHY" | "FAILING" | "DISABLED";
    /** `USER`: a user disabled it. `GONE`: its receiver answered 410. `FAILING`: five days passed without a success. */
    readonly reason: "USER" | "GONE" | "FAILING";
  };
};

/** Something that happened. A server that is newer than this package may send further types. */
export type Event = {
  [T in keyof EventData]: Omit<EventEnvelope, "type" | "data"> & {
    readonly type: T;
    readonly data: EventData[T];
  };
}[keyof EventData];
