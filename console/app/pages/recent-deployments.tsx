import type { ReactNode } from "react";
import { read, useLater } from "../api/query.ts";
import { DeploymentsTable } from "../components/deployments-table.tsx";
import { Link } from "../components/link.tsx";
import { Part } from "../components/part.tsx";
import { paths } from "../paths.ts";
import { Section } from "../ui/layout.tsx";

const RECENT = 5;

/** The newest deployments of a project or an environment, with a link to all of them. */
export function RecentDeployments({
  of,
  empty,
  after = null,
}: {
  readonly of: { readonly projectId: string } | { readonly environmentId: string };
  /** Shown in place of an empty table. */
  readonly empty: ReactNode;
  /** Shown below the table. */
  readonly after?: ReactNode;
}) {
  const recent = useLater(read("overview", "listDeployments", { ...of, order: "desc", limit: RECENT }));
  return (
    <Section
      title="Recent deployments"
      actions={
        <Link to={paths.deployments()} search={of}>
          All deployments
        </Link>
      }
    >
      <Part of={recent} lines={RECENT}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            empty
          ) : (
            <>
              <DeploymentsTable caption="Recent deployments" rows={deployments} hasProject={false} />
              {after}
            </>
          )
        }
      </Part>
    </Section>
  );
}
