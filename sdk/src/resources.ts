/** Resources with waits of their own, beside the generated methods. */
import type { StreamOptions } from "./event-stream.ts";
import * as generated from "./generated/resources.ts";
import type {
  AwsAccount,
  DeploymentDetails,
  DeploymentStatus,
  Domain,
  DomainCertificateGroup,
  DomainStatus,
  EnvVariablesRun,
  Event,
  EventsListQuery,
  Execution,
  Invalidation,
  Project,
} from "./generated/types.ts";
import { type Verdict, waitFor, type WaitOptions, waitUntilGone } from "./watch.ts";

export class AwsAccounts extends generated.AwsAccounts {
  /** Waits until a cloud account is connected. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilConnected(awsAccountId: string, options?: WaitOptions<AwsAccount>): Promise<AwsAccount> {
    return await waitFor(
      `cloud account ${awsAccountId} to be connected`,
      (held) => this.watch(awsAccountId, held),
      ({ status }) => (status === "CONNECTED" ? "reached" : "waiting"),
      options,
    );
  }

  /**
   * Waits until a connection that is being deleted no longer exists.
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntilDeleted(awsAccountId: string, options?: WaitOptions<AwsAccount>): Promise<void> {
    await waitUntilGone(`cloud account ${awsAccountId}`, (held) => this.watch(awsAccountId, held), options);
  }
}

const ENDED_OTHERWISE: readonly DeploymentStatus[] = ["ERROR", "BUILD_ERROR", "CANCELLED", "SUPERSEDED"];

export class Deployments extends generated.Deployments {
  /**
   * Waits until a deployment is live.
   * @throws WaitFailedError if it ends otherwise; `last.error` and `last.services` say why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async wait(deploymentId: string, options?: WaitOptions<DeploymentDetails>): Promise<DeploymentDetails> {
    return await waitFor(
      `deployment ${deploymentId} to succeed`,
      (held) => this.watch(deploymentId, held),
      ({ status }) =>
        status === "SUCCESS" ? "reached" : ENDED_OTHERWISE.includes(status) ? "failed" : "waiting",
      options,
    );
  }
}

export class DomainGroups extends generated.DomainGroups {
  /**
   * Waits until the work for a group is done, and domains of it are served.
   * @throws WaitFailedError if no domain of it can be served, or the group is being deleted
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntilActive(
    domainGroupId: string,
    options?: WaitOptions<DomainCertificateGroup>,
  ): Promise<DomainCertificateGroup> {
    return await waitFor(
      `group ${domainGroupId} to be ACTIVE`,
      (held) => this.watch(domainGroupId, held),
      ({ status }) =>
        status === "ACTIVE" ? "reached" : status === "ERROR" || status === "DELETING" ? "failed" : "waiting",
      options,
    );
  }

  /** Waits until a group that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(
    domainGroupId: string,
    options?: WaitOptions<DomainCertificateGroup>,
  ): Promise<void> {
    await waitUntilGone(`group ${domainGroupId}`, (held) => this.watch(domainGroupId, held), options);
  }
}

/** On the way to being served. A domain that is served may have skipped some of them. */
const WAY: readonly DomainStatus[] = [
  "PENDING",
  "CREATING",
  "AWAITING_VERIFICATION_RECORDS_TO_BE_SET",
  "ATTACHING",
  "ATTACHED",
];

export class Domains extends generated.Domains {
  /**
   * Waits until a domain has reached `status` or a later one; `ATTACHED` means that it is served.
   * @throws WaitFailedError if it is in error (`last.lastAttachmentError` says why) or is being deleted
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntil(domainId: string, status: DomainStatus, options?: WaitOptions<Domain>): Promise<Domain> {
    const judge = ({ status: present }: Domain): Verdict => {
      if (present === status) return "reached";
      const [awaited, reached] = [WAY.indexOf(status), WAY.indexOf(present)];
      if (awaited !== -1 && reached !== -1) return reached > awaited ? "reached" : "waiting";
      return awaited !== -1 || present.startsWith("ERROR") ? "failed" : "waiting";
    };
    return await waitFor(
      `domain ${domainId} to be ${status}`,
      (held) => this.watch(domainId, held),
      judge,
      options,
    );
  }

  /** Waits until a domain that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(domainId: string, options?: WaitOptions<Domain>): Promise<void> {
    await waitUntilGone(`domain ${domainId}`, (held) => this.watch(domainId, held), options);
  }
}

export class Events extends generated.Events {
  /**
   * Yields events as they happen, until the caller stops. Each event comes once and in order, also if the connection breaks.
   * @param query `after`: the number of an event, to begin after it; by default, the stream begins with the next event
   * @throws ApiError `EVENTS_EXPIRED` if the event after it is no longer kept; `problem.oldest` is the oldest event kept
   */
  async *follow(
    query: Omit<EventsListQuery, "limit"> = {},
    options?: StreamOptions,
  ): AsyncGenerator<Event, void> {
    for await (const one of this.stream(query, options)) if (one.event === "message") yield one.data;
  }
}

export class Executions extends generated.Executions {
  /**
   * Waits until a command has ended with exit code 0.
   * @throws WaitFailedError if it ended otherwise or never started; `last.exitCode` and `last.error` say why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async wait(executionId: string, options?: WaitOptions<Execution>): Promise<Execution> {
    return await waitFor(
      `execution ${executionId} to succeed`,
      (held) => this.watch(executionId, held),
      ({ status, endedAt }) => (status === "SUCCEEDED" ? "reached" : endedAt === null ? "waiting" : "failed"),
      options,
    );
  }
}

export class Projects extends generated.Projects {
  /** Waits until a project that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(projectId: string, options?: WaitOptions<Project>): Promise<void> {
    await waitUntilGone(`project ${projectId}`, (held) => this.watch(projectId, held), options);
  }
}

export class Services extends generated.Services {
  /**
   * Waits until no cache has the responses of an invalidation any longer.
   * @throws WaitFailedError if it failed; `last.error` says why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async waitUntilInvalidated(
    invalidationId: string,
    options?: WaitOptions<Invalidation>,
  ): Promise<Invalidation> {
    return await waitFor(
      `invalidation ${invalidationId} to be complete`,
      (held) => this.watchInvalidation(invalidationId, held),
      ({ status }) => (status === "COMPLETED" ? "reached" : status === "ERROR" ? "failed" : "waiting"),
      options,
    );
  }
}

export class Variables extends generated.Variables {
  /**
   * Waits until every value of a run is stored in the cloud account.
   * @param runId the `runId` of the response with the `status` `processing`
   * @throws WaitFailedError if some could not be stored; `last.failedEnvVariables` says which and why
   * @throws WaitTimeoutError, AbortedError, ApiError
   */
  async wait(
    owner: { readonly environmentId: string } | { readonly serviceId: string },
    runId: string,
    options?: WaitOptions<EnvVariablesRun>,
  ): Promise<EnvVariablesRun> {
    return await waitFor(
      `run ${runId} to store its values`,
      (held) => this.watchRun(owner, { runId }, held),
      ({ isFinished, failedEnvVariables }) => {
        if (!isFinished) return "waiting";
        return Object.keys(failedEnvVariables).length === 0 ? "reached" : "failed";
      },
      options,
    );
  }
}
