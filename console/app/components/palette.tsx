/** Goes anywhere, finds anything and does what the shown page offers, by typing. Loaded when it is first opened. */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater } from "../api/query.ts";
import { formatRole } from "../api/user-rules.ts";
import { paths } from "../paths.ts";
import { signOut } from "../api/sign-in.ts";
import { Dialog } from "../ui/dialog.tsx";
import { When } from "../ui/time.tsx";
import css from "./palette.module.css";
import { PLACES } from "./places.ts";
import { Problem } from "./problem.tsx";
import { Status } from "./status.tsx";
import { chooseTheme, THEMES } from "./theme.tsx";
import { type QuickAction, quickActions } from "./quick-actions.ts";
import { pathOfHit, tellHit } from "./search-hits.ts";

type Entry = QuickAction & {
  readonly where: string;
  /** Of what the server found. */
  readonly status?: string | null;
  readonly at?: string | null;
};

/** Before that, the server would find nearly everything. */
const SHORTEST = 2;
const OF_A_KIND = 4;
/** Limit of the hits that the console itself matches. */
const LISTED_MAX = 8;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim());
  const isSought = sought.length >= SHORTEST;
  const mayManageUsers = useCan("manage users").may;
  const users = useLater(readAll("users", "list", {}), { isWanted: isSought });
  const environments = useEnvironments(isSought);
  const known: readonly Entry[] = useMemo(
    () => [
      ...quickActions().map((action) => ({ ...action, where: "On this page" })),
      ...PLACES.flatMap(({ places }) => places).map(({ words, to }) => ({
        label: `Go to ${words}`,
        to,
        where: "Page",
      })),
      { label: "Go to Snapshots", to: paths.snapshots(), where: "Page" },
      ...THEMES.map(([theme, words]) => ({
        label: `Theme: ${words}`,
        run: () => chooseTheme(theme),
        where: "Action",
      })),
      { label: "Create a project", to: paths.newProject(), where: "Action" },
      { label: "Connect a cloud account", to: paths.newAccount(), where: "Action" },
      { label: "Add a git integration", to: paths.newGit(), where: "Action" },
      { label: "Add a webhook", to: paths.newWebhook(), where: "Action" },
      { label: "Add a notification channel", to: paths.newNotification(), where: "Action" },
      ...(mayManageUsers
        ? [
            { label: "Add a user", to: paths.newUser(), where: "Action" },
            { label: "Create an API key", to: paths.newKey(), where: "Action" },
          ]
        : []),
      { label: "Sign out", run: () => void signOut(), where: "Action" },
    ],
    [mayManageUsers],
  );
  const listed: readonly Entry[] = [
    ...(users.data?.users ?? []).map(({ id, name, email, role }) => ({
      label: email === null || email === name ? name : `${name}, ${email}`,
      to: paths.user(id),
      where: `User · ${formatRole(role)}`,
    })),
    ...environments.map(({ id, name, project }) => ({
      label: `Variables of ${name}`,
      to: paths.environmentVariables(id),
      where: `Variables · ${project}`,
    })),
  ];
  const found = useLater(read("search", "find", { q: sought, limit: OF_A_KIND }), {
    isWanted: isSought,
  });
  const isMatch = ({ label }: Entry) => label.toLowerCase().includes(sought.toLowerCase());
  const hits = sought.length < SHORTEST ? [] : (found.data?.hits ?? []);
  const entries: readonly Entry[] = [
    ...known.filter(isMatch),
    ...(isSought ? listed.filter(isMatch).slice(0, LISTED_MAX) : []),
    ...hits.flatMap((hit) => {
      const to = pathOfHit(hit);
      return to === null ? [] : [{ ...tellHit(hit), to, id: hit.id }];
    }),
  ];
  const take = ({ to, run }: Entry) => {
    onClose();
    if (to !== undefined) void navigate({ to });
    run?.();
  };
  return (
    // It would add a style to the page, which the policy refuses.
    <CSPProvider disableStyleElements>
      <Dialog title="Search or do" isAtTop onClose={onClose}>
        <Autocomplete.Root
          items={entries}
          filter={null}
          value={text}
          onValueChange={setText}
          inline
          open
          autoHighlight="always"
          itemToStringValue={({ label }: Entry) => label}
        >
          <Autocomplete.Input
            className={css["input"] ?? ""}
            aria-label="Search or do"
            placeholder="A page, an action, a name, an id, a commit"
            autoFocus
          />
          <Autocomplete.Status className={css["status"] ?? ""}>
            {found.isFetching && sought.length >= SHORTEST ? "Searching…" : `${entries.length} found`}
          </Autocomplete.Status>
          <Autocomplete.List className={css["list"] ?? ""} aria-label="Found">
            {(entry: Entry) => (
              <Autocomplete.Item
                key={`${entry.where} ${entry.label} ${entry.to ?? ""}`}
                value={entry}
                className={css["item"] ?? ""}
                onClick={() => take(entry)}
              >
                <span className={css["label"]}>{entry.label}</span>
                <small>
                  {entry.status === null || entry.status === undefined || entry.status === "ACTIVE" ? null : (
                    <Status of={entry.status} />
                  )}{" "}
                  {entry.at === null || entry.at === undefined ? null : <When at={entry.at} />} {entry.where}
                </small>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Root>
        {found.error === null ? null : <Problem error={found.error} />}
      </Dialog>
    </CSPProvider>
  );
}

/** The environments of all projects, with the names of their projects. */
function useEnvironments(isWanted: boolean) {
  const { data } = useLater(read("overview", "listProjects", { limit: 100 }), { isWanted });
  return (data?.projects ?? []).flatMap(({ name: project, environments }) =>
    environments.map(({ id, name }) => ({ id, name, project })),
  );
}
