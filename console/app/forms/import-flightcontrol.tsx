/** A flightcontrol.json: what becomes of its fields, and the configuration that is proposed for it. */
import { Fragment, type ReactNode, useState } from "react";
import type { FlightcontrolImport, FrameworkDetection } from "../../../sdk/src/generated/types.ts";
import { type FindingGroup, type FindingSection, groupFindings } from "../../../sdk/src/group-findings.ts";
import { slipway } from "../api/client.ts";
import { tellFault, tellFilePlace } from "../api/problem.ts";
import { useWrite } from "../api/write.ts";
import { Notice, Problem } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { Fine } from "../ui/layout.tsx";
import { TextFileField } from "../ui/text-file-field.tsx";
import css from "./import-flightcontrol.module.css";

type Props = {
  /** The file of the repository, if it has one. */
  readonly found: FrameworkDetection["flightcontrolFile"];
  /** Takes the proposed configuration, as text. */
  readonly onUse: (text: string) => void;
};

export function ImportFlightcontrol({ found, onUse }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button onClick={() => setOpen(true)}>
        {found === null ? "Import from Flightcontrol" : `Import ${found.path}`}
      </Button>
      {isOpen ? <ImportDialog {...{ found, onUse }} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

function ImportDialog({ found, onUse, onClose }: Props & { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [imported, setImported] = useState(found?.imported ?? null);
  const { run, isPending, error } = useWrite(
    (flightcontrol: string) => slipway.projects.importConfiguration({ flightcontrol }),
    { refreshes: [], onDone: setImported },
  );
  const cancel = <Button onClick={onClose}>Cancel</Button>;
  if (imported !== null)
    return (
      <Dialog title="Import from Flightcontrol" isWide onClose={onClose}>
        <Findings of={imported} />
        <DialogActions>
          {cancel}
          <Button onClick={() => setImported(null)}>Choose another file</Button>
          <Button
            look="primary"
            disabledReason={imported.proposal === null ? "Nothing of the file can be imported." : null}
            onClick={() => {
              onUse(JSON.stringify(imported.proposal, null, 2));
              onClose();
            }}
          >
            Use the configuration
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <Dialog title="Import from Flightcontrol" isWide onClose={onClose}>
      {found?.imported === null && text === "" ? <Unusable found={found} /> : null}
      <TextFileField
        label="flightcontrol.json"
        name="flightcontrol"
        accept=".json,application/json"
        isCode
        rows={10}
        hint="Nothing is stored. Values that look like secrets are not copied."
        value={text}
        onChange={setText}
        fault={null}
      />
      {error === null ? null : <Problem error={error} />}
      <DialogActions>
        {cancel}
        <Button
          look="primary"
          isPending={isPending}
          disabledReason={text.trim() === "" ? "Paste the text of the file, or choose it." : null}
          onClick={() => run(text)}
        >
          Check the file
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Unusable({ found: { path, problem, faults } }: { readonly found: NonNullable<Props["found"]> }) {
  return (
    <Notice isBad title={`${path} of the repository cannot be imported`}>
      {faults.length === 0 ? <p>{problem}</p> : null}
      <ul>
        {faults.map((fault) => (
          <li key={`${fault.path} ${fault.code}`}>
            <code>{tellFilePlace(fault.path)}</code> {tellFault(fault)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const TITLES: Readonly<Record<FindingSection["kind"], string>> = {
  blocking: "To be changed first",
  unsupported: "Not supported",
  mappedWithChange: "In another form",
  ignoredSafely: "Not needed",
  mapped: "Copied",
};

function Findings({
  of: { findings, secrets, aliases, isBlocked, proposal },
}: {
  readonly of: FlightcontrolImport;
}) {
  const sections = groupFindings(findings);
  const secretPart =
    secrets.length === 0 ? null : (
      <Part title={`Secrets to set: ${secrets.length}`}>
        <Fine>Their values are not copied. Set them as managed values before the first deployment.</Fine>
        <ul className={css["places"]}>
          {secrets.map(({ environment, service, name }) => (
            <li key={`${environment} ${service} ${name}`}>
              <code>{name}</code> {[environment ?? "all environments", service].filter(Boolean).join(", ")}
            </li>
          ))}
        </ul>
      </Part>
    );
  return (
    <>
      <p role="status">{sections.map(({ kind, count }) => `${TITLES[kind]}: ${count}`).join(". ")}.</p>
      {isBlocked ? (
        <Notice title={proposal === null ? "Nothing can be imported" : "The configuration is not complete"}>
          <p>The services do not work as before until you have changed these fields.</p>
        </Notice>
      ) : null}
      <div className={css["scroll"]} role="region" aria-label="What becomes of the file" tabIndex={0}>
        {isBlocked ? null : secretPart}
        {sections.map(({ kind, count, groups }) => (
          <Fragment key={kind}>
            <Part title={`${TITLES[kind]}: ${count}`}>
              {groups.map((group) => (
                <Group key={`${group.reason} ${group.action}`} of={group} />
              ))}
            </Part>
            {kind === "blocking" ? secretPart : null}
          </Fragment>
        ))}
        <Part title="Variables that Flightcontrol sets">
          <ul className={css["places"]}>
            {aliases.map(({ name, says }) => (
              <li key={name}>
                <code>{name}</code> {says}
              </li>
            ))}
          </ul>
        </Part>
      </div>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={css["part"]}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** How many places of one sentence are shown. */
const PLACES = 12;

function Group({ of: { reason, action, places } }: { readonly of: FindingGroup }) {
  const more = places.length - PLACES;
  return (
    <div className={css["finding"]}>
      <p>{reason}</p>
      {action === null ? null : <p>{action}</p>}
      <p className={css["places"]}>
        {places.slice(0, PLACES).map((place) => (
          <code key={place}>{place}</code>
        ))}
        {more > 0 ? <span>and {more} more</span> : null}
      </p>
    </div>
  );
}
