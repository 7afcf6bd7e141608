import { CloudError } from "../../../../cloud/cloud.ts";
import { reportDenial } from "../../../cloud-accounts/commands.ts";
import type { ReconcileResult } from "../../../../jobs/jobs.ts";
import { attachmentError } from "../attachment-error.ts";
import { REPLACEMENT_REST_MS } from "../decide-group.ts";
import type { GroupStep } from "../group-step.ts";
import type { GroupContext, GroupDeps } from "../apply-step.ts";
import { decideRefusal, type RefusalStep } from "./decide-refusal.ts";
import { failRedirects } from "../redirects/apply-redirects.ts";
import { changeGroup, failCertificate, failDomains } from "../record-group.ts";
import { certificates } from "../certificate/certificate-store.ts";
import { groups } from "../../store.ts";

/**
 * Handles a refusal of the cloud. A lasting one becomes the error of the affected domains.
 * @throws the error itself if the step should be retried after a backoff
 */
export async function handleRefusal(
  deps: GroupDeps,
  context: GroupContext,
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
  const refusal = decideRefusal(context.intended, step, error);
  switch (refusal.kind) {
    case "tryAgain":
      throw error;
    case "fail":
      await changeGroup(db, group, async (tx) => {
        await failDomains(tx, group, refusal.domains, attachmentError(refusal.code, clock.now(), error.code));
        if (refusal.abandon !== null) await failCertificate(tx, group, refusal.abandon);
        if (refusal.forget !== null) await certificates.delete(tx, refusal.forget);
      });
      if (refusal.isTriedAgain) throw error;
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
  { account, distribution, intended, group }: GroupContext,
  { certificateId, names }: RefusalStep & { kind: "attachOneByOne" },
): Promise<ReconcileResult> {
  const providerId = distribution.providerId ?? "";
  const refused: string[] = [];
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
      if (!(error instanceof CloudError && error.code === "ALIAS_IN_USE")) throw error;
      refused.push(name);
    }
  }
  const failed = intended.domains.filter(({ name }) => refused.includes(name));
  const error = attachmentError("Cloud:CDN:Error:DOMAIN_IN_USE_ELSEWHERE", clock.now());
  await changeGroup(db, group, (tx) => failDomains(tx, group, failed, error));
  return { runAfterMs: 0 };
}
