/**
 * The types of the API's answers, as the console uses them. test/guards/console-types.ts holds them against the API's
 * schemas. Types only: this file is not served.
 */

/** A problem document (RFC 9457). `code` is null if there was no answer. */
export type Problem = {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly code: string | null;
  readonly type: string | null;
  readonly requestId: string | null;
  readonly errors: readonly Fault[];
};
export type Fault = { readonly path: string; readonly code: string; readonly message: string };
export type CodedError = { readonly code: string; readonly message: string };

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type AwsAccount = {
  readonly id: string;
  readonly givenId: string;
  readonly name: string;
  readonly status: string;
  readonly expectedAwsAccountId: string | null;
  readonly connectedAwsAccountId: string | null;
  readonly roleArn: string | null;
  readonly lastCheckAt: string | null;
  readonly lastCheckError: CodedError | null;
  readonly createdAt: string;
  /** Only on a single account that is not connected yet. */
  readonly cloudStack?: { readonly consoleUrl: string };
};

export type GitIntegration = {
  readonly id: string;
  readonly provider: string;
  readonly host: string | null;
  readonly createdAt: string;
};

export type Project = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly repoUrl: string;
  readonly awsAccountId: string;
  readonly configType: string;
  readonly configFilePath: string | null;
  readonly configFileBranch: string | null;
  readonly createdAt: string;
};
export type Environment = {
  readonly id: string;
  readonly projectId: string;
  readonly configId: string;
  readonly name: string;
  readonly region: string;
  readonly source: { readonly branch: string; readonly trigger: string };
};
export type Service = {
  readonly id: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly configId: string;
  readonly name: string;
  readonly type: string;
};

export type DeploymentError = CodedError & { readonly faults?: readonly Fault[] };
export type Deployment = {
  readonly id: string;
  readonly projectId: string;
  readonly environmentId: string | null;
  readonly branch: string;
  readonly commit: string;
  readonly commitHash: string;
  readonly trigger: string;
  readonly rollbackOf: string | null;
  readonly status: string;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
  readonly cancelRequestedAt: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};
export type DeploymentDetails = Deployment & {
  readonly environments: readonly DeploymentRun[];
  readonly services: readonly DeployedService[];
};
/** What a deployment does in one environment. */
export type DeploymentRun = {
  readonly id: string;
  readonly configId: string;
  readonly change: string;
  readonly status: string;
  readonly statusReason: string | null;
  readonly error: DeploymentError | null;
  readonly plan: Plan | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};
export type Plan = {
  readonly environment: readonly string[];
  readonly created: readonly string[];
  readonly changed: readonly { readonly service: string; readonly fields: readonly string[] }[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
};
export type DeployedService = {
  readonly id: string;
  readonly environmentId: string;
  readonly configId: string;
  readonly name: string;
  readonly type: string;
  readonly status: string;
  readonly error: DeploymentError | null;
  readonly url: string | null;
  readonly buildStartedAt: string | null;
  readonly buildEndedAt: string | null;
  readonly releaseStartedAt: string | null;
  readonly endedAt: string | null;
};
export type LogLine = {
  readonly at: string;
  readonly serviceId: string;
  readonly service: string;
  readonly stream: string;
  readonly text: string;
};
/** One server-sent event. */
export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: string };

export type Certificate = {
  readonly status: string;
  readonly domains: readonly string[];
  readonly requestedAt: string | null;
  readonly validationDeadlineAt: string | null;
  readonly issuedAt: string | null;
  readonly expiresAt: string | null;
};
export type Group = {
  readonly id: string;
  readonly name: string;
  readonly serviceId: string;
  readonly status: string;
  readonly domainsInError: number;
  readonly isDefaultCdn: boolean;
  readonly cdnDomainName: string | null;
  readonly certificate: Certificate | null;
  readonly createdAt: string;
};
export type DnsRecord = {
  readonly status: string;
  readonly purpose: string;
  readonly type: string;
  readonly name: string;
  readonly relativeName: string;
  readonly zone: string;
  readonly value: string;
  readonly lastPropagationCheckAt: string | null;
  readonly lastPropagationCheckValue: string | null;
  readonly lastPropagationCheckError: { readonly code?: string; readonly message?: string } | null;
};
export type Domain = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly type: string;
  readonly lastAttachmentError:
    | (CodedError & { readonly action: string; readonly occurredAt: string })
    | null;
  readonly dnsRecords: readonly DnsRecord[];
  readonly warnings: readonly (CodedError & { readonly action: string })[];
};

