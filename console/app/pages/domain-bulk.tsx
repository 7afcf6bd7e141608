/** The actions for the chosen domains. */
import { RefreshCw, RotateCcw, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { DomainRow } from "../../../sdk/src/generated/types.ts";
import { type Failure, forEachItem } from "../api/bulk.ts";
import { slipway } from "../api/client.ts";
import {
  deletable,
  deletionConsequences,
  deletionText,
  DOMAIN_REFRESHES,
  formatDomainCount,
  groupSelected,
  hasFailed,
} from "../api/domain-selection.ts";
import { tellError } from "../api/problem.ts";
import { useWrite } from "../api/write.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { type Selection, useSelectedIds } from "../components/selection.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/toast.tsx";
import css from "./domain-rows.module.css";

type Props = {
  readonly items: readonly DomainRow[];
  readonly selection: Selection;
  /** Why the caller must not change domains; null: they may. */
  readonly reason: string | null;
  readonly onShare: (rows: readonly DomainRow[]) => void;
};

export function DomainBulk({ items, selection, reason, onShare }: Props) {
  const ids = useSelectedIds(selection);
  const [failures, setFailures] = useState<readonly Failure<DomainRow>[]>([]);
  const chosen = items.filter(({ id }) => ids.has(id));
  const failed = chosen.filter(hasFailed);
  const leaving = deletable(chosen);
  const finish = (answer: readonly Failure<DomainRow>[], said: string) => {
    setFailures(answer);
    // What failed stays chosen, to be tried again.
    selection.clear();
    selection.set(
      answer.map(({ item }) => item.id),
      true,
    );
    if (answer.length === 0) toast(said);
  };
  const check = useWrite<void, readonly Failure<DomainRow>[]>(
    () => forEachItem(chosen, ({ id }) => slipway.domains.check(id)),
    { refreshes: DOMAIN_REFRESHES, onDone: (answer) => finish(answer, "Checking. The result appears here.") },
  );
  const retry = useWrite<void, readonly Failure<DomainRow>[]>(
    async () => {
      // A group retries all of its failed domains.
      const firsts = groupSelected(failed).flatMap(({ rows }) => rows.slice(0, 1));
      return await forEachItem(firsts, (row) =>
        slipway.domainGroups.retryAttachment(row.domainCertificateGroupId),
      );
    },
    { refreshes: DOMAIN_REFRESHES, onDone: (answer) => finish(answer, "Slipway tries again.") },
  );
  if (chosen.length === 0 && failures.length === 0) return null;
  const many = formatDomainCount(chosen.length);
  return (
    <>
      {chosen.length === 0 ? null : (
        <div className={css["bulk"]} role="group" aria-label={`Actions for ${many}`}>
          <strong role="status">{many} chosen</strong>
          <Button disabledReason={reason} isPending={check.isPending} onClick={() => check.run()}>
            <Icon of={RefreshCw} /> Check DNS
          </Button>
          <Button
            disabledReason={leaving.length === 0 ? "They are being removed." : reason}
            onClick={() => onShare(leaving)}
          >
            <Icon of={Send} /> Share
          </Button>
          {failed.length === 0 ? null : (
            <Button disabledReason={reason} isPending={retry.isPending} onClick={() => retry.run()}>
              <Icon of={RotateCcw} /> Retry {failed.length}
            </Button>
          )}
          <ConfirmButton
            label={
              <>
                <Icon of={Trash2} /> Delete
              </>
            }
            disabledReason={leaving.length === 0 ? "They are being removed." : reason}
            title={leaving.length === 1 ? `Delete ${leaving[0]?.name}?` : `Delete ${leaving.length} domains?`}
            consequences={deletionConsequences(leaving)}
            action={leaving.length === 1 ? "Delete domain" : `Delete ${leaving.length} domains`}
            typed={deletionText(leaving)}
            work={() =>
              forEachItem(leaving, ({ domainCertificateGroupId, id }) =>
                slipway.domainGroups.deleteDomain(domainCertificateGroupId, id),
              )
            }
            refreshes={DOMAIN_REFRESHES}
            onDone={(answer) => finish(answer, `${many} being removed.`)}
          />
          <Button onClick={selection.clear}>Clear</Button>
        </div>
      )}
      {failures.length === 0 ? null : <Failures of={failures} onClose={() => setFailures([])} />}
    </>
  );
}

function Failures({
  of,
  onClose,
}: {
  readonly of: readonly Failure<DomainRow>[];
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={of.length === 1 ? "Not done for one domain" : `Not done for ${of.length} domains`}
      onClose={onClose}
    >
      <p>The others are done. These stay chosen, so that you can try again.</p>
      <ul className={css["links"]}>
        {of.map(({ item, error }) => {
          const { title, cause } = tellError(error);
          return (
            <li key={item.id}>
              <strong>{item.name}</strong>: {cause ?? title}
            </li>
          );
        })}
      </ul>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
