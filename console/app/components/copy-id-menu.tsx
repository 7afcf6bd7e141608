import { ActionMenu } from "./confirm.tsx";
import { copyItem } from "./copy-item.ts";

/** The menu of a page whose other actions are buttons: its id, for programs. @param props.what such as `the user's id` */
export function CopyIdMenu({
  of,
  id,
  what,
}: {
  readonly of: string;
  readonly id: string;
  readonly what: string;
}) {
  return <ActionMenu of={of} actions={[copyItem("the id", id, what)]} />;
}