export type Variable = {
  readonly name: string;
  readonly source: string;
  readonly kind: string;
  readonly value: string | null;
  readonly reference: string | null;
  readonly fromService: { readonly id: string; readonly value: string } | null;
  readonly state: string;
  readonly pending: { readonly kind: string; readonly runId: string } | null;
  readonly lastError: CodedError | null;
  readonly updatedAt: string;
};
export type EffectiveVariable = {
  readonly name: string;
  readonly from: string;
  readonly source: string;
  readonly kind: string;
  readonly value: string | null;
  readonly reference: string | null;
};
export type RunStatus = {
  readonly isFinished: boolean;
  readonly processedEnvVariables: number;
  readonly totalExpectedEnvVars: number;
  readonly failedEnvVariables: { readonly [name: string]: CodedError };
};

export type User = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly gitLogin: string | null;
  readonly createdAt: string;
};
export type ApiKey = {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
};
/** The owner of the API key in use. */
export type Me = {
  readonly organization: { readonly id: string; readonly name: string };
  readonly user: User;
  readonly apiKey: ApiKey;
  readonly cloud: "sandbox" | "aws";
};
export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  readonly userId: string;
  readonly apiKeyId: string;
  readonly action: string;
  readonly resourceId: string;
  readonly requestId: string;
  readonly sourceAddress: string | null;
  readonly details: {
    readonly names?: readonly string[];
    readonly before?: Readonly<Record<string, string | null>>;
    readonly after?: Readonly<Record<string, string | null>>;
  } | null;
};

export type Answer = {
  readonly status: number;
  readonly etag: string | null;
  /** The parsed body; undefined if it is empty. The caller's type annotation says what it expects. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers have as many shapes as the API has endpoints
  readonly body: any;
};

export interface Api {
  /** @throws ProblemError */
  // oxlint-disable-next-line typescript/no-explicit-any -- see Answer
  get(path: string, signal?: AbortSignal): Promise<any>;
  /** One page of a list; `plural` is the field that contains the items. @throws ProblemError */
  list<T>(path: string, plural: string, cursor: string | null, signal?: AbortSignal): Promise<Page<T>>;
  /** Answers at once if `etag` is null, or else when the resource differs from it (25 s at most). @throws ProblemError */
  getNews(path: string, etag: string | null, signal: AbortSignal): Promise<Answer>;
  /** Server-sent events as they arrive, starting after the event `lastEventId`. @throws ProblemError */
  events(path: string, lastEventId: string | null, signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** Sends a write with its own Idempotency-Key, and repeats it while there is no answer. @throws ProblemError */
  write(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<Answer>;
}

/** What each view function receives. */
export type View = {
  readonly api: Api;
  /** Values of the route's parameters. */
  readonly params: { readonly [name: string]: string };
  /** Fires when the view is left. */
  readonly signal: AbortSignal;
  readonly isAdmin: boolean;
  /** Whether the user may change anything. */
  readonly mayWrite: boolean;
  /** Whether the sandbox's endpoints exist for this user. */
  readonly hasSandbox: boolean;
  /** Opens another view, such as `/projects`. */
  readonly go: (path: string) => void;
  /** Renders this view again. */
  readonly reload: () => void;
  /** Shows a short message, which screen readers also announce. */
  readonly notify: (text: string) => void;
};
