import { Badge, type Tone } from "../ui/layout.tsx";

/** The API's statuses in words for people. */
const STATUSES: Readonly<Record<string, readonly [string, Tone]>> = {
  AWAITING_CONNECTION: ["Awaiting connection", "todo"],
  CONNECTED: ["Connected", "good"],
  DISCONNECTED: ["Disconnected", "bad"],
  DRAFT: ["Draft", "calm"],
  PROVISIONING: ["Provisioning", "busy"],
  ACTIVE: ["Active", "good"],
  ERROR: ["Failed", "bad"],
  DELETING: ["Deleting", "busy"],
  PENDING: ["Waiting", "calm"],
  PENDING_APPROVAL: ["Awaiting approval", "todo"],
  INPROGRESS: ["In progress", "busy"],
  BUILDING: ["Building", "busy"],
  DEPLOYING: ["Releasing", "busy"],
  SUCCESS: ["Succeeded", "good"],
  BUILD_ERROR: ["Build failed", "bad"],
  CANCELLED: ["Cancelled", "calm"],
  SUPERSEDED: ["Replaced by a newer one", "calm"],
  CREATING: ["Requesting certificate", "busy"],
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET: ["Waiting for your DNS records", "todo"],
  ATTACHING: ["Attaching", "busy"],
  ATTACHED: ["Certificate ready", "good"],
  DETACHING: ["Detaching", "busy"],
  ERROR_ATTACHING: ["Could not attach", "bad"],
  ERROR_DETACHING: ["Could not detach", "bad"],
  AVAILABLE: ["Available", "good"],
  CHANGING: ["Being changed", "busy"],
  OK: ["Set", "good"],
  STORED: ["Stored", "good"],
  PROCESSING: ["Processing", "busy"],
  REMOVING: ["Removing", "busy"],
  RUNNING: ["Running", "good"],
  SLEEPING: ["Asleep", "calm"],
  NOT_DEPLOYED: ["Not deployed", "calm"],
  UNKNOWN: ["Live, health unknown", "calm"],
  LIVE: ["Live", "good"],
  PARTLY_LIVE: ["Partly live", "todo"],
  NOT_LIVE: ["Not live", "calm"],
  HEALTHY: ["Healthy", "good"],
  FAILING: ["Failing", "bad"],
  DISABLED: ["Disabled", "calm"],
  STARTING: ["Starting", "busy"],
  QUEUED: ["Waiting", "calm"],
  SUCCEEDED: ["Succeeded", "good"],
  FAILED: ["Failed", "bad"],
  TIMED_OUT: ["Timed out", "bad"],
  SKIPPED: ["Skipped", "calm"],
  MISSED: ["Missed", "bad"],
};

/** The status of a webhook or a notification channel. It cannot be healthy before something was sent. */
export function ReceiverStatus({ of, isUsed }: { readonly of: string; readonly isUsed: boolean }) {
  return of === "HEALTHY" && !isUsed ? (
    <Status of={of} words="Not used yet" tone="calm" />
  ) : (
    <Status of={of} />
  );
}

/** A status of the API as a badge. @param props.words in place of the usual ones; `tone` likewise */
export function Status({
  of,
  words,
  tone,
}: {
  readonly of: string;
  readonly words?: string | undefined;
  readonly tone?: Tone | undefined;
}) {
  const [usual, usualTone] = STATUSES[of] ?? [of.replaceAll("_", " ").toLowerCase(), "calm"];
  return (
    <Badge tone={tone ?? usualTone} status={of}>
      {words ?? usual}
    </Badge>
  );
}
