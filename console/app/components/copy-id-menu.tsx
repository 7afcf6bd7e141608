import { Copy } from "lucide-react";
import { copyText } from "../ui/copy.tsx";
import { ActionMenu } from "./confirm.tsx";

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
  return (
    <ActionMenu
      of={of}
      actions={[{ label: "Copy the id", icon: Copy, onSelect: () => void copyText(id, what) }]}
    />
  );
}
