import { CloudError } from "../../../cloud/cloud.ts";
import { reportDenial } from "../../cloud-accounts/commands.ts";
import type { ReconcileResult } from "../../../jobs/jobs.ts";
import { attachmentError, codeOfCloudError } from "./attachment-error.ts";
import { REPLACEMENT_REST_MS } from "./decide-group.ts";
import type { AttachmentError } from "../custom-domain.ts";
import type { GroupStep } from "./group-step.ts";
import type { Context, GroupDeps } from "./context.ts";
import { decideRefusal, isOfOneName, type RefusalStep } from "./decide-refusal.ts";
import { failRedirects } from "./apply-redirects.ts";
import { changeGroup, failCertificate, failDomains } from "./record-group.ts";
import { certificates } from "./certificate-store.ts";
import { domains, groups } from "../store.ts";

/**
 * Handles a refusal of the cloud. A lasting one becomes the error of the affected domains.
 * @throws the error itself if the step should be retried after a backoff
 */
export async function handleRefusal(
  deps: GroupDeps,
  context: Context,
  step: GroupStep | null,
  error: CloudError,
): Promise<ReconcileResult> {
  const { db, clock } = deps;
  const { group, distribution } = context;
  await reportDenial(deps, error, group.organizationId, distribution.awsAccountId);
  if (step?.kind === "updateRedirects" && error.kind !== "retryable") {
    await failRedirects(deps, context, error);
    return { runAfterMs: 0 };
  }
  const refusal = decideRefusal(context.desired, step, error);
  switch (refusal.kind) {
    case "tryAgain":
      throw error;
    case "fail":
      await changeGroup(db, group, async (tx) => {
        const shown = attachmentError(refusal.code, clock.now(), error.code);
        await failDomains(tx, group, refusal.domains, () => shown);
        if (refusal.abandon !== null) await failCertificate(tx, group, refusal.abandon);
        if (refusal.forget !== null) await certificates.delete(tx, refusal.forget);
      });
      if (refusal.isTriedAgain) throw error;
      return { runAfterMs: 0 };
    case "holdBack":
      await changeGroup(db, group, async (tx) => {
        const ids = refusal.domains.map(({ id }) => id);
        await domains.setHeldBack(tx, group.organizationId, ids, true);
        await certificates.delete(tx, refusal.forget);
      });
      return { runAfterMs: 0 };
    case "putOffReplacement":
      await changeGroup(db, group, async (tx) => {
        await groups.putOffReplacement(tx, group, new Date(clock.now().getTime() + REPLACEMENT_REST_MS));
        if (refusal.isMade) await failCertificate(tx, group, refusal.certificate);
        else await certificates.delete(tx, refusal.certificate);
      });
      return { runAfterMs: 0 };
    case "attachOneByOne":
      return await attachOneByOne(deps, context, refusal);
  }
}

async function attachOneByOne(
  { cloud, db, clock }: GroupDeps,
  { account, distribution, desired, group }: Context,
  { certificateId, names }: RefusalStep & { kind: "attachOneByOne" },
): Promise<ReconcileResult> {
  const providerId = distribution.providerId ?? "";
  const refused = new Map<string, AttachmentError>();
  for (const name of names) {
    const current = await cloud.distributions.describe(account, providerId);
    if (current === null || current.aliases.includes(name)) continue;
    try {
      await cloud.distributions.update(account, providerId, {
        aliases: [...current.aliases, name],
        certificateId,
        enabled: true,
        etag: current.etag,
      });
    } catch (error) {
      const code = error instanceof CloudError && isOfOneName(error) ? codeOfCloudError(error) : null;
      if (code === null) throw error;
      refused.set(name, attachmentError(code, clock.now(), (error as CloudError).code));
    }
  }
  await changeGroup(db, group, async (tx) => {
    for (const domain of desired.domains) {
      const error = refused.get(domain.name);
      if (error !== undefined) await failDomains(tx, group, [domain], () => error);
    }
  });
  return { runAfterMs: 0 };
}
