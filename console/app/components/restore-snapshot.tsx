import { useRef, useState } from "react";
import type { Project, Service, Snapshot } from "../../../sdk/src/generated/types.ts";
import { useMe } from "../api/permissions.ts";
import { reasonAgainstRestore, restoredIdOf, restoreLines } from "../api/snapshot-words.ts";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Fine } from "../ui/layout.tsx";
import { DocsLink } from "./docs-link.tsx";
import { Link } from "./link.tsx";
import { Payload } from "./payload.tsx";

type Props = {
  readonly snapshot: Snapshot;
  /** The data store that its data is of; null if it was deleted. */
  readonly store: Service | null;
  /** Null if it was deleted. */
  readonly project: Project | null;
};

/** Shows how a snapshot is restored: by a new data store in the configuration. */
export function RestoreButton({ name, ...props }: Props & { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        aria-label={`Restore ${name}`}
        disabledReason={reasonAgainstRestore(props.snapshot)}
        onClick={() => setOpen(true)}
      >
        Restore…
      </Button>
      {isOpen ? <RestoreDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RestoreDialog({ snapshot, store, project, onClose }: Props & { readonly onClose: () => void }) {
  const { cloud } = useMe();
  const code = useRef<HTMLDivElement>(null);
  const lines = restoreLines(snapshot, store?.settings ?? null);
  return (
    <Dialog title={`Restore this snapshot of ${store?.name ?? snapshot.serviceConfigId}`} onClose={onClose}>
      <p>
        Its data comes back in a new data store.
        {store === null ? null : ` ${store.name} stays as it is, with the data that it has now.`}
      </p>
      <ol>
        <li>
          Add these lines to the services of an environment in the region <code>{snapshot.region}</code>,{" "}
          <WhereTo project={project} />
        </li>
      </ol>
      <div ref={code}>
        <Payload label="The new data store" text={lines} wraps />
      </div>
      <ol start={2}>
        <li>
          To use its data, replace <code>{snapshot.serviceConfigId}</code> with{" "}
          <code>{restoredIdOf(snapshot)}</code> where services refer to it by <code>fromService</code>.
        </li>
        <li>
          Deploy {project === null ? "it" : <Link to={paths.project(project.id)}>{project.name}</Link>}.
          Services that refer to the new data store are released when it has its data.
        </li>
      </ol>
      {cloud === "aws" && store === null ? (
        <Fine>
          If the deleted data store had a <code>size</code> or <code>storageGb</code> of its own, write these
          too.
        </Fine>
      ) : null}
      <Fine>
        Data of a protected environment is restored only in that environment. <DocsLink chapter="Snapshots" />
      </Fine>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button look="primary" onClick={() => void copyText(lines, "the lines", code.current)}>
          Copy the lines
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The configuration that takes the new data store. */
function WhereTo({ project }: Pick<Props, "project">) {
  if (project === null)
    return (
      <>
        in <code>slipway.json</code> of any project in the same cloud account:
      </>
    );
  return project.configType === "iac" ? (
    <>
      in <code>{project.configFilePath}</code> of {project.name}:
    </>
  ) : (
    <>
      in the configuration of {project.name} (its <Link to={paths.projectSettings(project.id)}>settings</Link>
      ):
    </>
  );
}
