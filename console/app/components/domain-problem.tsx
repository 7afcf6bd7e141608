import type { Domain } from "../../../sdk/src/generated/types.ts";
import { Fine } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Notice } from "./problem.tsx";

/** Why a domain is not served, or will not be, and what to do; null: nothing is wrong. */
export function domainProblems({ lastAttachmentError, warnings }: Domain) {
  if (lastAttachmentError === null && warnings.length === 0) return null;
  return (
    <>
      {lastAttachmentError === null ? null : (
        <Notice isBad title={lastAttachmentError.message}>
          <p>{lastAttachmentError.action}</p>
          <Fine>
            <code>{lastAttachmentError.code}</code> <When at={lastAttachmentError.occurredAt} />
          </Fine>
        </Notice>
      )}
      {warnings.map(({ code, message, action }) => (
        <Notice key={code} title={message}>
          <p>{action}</p>
          <Fine>
            <code>{code}</code>
          </Fine>
        </Notice>
      ))}
    </>
  );
}
