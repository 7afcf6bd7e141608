import type { EnvVariableVersion } from "../../../../sdk/src/generated/types.ts";
import { slipway } from "../../api/client.ts";
import { read, readAll, useLater } from "../../api/query.ts";
import { isSecret, KINDS, ownerOf, type Scope } from "../../api/variable-matrix.ts";
import { Fine, Skeleton } from "../../ui/layout.tsx";
import { Table } from "../../ui/table.tsx";
import { tellInstant, When } from "../../ui/time.tsx";
import { ConfirmButton } from "../confirm.tsx";
import { Problem } from "../problem.tsx";
import { ShownValue } from "./shown-value.tsx";

const MOST = 50;

type Props = { readonly scope: Scope; readonly name: string; readonly reason: string | null };

/** The values of a variable, the newest first. A value that Slipway keeps can be restored. */
export function VariableHistory({ scope, name, reason }: Props) {
  const owner = ownerOf(scope);
  const { data, error } = useLater(
    read("variables", "listVersions", owner, name, { order: "desc", limit: MOST }),
  );
  const users = useLater(readAll("users", "list", {})).data?.users ?? [];
  if (data === undefined)
    return error === null ? <Skeleton lines={3} label="Loading history" /> : <Problem error={error} />;
  if (data.versions.length === 0) return <Fine>Nothing was set here with Slipway.</Fine>;
  const nameOf = (id: string | null) => users.find((user) => user.id === id)?.name ?? id ?? "unknown";
  return (
    <Table
      caption={`Earlier values of ${name} of ${scope.name}`}
      rows={data.versions}
      keyOf={({ version }) => version}
      columns={[
        { label: "From", cell: ({ at }) => <When at={at} /> },
        { label: "By", cell: ({ userId }) => nameOf(userId) },
        {
          label: "Value",
          wraps: true,
          cell: (version) =>
            version.isDeletion ? (
              <em>deleted</em>
            ) : (
              <>
                <ShownValue of={version} />
                <Fine>{version.kind === null ? null : KINDS[version.kind]}</Fine>
              </>
            ),
        },
        {
          label: "",
          cell: (version) => (
            <ConfirmButton
              label="Restore"
              look="normal"
              size="small"
              name={`Restore the value of ${tellInstant(version.at)}`}
              disabledReason={reason ?? reasonAgainstRestore(version, data.versions[0])}
              title={`Restore ${name} of ${scope.name}?`}
              consequences={["It becomes what it was then. Services get it with their next deployment."]}
              action="Restore"
              work={() => slipway.variables.restore(owner, name, { version: version.version })}
              said={`${name} is restored.`}
              refreshes={["variables", "services"]}
            />
          ),
        },
      ]}
    />
  );
}

function reasonAgainstRestore(
  { version, isDeletion, kind }: EnvVariableVersion,
  newest: EnvVariableVersion | undefined,
): string | null {
  if (version === newest?.version) return "This is in effect.";
  if (isDeletion) return "It was deleted then. Delete it instead.";
  return isSecret(kind) ? "Slipway keeps no values of secrets. Set it again." : null;
}
