import { reasonAgainstAbandon } from "../api/account-words.ts";
import { read, useLater } from "../api/query.ts";
import type { WriteOptions } from "../api/write.ts";
import { ConfirmButton } from "./confirm.tsx";

type Props = {
  readonly awsAccountId: string;
  /** The kind of resource, such as `the group`. */
  readonly what: string;
  readonly name: string;
  /** Why the caller may not; null if they may. */
  readonly reason: string | null;
  /** What follows besides that it is deleted at once. */
  readonly consequences: readonly string[];
  readonly work: () => PromiseLike<unknown>;
  readonly refreshes: WriteOptions<unknown>["refreshes"];
  readonly onDone: () => void | Promise<void>;
};

/** Deletes what is in an account that Slipway cannot reach any more. Not shown while the account works. */
export function AbandonButton({ awsAccountId, what, name, reason, consequences, ...write }: Props) {
  const { data } = useLater(read("awsAccounts", "get", awsAccountId));
  if (data === undefined || reasonAgainstAbandon(data) !== null) return null;
  return (
    <ConfirmButton
      label={`Abandon ${what}`}
      disabledReason={reason}
      title={`Abandon ${name}?`}
      consequences={[
        `Slipway cannot clean up in ${data.name}, so it is deleted at once, and only in Slipway.`,
        ...consequences,
        "Resources in the account stay there, and may cost money. The audit lists them.",
      ]}
      typed={name}
      action={`Abandon ${what}`}
      said={`${name} is abandoned.`}
      {...write}
    />
  );
}
