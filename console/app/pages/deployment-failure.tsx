import type { ConfigurationFault, DeployedService } from "../../../sdk/src/generated/types.ts";
import { type Failure, nextStepFor, placeFor, type Place } from "../api/deployment-rules.ts";
import { Link } from "../components/link.tsx";
import { Notice } from "../components/problem.tsx";
import { tellFilePlace } from "../api/problem.ts";
import { paths } from "../paths.ts";
import { plainOf } from "../ui/ansi.ts";
import { Fine } from "../ui/layout.tsx";
import type { DeploymentLogRow } from "./deployment-log.ts";
import css from "./deployment.module.css";

const LAST_LINES = 8;

/** Why a deployment failed, the last lines before, and what to do; nothing for any other deployment. */
export function FailureBox({
  failure,
  rows,
  isLoading,
}: {
  /** Null: it has not failed. */
  readonly failure: Failure | null;
  readonly rows: readonly DeploymentLogRow[];
  readonly isLoading: boolean;
}) {
  if (failure === null) return null;
  const { title, error, service } = failure;
  const last = service === null ? [] : lastLinesOf(rows, service.id);
  return (
    <Notice title={title} isBad>
      <p>{error.message}</p>
      <Faults of={(error.faults ?? []).filter(({ message }) => !error.message.includes(message))} />
      {service === null ? null : (
        <pre
          className={css["lines"]}
          // It scrolls sideways, which the keyboard has to reach.
          tabIndex={0}
          role="region"
          aria-label="The last lines"
        >
          {last.length === 0 && !isLoading
            ? `${service.name} printed nothing.`
            : last.map(({ text }) => plainOf(text)).join("\n")}
        </pre>
      )}
      <p>
        {nextStepFor(error)} <PlaceLink place={placeFor(error)} service={service} />
      </p>
      <Fine>
        <code>{error.code}</code>
      </Fine>
    </Notice>
  );
}

function PlaceLink({
  place,
  service,
}: {
  readonly place: Place | null;
  readonly service: DeployedService | null;
}) {
  if (place === "cloud accounts") return <Link to={paths.accounts()}>Cloud accounts</Link>;
  if (place === "git integrations") return <Link to={paths.git()}>Git integrations</Link>;
  if (place === null || service === null) return null;
  return place === "variables" ? (
    <Link to={paths.serviceVariables(service.id)}>Variables of {service.name}</Link>
  ) : (
    <Link to={paths.environment(service.environmentId)}>Data stores of the environment</Link>
  );
}

function lastLinesOf(rows: readonly DeploymentLogRow[], serviceId: string): readonly DeploymentLogRow[] {
  return rows.filter((row) => row.serviceId === serviceId).slice(-LAST_LINES);
}

/** The places in the configuration that are wrong. */
function Faults({ of }: { readonly of: readonly ConfigurationFault[] }) {
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map(({ path, code, message }) => (
        <li key={`${path} ${code}`}>
          <code>{path === "" ? "The whole file" : tellFilePlace(path)}</code> {message}
        </li>
      ))}
    </ul>
  );
}
