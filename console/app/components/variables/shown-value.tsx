import { tellField } from "../../api/field-words.ts";
import { read, useLater } from "../../api/query.ts";
import { type Cell, tellValue } from "../../api/variable-matrix.ts";
import { paths } from "../../paths.ts";
import { Fine } from "../../ui/layout.tsx";
import { Link } from "../link.tsx";
import { Status } from "../status.tsx";
import css from "./variables.module.css";

/** A value as far as it is shown. */
export function ShownValue({ of }: { readonly of: Parameters<typeof tellValue>[0] }) {
  const { fromService } = of;
  const { text, isCode } = tellValue(of);
  if (fromService !== null) return <LinkedValue serviceId={fromService.id} property={fromService.value} />;
  return isCode ? <code className={css["value"]}>{text}</code> : <em className={css["value"]}>{text}</em>;
}

function LinkedValue({ serviceId, property }: { readonly serviceId: string; readonly property: string }) {
  const { data } = useLater(read("services", "get", serviceId));
  return (
    <em className={css["value"]}>
      the {tellField(property)} of <Link to={paths.service(serviceId)}>{data?.name ?? serviceId}</Link>
    </em>
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
