import { KeyRound, Link2 } from "lucide-react";
import { read, useLater } from "../../api/query.ts";
import { type Cell, formatValue, isSecret } from "../../api/variable-matrix.ts";
import { paths } from "../../paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { Fine } from "../../ui/layout.tsx";
import { Link } from "../link.tsx";
import { Status } from "../status.tsx";
import css from "./variables.module.css";

/** A value as far as it is shown. */
export function ShownValue({ of }: { readonly of: Parameters<typeof formatValue>[0] }) {
  const { fromService, kind } = of;
  const { text, isCode } = formatValue(of);
  if (fromService !== null) return <LinkedValue serviceId={fromService.id} property={fromService.value} />;
  if (isCode) return <code className={css["value"]}>{text}</code>;
  return (
    <span className={css["described"]}>
      {isSecret(kind) ? <Icon of={KeyRound} size={14} /> : null}
      {text}
    </span>
  );
}

/** Such as `api.url`, as in the form that sets it. */
function LinkedValue({ serviceId, property }: { readonly serviceId: string; readonly property: string }) {
  const { data } = useLater(read("services", "get", serviceId));
  return (
    <span
      className={css["described"]}
      title={data === undefined ? undefined : `The ${property} of ${data.name}`}
    >
      <Icon of={Link2} size={14} />
      <code>
        <Link to={paths.service(serviceId)}>{data?.configId ?? "…"}</Link>.{property}
      </code>
    </span>
  );
}

/** The state of the own value of the scope if it is pending or has failed; nothing otherwise. */
export function VariableState({ cell: { own } }: { readonly cell: Cell }) {
  if (own === null || (own.state === "STORED" && own.pending === null && own.lastError === null)) return null;
  return (
    <>
      <Status
        of={own.pending === null ? own.state : "PROCESSING"}
        words={own.state === "REMOVING" ? "Being removed" : "Being stored"}
      />
      {own.lastError === null ? null : <Fine>{own.lastError.message}</Fine>}
    </>
  );
}
