import type { ErrorCode } from "../../lib/errors.ts";

/** What the reference page of an error code says. `docs/reference/errors.md` is made from this. */
export type ErrorEntry = {
  readonly status: number;
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
};

/** Every code with its one status. The `Record` makes a code without an entry a type error. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  INVALID_REQUEST: {
    status: 400,
    title: "The request is not valid",
    cause: "A field, query parameter or header is missing, unknown, or not of its form.",
    remedy: "Correct every entry of `errors`; each names its place and what it must be.",
  },
  INVALID_JSON: {
    status: 400,
    title: "The body is not usable JSON",
    cause:
      "The body does not parse, is not UTF-8, begins with a byte order mark, names a member twice, nests deeper than 10, or holds a NUL character or half of a surrogate pair.",
    remedy: "Send one JSON value in UTF-8 without these.",
  },
  INVALID_CURSOR: {
    status: 400,
    title: "The cursor does not belong to this list",
    cause:
      "A cursor goes on where one list, with one order and the same filters, left off. This one comes from another list, order or filter, was changed on its way, or is older than the installation's key.",
    remedy:
      "Leave `cursor` out to begin at the first page; keep everything but `limit` as it was when you go on.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    cause: "A body may have 1 MiB at most.",
    remedy: "Split the request.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: "The headers are too large",
    cause: "The headers of a request may have 16 KiB at most.",
    remedy: "Send fewer or shorter headers; cookies are not needed.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: "The request did not arrive in time",
    cause: "The headers took longer than 10 s to arrive, or the whole request longer than 30 s.",
    remedy: "Send it again over a faster connection.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "The body is not plain JSON",
    cause:
      "The Content-Type is not application/json, names another charset than UTF-8, or the body has a Content-Encoding.",
    remedy: "Send `Content-Type: application/json`, the body in UTF-8 and not compressed.",
  },
  UNAUTHENTICATED: {
    status: 401,
    title: "No valid API key",
    cause: "The Authorization header is missing or malformed, or its key is mistyped, unknown or revoked.",
    remedy: "Send `Authorization: Bearer <API_KEY>` with a key that exists.",
  },
  HOOK_SIGNATURE_REFUSED: {
    status: 401,
    title: "The delivery is not signed with a secret of ours",
    cause:
      "The signature of a git host's delivery is missing or wrong, or no project has the repository with a hook secret for this provider.",
    remedy:
      "Set the secret that POST /v1/git-integrations/{gitIntegrationId}/hook-secret answered at the git host, and deliver again.",
  },
  ROLE_TOO_LOW: {
    status: 403,
    title: "The role does not allow this",
    cause: "The user of this API key has a lower role than the operation needs.",
    remedy: "Use a key of a user with the role that `detail` names, or have an admin raise the role.",
  },
  NOT_FOUND: {
    status: 404,
    title: "No such resource",
    cause: "The id names nothing, or something of another organization; the two are not told apart.",
    remedy: "Check the id, and that the API key belongs to the right organization.",
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: "No such endpoint",
    cause: "There is no endpoint of this path.",
    remedy: "See /docs for the endpoints.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "The endpoint has no such method",
    cause: "The path exists, but not with this method.",
    remedy: "The Allow header lists the methods it has.",
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    cause: "This API key has used up its requests for now.",
    remedy: "Wait as long as Retry-After says, and slow down by the RateLimit header.",
  },
  BODIES_IN_FLIGHT: {
    status: 429,
    title: "Too many bytes at once",
    cause:
      "The bodies of your organization's requests that are on their way at this moment, or of all requests without a key from your address, have too many bytes together.",
    remedy: "Wait as long as Retry-After says, and send fewer requests at the same time.",
  },
  TOO_MANY_HELD: {
    status: 429,
    title: "Too many requests are held open",
    cause:
      "This API key, or all keys of the organization together, have as many reads that wait (`Prefer: wait`) and streams of events open as they may. A stream counts as ten.",
    remedy:
      "Close what is not needed, or ask without `Prefer: wait`; an operator can raise SLIPWAY_HELD_PER_KEY and SLIPWAY_HELD_PER_ORGANIZATION.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: "The idempotency key belongs to another request",
    cause:
      "This Idempotency-Key of yours came before with another method, path or body. Bodies are compared as JSON: the order of members and white space do not matter.",
    remedy: "Use a new key for each new request; repeat a request with all of it unchanged.",
  },
  IDEMPOTENCY_KEY_IN_PROGRESS: {
    status: 409,
    title: "The first request of this idempotency key is still running",
    cause: "Two requests with one Idempotency-Key arrived at the same time.",
    remedy: "Wait as long as Retry-After says and repeat it; the answer of the first will be replayed.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: "The resource has changed",
    cause:
      "The request said by `If-Match` which state it is meant for, and the resource is in another one. Nothing was done. A weak tag (`W/…`) never matches (RFC 9110, section 13.1.1).",
    remedy: "Read the resource, decide again, and send the request with the ETag that it has now.",
  },
  GIVEN_ID_TAKEN: {
    status: 409,
    title: "The givenId is taken",
    cause: "Another cloud account connection of the organization has this givenId.",
    remedy: "Choose another, or use the existing connection.",
  },
  AWS_ACCOUNT_IN_USE: {
    status: 409,
    title: "The cloud account is in use",
    cause:
      "A project is deployed to this cloud account connection, or what one left there is still being removed.",
    remedy: "Delete the projects first; once nothing is left to remove, the connection can be deleted.",
  },
  AWS_ACCOUNT_WORKS: {
    status: 409,
    title: "The cloud account works",
    cause: "The cloud account connection is CONNECTED, so nothing has to be left behind in it.",
    remedy: "Delete the resource; Slipway removes what it made in the account.",
  },
  AWS_ACCOUNT_BOUND: {
    status: 409,
    title: "The connection belongs to an account",
    cause: "The connection was bound to a cloud account, and which one is expected can no longer change.",
    remedy:
      "Unbind it with `POST /v1/aws-accounts/{id}/unbind` while nothing uses it, or create another one.",
  },
  EMAIL_TAKEN: {
    status: 409,
    title: "The email address is taken",
    cause: "A user of the organization has this email address.",
    remedy: "Change that user, or use another address.",
  },
  LAST_ADMIN: {
    status: 409,
    title: "The organization needs an admin",
    cause: "This would leave the organization without an admin user.",
    remedy: "Make another user an admin first.",
  },
  LAST_ADMIN_KEY: {
    status: 409,
    title: "The organization would have no admin's key left",
    cause:
      "The last API key of an admin was to be deleted, or the user who has it, or that user's role taken away.",
    remedy:
      "Create an API key of another admin, or of this one, first; sign in with it, then delete this one.",
  },
  GIT_INTEGRATION_EXISTS: {
    status: 409,
    title: "There is a git integration for this provider and host",
    cause: "An organization has one integration for each provider and host.",
    remedy: "Set another token of the existing one with PATCH /v1/git-integrations/{id}.",
  },
  GIT_INTEGRATION_IN_USE: {
    status: 409,
    title: "The git integration is in use",
    cause: "A project reads its repository through this integration.",
    remedy:
      "To set another token, use PATCH /v1/git-integrations/{id}. To delete it, delete the projects that `detail` names first.",
  },
  PROJECT_IN_USE: {
    status: 409,
    title: "The project still has domains",
    cause: "Services of the project have domain certificate groups.",
    remedy: "Delete those groups first and wait until they are gone.",
  },
  PROJECT_CHANGED_MEANWHILE: {
    status: 409,
    title: "Another request changed the project meanwhile",
    cause: "The change was checked against a project that another request then changed.",
    remedy: "Look at the project as it is now, and send the request again.",
  },
  CONFIG_NOT_APPLICABLE: {
    status: 409,
    title: "The configuration cannot be applied",
    cause:
      "It changes what cannot change in place, such as the type of a service or the region of an environment, or no longer has a service with domain certificate groups.",
    remedy:
      "Follow `errors`. Give another id to what cannot change in place; delete domain certificate groups before their service. `POST /v1/projects/{id}/plan` tells beforehand.",
  },
  DEPLOYMENT_UNDER_WAY: {
    status: 409,
    title: "A deployment is under way",
    cause: "A deployment works with the project's repository and configuration as they are.",
    remedy: "Wait until the deployment that `detail` names has ended, or cancel it.",
  },
  PROJECT_DELETING: {
    status: 409,
    title: "The project is being deleted",
    cause: "The project is DELETING: what it has in its cloud account is being removed.",
    remedy: "Wait until it answers 404 (`Retry-After` says when to look again), and create a new one.",
  },
  RESOURCES_WOULD_STAY: {
    status: 409,
    title: "Resources would stay in the cloud account",
    cause:
      "The cloud account does not work, so what `leftInAccount` lists could not be removed from it; somebody goes on paying for it.",
    remedy:
      "Fix the account's stack and delete again, or give up what is listed with `POST …/abandon` and remove it by hand.",
  },
  SEVERAL_PROJECTS_MATCH: {
    status: 409,
    title: "Several projects match",
    cause: "More than one project of the organization uses this repository.",
    remedy: "Set `filter.projectId` to one of those that `detail` names.",
  },
  DOMAIN_TAKEN: {
    status: 409,
    title: "The domain is in another group",
    cause: "A domain belongs to one group of an organization.",
    remedy:
      "Delete it from the group that `detail` names, or leave it out. Where it is being deleted already, wait as long as Retry-After says.",
  },
  DEFAULT_GROUP_EXISTS: {
    status: 409,
    title: "The default distribution has a group",
    cause: "A service's default distribution carries one domain certificate group.",
    remedy: "Add the domains to that group, or create the new one with `useDefaultCdn: false`.",
  },
  GROUP_DELETING: {
    status: 409,
    title: "The group is being deleted",
    cause:
      "A group that is being deleted takes no changes, and a service's default distribution has one group at a time.",
    remedy: "Wait until it is gone, as long as Retry-After says, and create a new one.",
  },
  DEPLOYMENT_ENDED: {
    status: 409,
    title: "The deployment has ended",
    cause: "Only a deployment that waits or is under way can be cancelled.",
    remedy: "Roll back to an earlier deployment, or deploy again.",
  },
  DEPLOYMENT_NOT_RESTORABLE: {
    status: 409,
    title: "The deployment cannot be rolled back to",
    cause: "It did not end with SUCCESS, so what it built and released is not complete.",
    remedy: "Choose one that did: GET /v1/deployments?status=SUCCESS.",
  },
  RECORD_CONFLICT: {
    status: 409,
    title: "The records may not stand beside each other",
    cause:
      "In the sandbox cloud's DNS the name has records that the DNS allows no others beside: a CNAME stands alone, and an ALIAS has no addresses beside it. Or another organization of this Slipway set records at the name.",
    remedy: "Remove the records that `detail` names by DELETE /sandbox/dns/records, then set this one.",
  },
  STACK_EXISTS: {
    status: 409,
    title: "The connection has a stack already",
    cause:
      "The stack was created in the sandbox cloud before, by this endpoint or by the button of its console.",
    remedy: "Go on with the stack that exists, or delete it first: DELETE /sandbox/stacks/{ServiceId}.",
  },
  TOO_MANY_STACKS: {
    status: 409,
    title: "The sandbox has its limit of stacks",
    cause: "The sandbox cloud keeps each stack with its account number for good, up to 20,000.",
    remedy: "Stop Slipway and remove the folder `sandbox` in its data folder, with all that the sandbox has.",
  },
  NOTHING_TO_RETRY: {
    status: 409,
    title: "No domain is in error",
    cause: "No domain of the group is ERROR_ATTACHING or ERROR_DETACHING.",
    remedy: "There is nothing to do; read the domains for their state.",
  },
  AWS_ACCOUNT_NOT_CONNECTED: {
    status: 422,
    title: "The cloud account is not connected",
    cause: "The cloud account connection is not CONNECTED.",
    remedy: "Create the stack at its `cloudStack.consoleUrl` and wait for CONNECTED.",
  },
  GIT_INTEGRATION_MISSING: {
    status: 422,
    title: "No git integration for this provider",
    cause: "The organization has no integration for this provider and host.",
    remedy: "Have an admin create one with POST /v1/git-integrations.",
  },
  GIT_TOKEN_REFUSED: {
    status: 422,
    title: "The git provider refuses the token",
    cause: "The token is wrong, expired or lacks rights.",
    remedy: "Make a token that may read repositories, and set it with PATCH /v1/git-integrations/{id}.",
  },
  GIT_TOKEN_READS_LESS: {
    status: 422,
    title: "The new token reads less than the present one",
    cause: "A project's repository can be read with the present token, and not with the new one.",
    remedy:
      "Give the new token access to the repositories that `detail` names. Until then the present one stays.",
  },
  REPOSITORY_NOT_FOUND: {
    status: 422,
    title: "The repository was not found",
    cause: "The git host knows no such repository, or does not show it to the integration.",
    remedy: "Check repoUrl, and give the integration access to the repository.",
  },
  REPOSITORY_DENIED: {
    status: 422,
    title: "The integration may not read the repository",
    cause: "The git host refuses the integration's token for this repository.",
    remedy: "Give the integration access to the repository.",
  },
  REPOSITORY_TOO_LARGE: {
    status: 422,
    title: "The repository is too large",
    cause: "The sandbox reads repositories and commits up to a size only, which the detail names.",
    remedy: "Take large files out of the repository, its history included, and push again.",
  },
  REPOSITORY_USER_DENIED: {
    status: 422,
    title: "The user has no access to the repository",
    cause: "The user of this API key has no access to the repository at the git provider.",
    remedy: "Set the user's gitLogin and give that login access, or use another user's key.",
  },
  GIT_HOST_REFUSED: {
    status: 422,
    title: "The git host is not allowed",
    cause: "The address is not one of the provider's, or leads into a private network.",
    remedy: "Use the provider's public address; an operator can allow a host by SLIPWAY_GIT_ALLOWED_HOSTS.",
  },
  GIT_HOST_UNAVAILABLE: {
    status: 503,
    title: "The git host does not answer",
    cause: "The git host failed, timed out, or answered nonsense.",
    remedy: "Try again after the time of Retry-After.",
  },
  BRANCH_NOT_FOUND: {
    status: 422,
    title: "The branch was not found",
    cause: "The repository has no such branch.",
    remedy: "Push the branch, or name another.",
  },
  CONFIG_FILE_NOT_FOUND: {
    status: 422,
    title: "The configuration file was not found",
    cause: "There is no such file on that branch.",
    remedy: "Check configFilePath and configFileBranch.",
  },
  CONFIG_INVALID: {
    status: 422,
    title: "The configuration file is not valid",
    cause: "The configuration in the repository breaks the schema of /schema.json.",
    remedy: "Correct every entry of `errors` in the file and push it.",
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    title: "No project matches",
    cause: "No project of the organization uses this repository.",
    remedy: "Check repoUrl, or create the project first.",
  },
  SERVICE_TAKES_NO_DOMAINS: {
    status: 422,
    title: "The service serves no HTTP",
    cause: "Custom domains need a service that serves HTTP; a worker does not.",
    remedy: "Choose a static, web or external service.",
  },
  CLOUD_UNAVAILABLE: {
    status: 503,
    title: "The cloud does not answer",
    cause:
      "What was asked for has to be read from the cloud account, or the sandbox cloud, which failed, refused it, or did not answer.",
    remedy: "Try again after `Retry-After`; `detail` has the reason.",
  },
  OVERLOADED: {
    status: 503,
    title: "Too many requests at once",
    cause:
      "More requests wait for the database than this process can soon answer, or more bytes of bodies are on their way than it may keep, so that new ones are refused. Nothing was done.",
    remedy:
      "Try again after the time of Retry-After, and send fewer at once; an operator can add API processes.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: "The database does not answer",
    cause:
      "The service cannot reach its database at the moment. Usually nothing was changed; where the connection broke in the moment of saving, the change may stand.",
    remedy:
      "Try again after the time of Retry-After, with the same Idempotency-Key, so that nothing is done twice; /readyz tells when it is back.",
  },
  INTERNAL: {
    status: 500,
    title: "Something went wrong on our side",
    cause: "A defect. The log holds the details under the requestId.",
    remedy: "Try again; if it stays, give the operator the requestId.",
  },
};
