/**
 * What the console reads of the API, by the SDK's types, and what its own files share. Types only: this file is not
 * served.
 */
import type * as sdk from "../sdk/src/generated/types.ts";

export type {
  ApiKey,
  AuditEntry,
  DeployedService,
  Deployment,
  DeploymentDetails,
  DeploymentError,
  DnsRecord,
  Domain,
  Environment,
  GitIntegration,
  LogLine,
  PendingRedeploy,
  Project,
  Service,
  User,
} from "../sdk/src/generated/types.ts";

/** A problem document (RFC 9457). `code` is null if there was no answer. */
export type Problem = {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly code: string | null;
  readonly type: string | null;
  readonly requestId: string | null;
  readonly errors: readonly sdk.Fault[];
};

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

/** A cloud account connection; `cloudStack` only on a single one that is not connected yet. */
export type AwsAccount = sdk.AwsAccount & Partial<Pick<sdk.NewAwsAccount, "cloudStack">>;
/** What a deployment does in one environment. */
export type DeploymentRun = sdk.EnvironmentRun;
export type Plan = NonNullable<sdk.EnvironmentPlan>;
export type Group = sdk.DomainCertificateGroup;
export type Variable = sdk.EnvVariable;
export type EffectiveVariable = sdk.EffectiveEnvVariable;
export type RunStatus = sdk.EnvVariablesRun;
/** The owner of the API key in use. */
export type Me = sdk.Caller;
/** One server-sent event. */
export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: string };

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
